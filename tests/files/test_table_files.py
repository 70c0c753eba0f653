"""HDF5, Parquet and Arrow: columns of others, read in pieces; a damaged file is an error, never a crash."""

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from hypertorus.embeddings.table import read_table
from hypertorus.files.arrays import Arrays

ROWS = np.random.default_rng(0).normal(size=(1000, 4)).astype(np.float32)
LABELS = [f"class {number % 3}" for number in range(1000)]


def arrow_table(kind=None):
    kind = kind or pa.list_(pa.float32())
    return pa.table({"vector": pa.array(ROWS.tolist(), kind), "label": LABELS})


def write(path, form):
    """Write the rows in one of the ways in which others do."""
    table = arrow_table()
    if form == "parquet":
        pq.write_table(table, path, row_group_size=300)
    elif form == "fixed":
        pq.write_table(arrow_table(pa.list_(pa.float32(), 4)), path)
    elif form == "large":
        pq.write_table(arrow_table(pa.large_list(pa.float32())), path)
    elif form == "feather":
        pyarrow.feather.write_feather(table, path, compression="zstd", chunksize=170)
    elif form == "stream":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=170)
    elif form == "file":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=170)
    else:
        with h5py.File(path, "w") as file:
            file.create_dataset("vector", data=ROWS, chunks=(170, 3), compression="gzip")
            file["label"] = LABELS


