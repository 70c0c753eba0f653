"""Vector files of others through the commands: built, added, searched, encoded and measured like any other file."""

import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from hypertorus import TorusN
from hypertorus.files import rows as rows_of_files
from hypertorus.files.arrays import Arrays
from hypertorus.files.suffixes import BIN, VECS, WRITTEN
from hypertorus.files.write import write_rows
from hypertorus.search import Index, nearest

RNG = np.random.default_rng(0)
RAW = RNG.normal(size=(60, 8)).astype(np.float32)
CODES = RNG.integers(0, 256, (60, 6), np.uint8)
FLOATS = [suffix for suffix in WRITTEN if np.dtype((BIN | VECS).get(suffix, "f4")).kind == "f"]
INTEGERS = [suffix for suffix in WRITTEN if suffix not in (".fbin", ".fvecs")]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(rows_of_files, "_BYTES_AT_ONCE", 100)


def write(name, rows):
    """Write rows under the name that each format gives them."""
    write_rows(name, [{"train" if Path(name).suffix in (".hdf5", ".h5") else "vectors": rows}])


@pytest.mark.parametrize("suffix", FLOATS)
def test_raw_numbers_are_built_added_and_searched(run, suffix):
    write(f"a{suffix}", RAW[:40])
    write(f"b{suffix}", RAW[40:])
    assert run("index", "build", f"a{suffix}", "--space", "torusN", "--out", "i.index")[0] == 0
    code, out, _ = run("index", "add", "i.index", f"b{suffix}", "--space", "torusN", "--json")
    assert (code, json.loads(out)["codes"]) == (0, 60)
    expected = TorusN(8).turns(RAW)
    index = Index(4)
    index.add(expected)
    np.testing.assert_array_equal(Index.open("i.index").vectors(range(60)), index.vectors(range(60)))
    found = json.loads(run("search", "i.index", f"a{suffix}", "--space", "torusN", "-k", 3, "--json")[1])
    assert found["ids"] == index.search(expected[:40], 3).ids.tolist()


@pytest.mark.parametrize("suffix", INTEGERS)
def test_codes_are_built_as_they_are(run, suffix):
    write(f"a{suffix}", CODES)
    assert run("index", "build", f"a{suffix}", "--out", "i.index")[0] == 0
    np.testing.assert_array_equal(Index.open("i.index").vectors(range(60)), CODES)


def test_ids_and_labels_come_with_their_pieces(run):
    write("a.fbin", RAW)
    write("ids.ivecs", np.arange(60, dtype=np.int32)[::-1, None] * 2)
    Path("labels.txt").write_text("ape\nbee\n" * 30)
    options = ("--space", "torusN", "--ids", "ids.ivecs", "--labels", "labels.txt")
    assert run("index", "build", "a.fbin", *options, "--out", "i.index")[0] == 0
    index = Index.open("i.index")
    assert index.ids.tolist() == list(range(118, -2, -2))
    assert index.labels.tolist() == ["ape", "bee"] * 30


@pytest.mark.parametrize("name", ["n.ibin", "n.ivecs", "n.hdf5", "n.parquet", "n.arrow"])
def test_neighbours_are_written_for_other_programs(run, name):
    write("a.u8bin", CODES)
    run("index", "build", "a.u8bin", "--out", "i.index")
    code, out, _ = run("search", "i.index", "a.u8bin", "-k", 4, "--out", name)
    assert (code, out) == (0, f"60 x 4 neighbours written to {name}\n")
    expected = nearest(CODES, CODES, 4)
    if name == "n.hdf5":
        with h5py.File(name) as file:
            np.testing.assert_array_equal(file["neighbors"], expected.ids)
            np.testing.assert_array_equal(file["distances"], expected.distances)
        return
    arrays = Arrays(Path(name))
    np.testing.assert_array_equal(arrays["ids" if "ids" in arrays else "rows"], expected.ids)


@pytest.mark.parametrize("suffix", INTEGERS)
def test_files_are_encoded_in_pieces(run, suffix):
    write("a.fbin", RAW)
    code, out, _ = run("encode", "a.fbin", "--space", "torusN", "--out", f"codes{suffix}")
    assert (code, out) == (0, f"60 rows of codes of 8 bits in torusN: codes{suffix}\n")
    assert run("index", "build", f"codes{suffix}", "--out", "i.index")[0] == 0
    run("index", "build", "a.fbin", "--space", "torusN", "--out", "j.index")
    np.testing.assert_array_equal(Index.open("i.index").vectors(range(60)), Index.open("j.index").vectors(range(60)))


