"""Files for other programs: what is written a piece at a time is what others read, or nothing is written."""

import struct

import h5py
import numpy as np
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from hypertorus.files.suffixes import BIN, TABLES, VECS, WRITTEN
from hypertorus.files.write import write_rows

POINTS = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
CODES = np.random.default_rng(1).integers(0, 256, (50, 3), np.uint8)
LABELS = np.array(["owl", "jay"] * 25)


def pieces(**columns):
    """The columns in pieces of 20, 20 and 10 rows, and one of none."""
    return [{name: array[begin : begin + 20] for name, array in columns.items()} for begin in (0, 20, 40, 60)]


def read(path):
    """The rows, by a reader other than ours."""
    if path.suffix in TABLES and path.suffix not in (".hdf5", ".h5"):
        read_table = pq.read_table if path.suffix == ".parquet" else pyarrow.feather.read_table
        return np.array(read_table(path)["codes"].to_pylist())
    if path.suffix in TABLES:
        with h5py.File(path) as file:
            return file["codes"][()]
    data, dtype = path.read_bytes(), (BIN | VECS)[path.suffix]
    if path.suffix in BIN:
        return np.frombuffer(data[8:], dtype).reshape(struct.unpack("<II", data[:8]))
    rows = np.frombuffer(data, np.dtype([("dim", "<i4"), ("numbers", dtype, (3,))]))
    assert (rows["dim"] == 3).all()
    return rows["numbers"]


@pytest.mark.parametrize("suffix", WRITTEN)
def test_pieces_are_one_matrix_to_others(tmp_path, suffix):
    path = tmp_path / "new" / f"a{suffix}"
    floats = suffix in (".fbin", ".fvecs")
    write_rows(path, pieces(codes=POINTS if floats else CODES))
    expected = POINTS if floats else CODES.view(np.int8) if suffix == ".i8bin" else CODES
    np.testing.assert_array_equal(read(path), expected)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", TABLES)
def test_tables_hold_columns_of_text_and_numbers(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    write_rows(path, pieces(points=POINTS, label=LABELS, start=np.arange(50) / 2))
    if suffix in (".hdf5", ".h5"):
        with h5py.File(path) as file:
            columns = [file["points"][()], file["label"].asstr()[()], file["start"][()]]
    else:
        table = pq.read_table(path) if suffix == ".parquet" else pyarrow.feather.read_table(path)
        assert table.schema.field("points").type.list_size == 3
        columns = [np.array(table[name].to_pylist()) for name in ("points", "label", "start")]
    for column, expected in zip(columns, (POINTS, LABELS, np.arange(50) / 2), strict=True):
        np.testing.assert_array_equal(column, expected)


@pytest.mark.parametrize(
    ("name", "rows", "sentence"),
    [
        ("a.txt", pieces(codes=CODES), "has the suffix '.txt'; rows are written as .parquet, .arrow"),
        ("a.u8bin", pieces(points=POINTS), "would hold uint8, but the rows are float32; write them as .fbin, .fvecs,"),
        ("a.fvecs", pieces(codes=CODES), "would hold float32, but the rows are uint8; write them as .u8bin, .i8bin"),
        ("a.bvecs", pieces(ids=-CODES.astype(np.int64)), "holds uint8, 0 to 255, but there are numbers from -"),
        ("a.ibin", pieces(ids=CODES.astype(np.int64) << 30), "holds int32, -2147483648 to 2147483647, but there are"),
        ("a.fbin", pieces(points=POINTS, label=LABELS), "holds one matrix, but there are points, label; write them as"),
        ("a.fbin", [{"points": POINTS}, {"points": POINTS[:, :2]}], "they must be the same"),
        ("a.parquet", [{"points": POINTS, "label": LABELS[:3]}], "they must be the same"),
        ("a.hdf5", [], "there are no rows to write"),
        ("a.fbin", [{"points": POINTS[:0]}], "there are no rows to write"),
    ],
)
def test_what_cannot_be_written_is_one_sentence_and_leaves_the_old_file(tmp_path, name, rows, sentence):
    path = tmp_path / name
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match=name) as raised:
        write_rows(path, rows)
    assert sentence in str(raised.value)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [(name, b"old")]


@pytest.mark.parametrize("suffix", WRITTEN)
def test_an_error_half_way_leaves_nothing_behind(tmp_path, suffix):
    def broken():
        yield from pieces(codes=POINTS if suffix in (".fbin", ".fvecs") else CODES)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_rows(tmp_path / f"a{suffix}", broken())
    assert list(tmp_path.iterdir()) == []
