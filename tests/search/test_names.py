"""Names and the model's fingerprint go with the codes: into the file, back, and out with the neighbours."""

import numpy as np
import pytest

from hypertorus.embeddings import Embeddings
from hypertorus.search import Index, IndexFileError

CODES = np.random.default_rng(0).integers(0, 256, (5, 4), np.uint8)
NAMES = ["a.wav", "ü b.wav", "", "d", "e"]


@pytest.fixture
def index():
    index = Index(4, model="cafe")
    index.add(CODES, labels=list("xyxyx"), names=NAMES)
    return index


def test_neighbours_carry_labels_and_names(index):
    neighbours = index.search(CODES[[1, 4]], k=7)
    assert neighbours.names[:, 0].tolist() == ["ü b.wav", "e"]
    assert neighbours.labels[:, 0].tolist() == ["y", "x"]
    assert neighbours.names[:, 5:].tolist() == neighbours.labels[:, 5:].tolist() == [["", ""]] * 2
    ids, distances = neighbours
    assert (ids[0, 0], distances[0, 0]) == (1, 0)
    assert index.within(CODES[:1], 0)[0].names.tolist() == ["a.wav"]
    bare = Index(4)
    bare.add(CODES, labels=[5, 6, 7, 8, 9])
    assert bare.search(CODES[:1], k=6).labels.tolist()[0][5] == -1
    assert bare.search(CODES[:1], k=6).names is None


def test_they_come_back_from_the_file(index, tmp_path):
    index.remove([2])
    index.save(tmp_path / "a.index")
    opened = Index.open(tmp_path / "a.index")
    assert (opened.model, opened.has_names) == ("cafe", True)
    assert opened.names_of([0, 1, 3, 4]).tolist() == ["a.wav", "ü b.wav", "d", "e"]
    opened.add(CODES[2:3], labels=["z"], names=["new"])
    opened.remove([0])
    opened.save(tmp_path / "b.index")
    assert Index.open(tmp_path / "b.index").search(CODES[2:3], k=1).names.tolist() == [["new"]]


def test_a_reader_finds_the_names_of_neighbours_that_were_removed_meanwhile(index):
    neighbours = index.search(CODES, k=1)
    index.remove([3])
    assert neighbours.names[:, 0].tolist() == NAMES
    assert neighbours.labels[:, 0].tolist() == list("xyxyx")
    with pytest.raises(ValueError, match="ids holds 3, which is not in the index"):
        index.names_of([3])


def test_names_are_for_all_codes_or_for_none(index):
    with pytest.raises(ValueError, match="this index has names"):
        index.add(CODES, labels=list("xyxyx"))
    bare = Index(4)
    bare.add(CODES)
    with pytest.raises(ValueError, match="this index has no names"):
        bare.add(CODES, names=NAMES)
    with pytest.raises(ValueError, match="this index has no names"):
        bare.names_of([0])
    with pytest.raises(ValueError, match="pass a string for each"):
        Index(4).add(CODES, names=[1, 2, 3, 4, 5])


def test_damaged_names_are_noticed(index, tmp_path):
    index.save(tmp_path / "a.index")
    content = bytearray((tmp_path / "a.index").read_bytes())
    content[-1] ^= 1
    (tmp_path / "a.index").write_bytes(content)
    with pytest.raises(IndexFileError, match="the checksum of its names is wrong"):
        Index.open(tmp_path / "a.index")


def test_embeddings_bring_their_own_and_must_be_of_the_same_model():
    record = Embeddings(
        CODES, "codes", "torusC", labels=[0, 1, 0, 1, 0], classes=("x", "y"), names=NAMES, starts=[0, 1.5, 3, 0, 0],
        model="cafe",
    )  # fmt: skip
    fresh = Index(4)
    fresh.add(record)
    assert fresh.model == "cafe"
    assert fresh.names_of([1]).tolist() == ["ü b.wav#t=1.5"]
    assert fresh.search(record, k=1).labels[:, 0].tolist() == list("xyxyx")
    other = Embeddings(CODES, "codes", "torusC", model="beef")
    with pytest.raises(ValueError, match="queries are of the model beef, and the index is of the model cafe"):
        fresh.search(other)
    with pytest.raises(ValueError, match="codes are of the model beef"):
        fresh.add(other)
    with pytest.raises(ValueError, match="queries live on the sphere"):
        fresh.search(Embeddings(np.ones((1, 4)), "points", "sphere"))
    with pytest.raises(ValueError, match="queries have 2 coordinates, and the index has 4"):
        fresh.search(Embeddings(np.ones((1, 4)), "points", "torusN"))