def test_tables_keep_the_columns_of_a_record(run):
    np.savez("a.npz", embeddings=RAW, labels=["ape", "bee"] * 30, names=[f"clip {row}" for row in range(60)])
    run("encode", "a.npz", "--space", "torusN", "--out", "codes.parquet")
    assert run("index", "build", "codes.parquet", "--out", "i.index")[0] == 0
    index = Index.open("i.index")
    assert index.labels.tolist() == ["ape", "bee"] * 30
    assert index.names_of([7]).tolist() == ["clip 7"]


def test_they_are_measured_with_labels_of_another_file(run):
    centres = RNG.normal(size=(3, 8)) * 4
    labels = np.arange(60) % 3
    write("a.fvecs", (centres[labels] + RNG.normal(size=(60, 8))).astype(np.float32))
    Path("labels.txt").write_text("\n".join(map(str, labels)))
    labelled = ("--labels", "labels.txt", "--space", "torusN")
    code, out, said = run("evaluate", "a.fvecs", *labelled, "--json")
    assert code == 0, said
    assert json.loads(out)[0]["precision_at_1"] > 0.8
    assert run("few-shot", "a.fvecs", *labelled, "--shots", 1)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ("short.fbin", "--space", "torusN"),
            "short.fbin says that it has 60 rows of 8 numbers, which take 1928 bytes",
        ),
        (
            ("nan.fbin", "--space", "torusN"),
            "nan.fbin has a NaN or an infinity in row 50; every number must be finite.",
        ),
        (("a.fbin",), "a.fbin does not name the space of its rows; pass --space sphere, torusN or torusC."),
        (("a.u8bin", "--space", "torusN"), "a.u8bin holds uint8, but --space torusN takes raw floating-point numbers"),
        (("a.u8bin", "--bits", "4"), "in row 0; 4 bits have 0 to 15."),
        (("none.fvecs",), "there is no file none.fvecs; check its name."),
        (("broken.hdf5",), "broken.hdf5 is not a readable .hdf5 file"),
        (("broken.arrow",), "broken.arrow is not a readable .arrow file"),
    ],
)
def test_what_the_user_can_mend_is_one_sentence(run, arguments, complaint):
    write("a.fbin", RAW)
    write("a.u8bin", CODES)
    Path("short.fbin").write_bytes(Path("a.fbin").read_bytes()[:-3])
    write("nan.fbin", np.where(np.arange(60)[:, None] == 50, np.float32(np.nan), RAW))
    for name in ("broken.hdf5", "broken.arrow"):
        Path(name).write_bytes(b"not one of these")
    code, out, said = run("index", "build", *arguments, "--out", "i.index")
    assert (code, out) == (1, "")
    assert complaint in said
    assert "\n" not in said
    assert not Path("i.index").exists()


MEASURED = """
import sys
from pathlib import Path
from hypertorus.cli import index
from hypertorus.search import Index
import h5py, numpy

def peak():  # in bytes; the peak of getrusage would be that of the process that began this one, if it is larger
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024

Index(4).add(numpy.zeros((1, 4), numpy.uint8))
before = peak()
index.build(sys.argv[1], Path("i.index"), *sys.argv[2:], as_json=True, force=True)
print(peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from /proc")
@pytest.mark.parametrize("name", ["a.u8bin", "a.hdf5", "raw.fbin"])
def test_memory_does_not_grow_with_the_file(tmp_path, unmeasured, name):
    """Beyond the codes and ids of the index, building takes less memory than half of the file."""
    rows, path = 10**6, tmp_path / name
    if name == "raw.fbin":
        write_rows(path, ({"rows": np.ones((rows // 10, 32), np.float32)} for _ in range(10)))
    else:
        write_rows(path, ({"train": np.ones((rows // 10, 128), np.uint8)} for _ in range(10)))
    command = [sys.executable, "-c", MEASURED, name, *(["torusN"] if name == "raw.fbin" else [])]
    done = subprocess.run(command, cwd=tmp_path, env=unmeasured, capture_output=True, text=True, check=True)
    held = (tmp_path / "i.index").stat().st_size
    over = int(done.stdout.splitlines()[-1]) - held
    assert path.stat().st_size >= 128e6
    assert over < 60e6, f"{over / 1e6:.0f} MB over the {held / 1e6:.0f} MB of the index"
