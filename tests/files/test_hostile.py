"""Files of tables and arrays that lie or are damaged: one sentence each, and no memory for what is not there."""

import io
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from hypertorus.datasets import read_data
from hypertorus.files.arrays import Arrays
from hypertorus.sound.tensor_file import read_tensor, read_tensors


def lying_npz(path, shape, size=24):
    """An .npz file whose array says that it has this shape."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("vectors.npy", header.getvalue() + bytes(size))
    return path


@pytest.mark.parametrize("shape", [(10**12,), (2**33, 2**33), (10**30, 8), (4,), (-3,)], ids=str)
def test_an_npz_that_lies_about_its_shape_is_one_sentence(tmp_path, shape):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match=r"a\.npz is not a readable \.npz file \(.*\); fix it or write it again\."):
        Arrays(lying_npz(tmp_path / "a.npz", shape))["vectors"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes


def test_an_npz_that_packs_more_than_can_be_is_one_sentence(tmp_path):
    path = lying_npz(tmp_path / "a.npz", (10**12,))
    content = bytearray(path.read_bytes())
    for sign, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):  # the size in both headers of the file
        at = content.find(sign) + place
        content[at : at + 4] = (2**32 - 2).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.npz is not .*\(vectors is said to have 4,294,967,294 bytes"):
        Arrays(path)["vectors"]


@pytest.mark.parametrize("shape", [(10**12,), (10**30, 8), (4,), (-3,)], ids=str)
def test_an_npy_that_lies_about_its_shape_is_one_sentence(tmp_path, shape):
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
        file.write(bytes(24))
    with pytest.raises(ValueError, match=r"a\.npy"):
        Arrays(tmp_path / "a.npy")["rows"]


def test_honest_arrays_of_any_kind_are_read(tmp_path):
    arrays = {
        "packed": np.zeros((1000, 1000)),
        "empty": np.zeros((0, 3)),
        "one": np.float32(3),
        "text": np.array(["owl", "wren"]),
        "turned": np.asfortranarray(np.arange(6).reshape(2, 3)),
    }
    np.savez_compressed(tmp_path / "a.npz", **arrays)
    for name, array in Arrays(tmp_path / "a.npz").items():
        np.testing.assert_array_equal(array, arrays[name])


TABLES = {
    "long": ("label,x0\nowl,1\n" + "w" * 200_000 + ",2\n", r"line 3 is not a row of a table: field larger"),
    "long name": ("w" * 200_000 + ",x0\nowl,1\n", r"line 1 is not a row of a table: field larger"),
    "ragged": ("label,x0\nowl,1\nwren\n", r"line 3 has 1 cells, and there are 2 columns"),
    "ragged, too": ("label,x0\nowl,1,2\n", r"line 2 has 3 cells, and there are 2 columns"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_damaged_table_is_one_sentence(tmp_path, name):
    text, sentence = TABLES[name]
    (tmp_path / "a.csv").write_text(text)
    for read in (lambda: Arrays(tmp_path / "a.csv"), lambda: read_data(str(tmp_path / "a.csv"))):
        with pytest.raises(ValueError, match=sentence) as told:
            read()
        assert str(tmp_path / "a.csv") in str(told.value)
    (tmp_path / "sounds.csv").write_text(text.replace("x0", "path"))
    with pytest.raises(ValueError, match=sentence) as told:
        read_data(str(tmp_path / "sounds.csv"))
    assert str(tmp_path / "sounds.csv") in str(told.value)


def test_some_seconds_of_fuzzing(tmp_path):
    script = Path(__file__).with_name("fuzz_readers.py")
    command = [sys.executable, script, "--seconds", "2", "--seed", "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "refused in a sentence each" in done.stdout


class Evil:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.write_text, (self.path, "executed")


def test_no_pickle_is_executed(tmp_path):
    evil, mark = np.array([Evil(tmp_path / "mark")], object), tmp_path / "mark"
    np.save(tmp_path / "a.npy", evil)
    np.savez(tmp_path / "a.npz", vectors=evil)
    torch.save({"data": Evil(mark), "label": [0]}, tmp_path / "a.pt")
    for read in (
        lambda: Arrays(tmp_path / "a.npy")["rows"],
        lambda: Arrays(tmp_path / "a.npz")["vectors"],
        lambda: read_tensors(tmp_path / "a.pt"),
        lambda: read_tensor(tmp_path / "a.pt"),
    ):
        with pytest.raises(ValueError, match=r"a\.(npy|npz|pt) is not a"):
            read()
    assert not mark.exists()
    np.load(tmp_path / "a.npy", allow_pickle=True)
    assert mark.read_text() == "executed"  # so it would have been