FORMS = {
    "parquet": ".parquet",
    "fixed": ".parquet",
    "large": ".parquet",
    "feather": ".feather",
    "stream": ".arrow",
    "file": ".arrow",
    "hdf5": ".hdf5",
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_read_whole_in_pieces_and_again(tmp_path, form):
    path = tmp_path / f"a{FORMS[form]}"
    write(path, form)
    table = read_table(path)
    assert table.labels.tolist() == LABELS
    assert (table.rows.shape, table.rows.dtype) == (ROWS.shape, ROWS.dtype)
    for begin, end in ((0, 1), (0, 400), (400, 1000), (10, 20), (999, 1000), (5, 5)):
        np.testing.assert_array_equal(table.rows[begin:end], ROWS[begin:end])
    np.testing.assert_array_equal(table.rows.whole(), ROWS)
    pieces = [table.rows[begin : begin + 130] for begin in range(0, 1000, 130)]
    np.testing.assert_array_equal(np.concatenate(pieces), ROWS)


def test_number_columns_of_an_arrow_file_are_the_rows(tmp_path):
    table = pa.table({**{f"x{place}": column for place, column in enumerate(ROWS.T)}, "y": LABELS})
    pyarrow.feather.write_feather(table, tmp_path / "a.feather", chunksize=99)
    read = read_table(tmp_path / "a.feather")
    np.testing.assert_array_equal(read.rows.whole(), ROWS.astype(np.float64))
    assert read.labels.tolist() == LABELS


def test_the_rows_of_ann_benchmarks_are_its_training_part(tmp_path):
    with h5py.File(tmp_path / "a.hdf5", "w") as file:
        file["train"], file["test"] = ROWS, ROWS[:7]
        file["neighbors"], file["distances"] = np.zeros((7, 100), np.int32), np.zeros((7, 100), np.float32)
    np.testing.assert_array_equal(read_table(tmp_path / "a.hdf5").rows.whole(), ROWS)
    np.testing.assert_array_equal(read_table(f"{tmp_path}/a.hdf5:test").rows.whole(), ROWS[:7])
    with pytest.raises(ValueError, match=r"holds distances, neighbors, test, train; name the array of its rows"):
        read_table(f"{tmp_path}/a.hdf5:tset")


def test_numbers_of_the_other_byte_order_are_turned(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["train"] = ROWS.astype(">f4")
    rows = read_table(tmp_path / "a.h5").rows
    assert rows.dtype.isnative
    np.testing.assert_array_equal(rows.whole(), ROWS)


def test_parts_with_labels_are_joined_in_pieces(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["train"], file["train_labels"] = ROWS[:600], np.zeros(600, int)
        file["test"], file["test_labels"] = ROWS[600:], np.ones(400, int)
    table = read_table(tmp_path / "a.h5")
    np.testing.assert_array_equal(table.rows[590:610], ROWS[590:610])
    np.testing.assert_array_equal(table.rows.whole(), ROWS)
    assert table.parts.tolist() == ["train"] * 600 + ["test"] * 400


def test_an_hdf5_file_of_anything_else_is_one_sentence(tmp_path):
    path = tmp_path / "a.hdf5"
    with h5py.File(tmp_path / "other.hdf5", "w") as file:
        file["secret"] = ROWS
    with h5py.File(path, "w") as file:
        file.create_dataset("ragged", (3,), h5py.vlen_dtype(np.float32))
        file.create_dataset("promised", (10**12, 10**6), np.float32, chunks=(1, 1000))
        file["linked"] = h5py.ExternalLink("other.hdf5", "secret")
        file.create_dataset("outside", (1000, 4), np.float32, external=[("other.hdf5", 0, 16000)])
        file["nothing"] = h5py.Empty("f4")
        file.create_group("group")
    assert set(Arrays(path)) == {"ragged", "promised", "outside", "nothing"}
    for name, sentence in {
        "ragged": "its ragged holds object, which is neither numbers nor text",
        "promised": "its promised has the shape (1000000000000, 1000000), but only 0 bytes of it were written",
        "outside": "its outside is stored in another file",
        "nothing": "its nothing is empty",
    }.items():
        with pytest.raises(ValueError, match=r"a\.hdf5") as raised:
            Arrays(path)[name]
        assert sentence in str(raised.value)


def test_lists_that_are_no_matrix_are_one_sentence(tmp_path):
    tables = {
        "hide": [[1.0], [2.0, 3.0, 4.0]],  # as many numbers as two rows of two
        "later": [[1.0, 2.0]] * 9000 + [[1.0, 2.0, 3.0]] * 9000,  # each batch is a matrix
        "holes": [[1.0, 2.0], None],
        "gaps": [[1.0, None], [2.0, 3.0]],
        "none": [],
    }
    for name, lists in tables.items():
        for suffix in (".parquet", ".arrow"):
            path, table = tmp_path / f"{name}{suffix}", pa.table({"vector": pa.array(lists, pa.list_(pa.float32()))})
            if suffix == ".parquet":
                pq.write_table(table, path)
            else:
                pyarrow.feather.write_feather(table, path)
            with pytest.raises(ValueError, match=r"different lengths|empty cells|has no rows") as raised:
                Arrays(path)["vector"]
            assert str(path) in str(raised.value)


@pytest.mark.parametrize("form", ["parquet", "feather", "stream", "file", "hdf5"])
def test_a_damaged_file_is_an_error_or_harmless(tmp_path, form):
    path = tmp_path / f"a{FORMS[form]}"
    write(path, form)
    data = path.read_bytes()
    ends = [*range(64), len(data) // 2, len(data) - 9, len(data) - 1]
    places = [*range(64), *range(64, 600, 7), *range(len(data) - 400, len(data), 7)]
    damaged = [data[:end] for end in ends]
    damaged += [data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :] for place in places]
    sentences = [complaint(path, each) for each in damaged]
    assert all(sentences[: len(ends)])  # what was cut short is never read
    assert any(sentences[len(ends) :])
    for sentence in filter(None, sentences):
        assert str(path) in sentence
        assert "\n" not in sentence


def complaint(path, data):
    """The sentence about a file with these bytes, or None if it can be read."""
    path.write_bytes(data)
    try:
        arrays = Arrays(path)
        assert all(len(arrays[name]) <= 1000 for name in arrays)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize(("name", "module", "extra"), [("a.hdf5", "h5py", "hdf5"), ("a.arrow", "pyarrow", "parquet")])
def test_a_missing_library_is_named_with_its_install(tmp_path, monkeypatch, name, module, extra):
    (tmp_path / name).write_bytes(b"any")
    monkeypatch.setattr("hypertorus.files.extras.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=rf"this needs {module}, .* pip install 'hypertorus\[{extra}\]'"):
        Arrays(tmp_path / name)
