""".fbin, .fvecs and their kin: what others wrote is read, and a file that was cut short or lies is one sentence."""

import struct

import numpy as np
import pytest

from hypertorus.embeddings import read_embeddings
from hypertorus.files.arrays import Arrays
from hypertorus.files.suffixes import BIN, VECS

RNG = np.random.default_rng(0)


def numbers(suffix, rows=7, dim=5):
    kind = np.dtype((BIN | VECS)[suffix])
    if kind.kind == "f":
        return RNG.normal(size=(rows, dim)).astype(kind)
    limits = np.iinfo(kind)
    return RNG.integers(limits.min, limits.max, (rows, dim), kind, endpoint=True)


def as_bytes(suffix, rows):
    """The format written down a second time, number by number."""
    letter = {"<f4": "f", "u1": "B", "i1": "b", "<i4": "i"}[(BIN | VECS)[suffix]]
    lines = [struct.pack(f"<{len(row)}{letter}", *row.tolist()) for row in rows]
    if suffix in BIN:
        return struct.pack("<II", *rows.shape) + b"".join(lines)
    return b"".join(struct.pack("<i", rows.shape[1]) + line for line in lines)


def read(path):
    return Arrays(path)["rows"]


@pytest.mark.parametrize("suffix", [*BIN, *VECS])
def test_files_of_others_are_read_whole_and_in_pieces(tmp_path, suffix):
    path, expected = tmp_path / f"a{suffix}", numbers(suffix)
    path.write_bytes(as_bytes(suffix, expected))
    np.testing.assert_array_equal(read(path), expected)
    rows = Arrays(path).rows("rows")
    assert (rows.shape, rows.dtype) == (expected.shape, expected.dtype)
    for begin, end in ((0, 3), (3, 7), (6, 7), (2, 2)):
        np.testing.assert_array_equal(rows[begin:end], expected[begin:end])


@pytest.mark.parametrize("suffix", [*BIN, *VECS])
def test_a_file_cut_short_anywhere_is_an_error(tmp_path, suffix):
    path, data = tmp_path / f"a{suffix}", as_bytes(suffix, numbers(suffix, rows=3, dim=29))
    row = len(data) // 3
    for size in (*range(64), len(data) - 1, len(data) + 1):
        if suffix in VECS and size and size % row == 0:
            continue  # whole rows are a shorter file
        path.write_bytes((data + b"\0")[:size])
        with pytest.raises(ValueError, match=r"a\.\w+ (is empty|has|says)") as raised:
            read(path)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("suffix", [*BIN, *VECS])
def test_a_header_with_a_wrong_bit_is_an_error(tmp_path, suffix):
    path, data = tmp_path / f"a{suffix}", as_bytes(suffix, numbers(suffix))
    for bit in range(64 if suffix in BIN else 32):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"a\.\w+ (has|says)"):
            read(path)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.fbin", b"", "is empty"),
        ("a.fbin", b"\1\0\0", "has 3 bytes, but a .fbin file begins with 8"),
        ("a.fbin", struct.pack("<II", 0, 4), "says that it has 0 rows of 4 numbers; both must be at least 1"),
        ("a.u8bin", struct.pack("<II", 4, 0), "says that it has 4 rows of 0 numbers; both must be at least 1"),
        ("a.i8bin", struct.pack("<II", 2**32 - 1, 2**32 - 1), "says that it has 4294967295 rows"),
        ("a.ibin", struct.pack("<II4i", 1, 3, 1, 2, 3, 4), "which take 20 bytes as int32, but it has 24"),
        ("a.fvecs", b"\1", "has 1 bytes, but each row of a .fvecs file begins with 4"),
        ("a.bvecs", struct.pack("<i", 0), "says that its first row has 0 numbers; a row has at least 1"),
        ("a.ivecs", struct.pack("<i", -2), "says that its first row has -2 numbers"),
        ("a.ivecs", struct.pack("<i", 2**31 - 1), "are not whole rows of 2147483647 numbers"),
        ("a.ivecs", struct.pack("<3i", 2, 7, 7) + struct.pack("<3i", 1, 7, 7), "row 1 has 1 numbers, and its first"),
    ],
)
def test_a_header_that_lies_is_one_sentence(tmp_path, name, data, sentence):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=name) as raised:
        read(tmp_path / name)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_row_of_another_length_far_into_a_file_is_found(tmp_path):
    rows = np.zeros((200_000, 2), "<i4")
    rows[:, 0] = 1
    rows[150_000, 0] = 3
    rows.tofile(tmp_path / "a.ivecs")
    with pytest.raises(ValueError, match="says that row 150000 has 3 numbers"):
        read(tmp_path / "a.ivecs")
    assert len(Arrays(tmp_path / "a.ivecs").rows("rows")[:100]) == 100


def test_a_nan_is_named_by_its_row(tmp_path):
    rows = numbers(".fbin")
    rows[4, 2] = np.nan
    (tmp_path / "a.fbin").write_bytes(as_bytes(".fbin", rows))
    with pytest.raises(ValueError, match=r"a\.fbin has a NaN or an infinity in row 4"):
        read_embeddings(tmp_path / "a.fbin", space="torusC")


def test_signed_bytes_are_the_same_codes(tmp_path):
    codes = numbers(".u8bin")
    (tmp_path / "a.u8bin").write_bytes(as_bytes(".u8bin", codes))
    (tmp_path / "a.i8bin").write_bytes(as_bytes(".i8bin", codes.view(np.int8)))
    for name in ("a.u8bin", "a.i8bin"):
        record = read_embeddings(tmp_path / name, space="torusN")
        assert (record.kind, record.bits) == ("codes", 8)
        np.testing.assert_array_equal(record.rows, codes)


def test_a_missing_file_and_a_folder_are_one_sentence(tmp_path):
    (tmp_path / "folder.fbin").mkdir()
    for name in ("none.fvecs", "folder.fbin"):
        with pytest.raises(FileNotFoundError, match=f"there is no file .*{name}; check its name"):
            Arrays(tmp_path / name)
