"""Embeddings in pieces: the same rows and columns as the whole record, of any file, in bounded memory."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hypertorus import Embeddings
from hypertorus.embeddings import read_embeddings
from hypertorus.embeddings.read import open_embeddings
from hypertorus.files import rows as rows_of_files
from hypertorus.files.write import write_rows

ROWS = np.random.default_rng(0).normal(size=(100, 4)).astype(np.float32)
LABELS = np.array(["owl", "jay"] * 50)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Rows come in pieces of 7 or so."""
    monkeypatch.setattr(rows_of_files, "_BYTES_AT_ONCE", 7 * ROWS.itemsize * 4)


@pytest.mark.parametrize("name", ["a.parquet", "a.npz", "a.safetensors", "a.fbin"])
def test_pieces_are_the_rows_of_the_whole_in_order(tmp_path, name):
    path = tmp_path / name
    if name == "a.parquet":
        pq.write_table(pa.table({"vector": list(ROWS), "label": LABELS}), path)
    elif name == "a.npz":
        np.savez(path, embeddings=ROWS, labels=LABELS)
    elif name == "a.safetensors":
        numbers = np.array([1, 0] * 50)
        Embeddings(ROWS, "raw", "torusN", labels=numbers, classes=("jay", "owl")).save(path)
    else:
        write_rows(path, [{"rows": ROWS}])
        np.save(tmp_path / "labels.npy", LABELS)
    labels = tmp_path / "labels.npy" if name == "a.fbin" else None
    whole = read_embeddings(path, space="torusN", labels=labels)
    stream = open_embeddings(path, space="torusN", labels=labels)
    assert (len(stream), stream.labelled) == (100, True)
    end = 0
    for part, piece in stream:
        assert part.start == end
        end = part.stop
        assert len(piece) <= 7
        np.testing.assert_array_equal(piece.rows, whole.rows[part])
        assert piece.label_names.tolist() == LABELS[part].tolist()
        assert piece.classes == whole.classes
    assert end == 100


def test_a_bad_number_is_named_by_its_row_in_the_file(tmp_path):
    rows, codes = ROWS.copy(), np.zeros((100, 4), np.int32)
    rows[61, 2], codes[83, 1] = np.inf, 256
    write_rows(tmp_path / "a.fvecs", [{"rows": rows}])
    write_rows(tmp_path / "a.ivecs", [{"rows": codes}])
    with pytest.raises(ValueError, match=r"a\.fvecs has a NaN or an infinity in row 61"):
        list(open_embeddings(tmp_path / "a.fvecs", space="torusN"))
    with pytest.raises(ValueError, match=r"a\.ivecs holds the code 256 in row 83; 8 bits have 0 to 255"):
        read_embeddings(tmp_path / "a.ivecs", space="torusN", kind="codes")
