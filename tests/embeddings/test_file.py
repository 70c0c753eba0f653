import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

from hypertorus.embeddings import Embeddings, read_embeddings
from hypertorus.embeddings.record import FIELDS
from hypertorus.files.tensors import TensorFileError

RECORD = Embeddings(
    np.arange(12, dtype=np.uint8).reshape(4, 3),
    "codes",
    "torusN",
    bits=4,
    metric="l1",
    labels=[1, -1, 0, 1],
    classes=("jay", "Waldkauz ♪"),
    parts=["train", "train", "test", "test"],
    groups=[0, 0, 1, 2],
    names=["a b.wav", "", "ü/c.wav", "d"],
    starts=[0.0, 3.5, 0.0, 0.0],
    model="0123456789abcdef",
)


def test_everything_comes_back(tmp_path):
    RECORD.save(tmp_path / "a.safetensors")
    again = read_embeddings(tmp_path / "a.safetensors")
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(again, name), getattr(RECORD, name))


def test_only_what_is_known_is_written(tmp_path):
    Embeddings(np.ones((2, 2), np.float32), "points", "sphere").save(tmp_path / "a.safetensors")
    again = read_embeddings(tmp_path / "a.safetensors")
    assert [getattr(again, name) for name in ("labels", "parts", "groups", "names", "starts", "model")] == [None] * 6
    assert list(load_file(tmp_path / "a.safetensors")) == ["points"]


def test_other_libraries_read_it(tmp_path):
    RECORD.save(tmp_path / "a.safetensors")
    np.testing.assert_array_equal(load_file(tmp_path / "a.safetensors")["codes"], RECORD.rows)
    with safe_open(tmp_path / "a.safetensors", "numpy") as file:
        metadata = file.metadata()
    assert metadata["format"] == "hypertorus-embeddings"
    assert (metadata["format_version"], metadata["space"], metadata["bits"]) == ("1", "torusN", "4")


def test_every_damaged_byte_is_noticed(tmp_path):
    path = tmp_path / "a.safetensors"
    RECORD.save(path)
    whole = path.read_bytes()
    start = 8 + int.from_bytes(whole[:8], "little")
    for place in range(start, len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(TensorFileError, match="is damaged: the checksum of its"):
            read_embeddings(path)
    for size in (0, 7, start - 1, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="cut short"):
            read_embeddings(path)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b'"format_version":"1"', b'"format_version":"9"', "has format version '9', not '1'; update hypertorus"),
        (b'"kind":"codes"', b'"kind":"cades"', "it has no rows of the kind 'cades'"),
        (b'"space":"torusN"', b'"space":"torusX"', "is damaged: space is 'torusX'"),
        (b'"bits":"4"', b'"bits":"x"', "is damaged"),
        (b'"dim":"6"', b'"dim":"8"', "is damaged: rows have 3 numbers"),
    ],
)
def test_metadata_that_lie_are_refused(tmp_path, old, new, sentence):
    path = tmp_path / "a.safetensors"
    RECORD.save(path)
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))
    with pytest.raises(ValueError, match=sentence):
        read_embeddings(path)


def test_a_file_of_another_kind_is_not_written(tmp_path):
    with pytest.raises(ValueError, match=r"a\.npz; embeddings are written as \.safetensors"):
        RECORD.save(tmp_path / "a.npz")
    assert not list(tmp_path.iterdir())
