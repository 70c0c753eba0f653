"""The file of an index: what is opened is what was saved, or it is an error."""

import json
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypertorus.codes import BITS
from hypertorus.search import METRICS, Index, IndexFileError
from hypertorus.search._file import header_checksum
from tests.search.examples import example, same

HERE = Path(__file__).parent


@given(
    n=st.sampled_from([1, 7, 8, 9, 100]),
    dim=st.integers(1, 40),
    bits=st.sampled_from(BITS),
    metric=st.sampled_from(list(METRICS)),
    labels=st.sampled_from([None, "numbers", "strings"]),
    removed=st.sampled_from([0, 0.2, 0.8, 1]),
    seed=st.integers(0, 99),
)
@settings(deadline=None, max_examples=60)
def test_what_is_opened_is_what_was_saved(tmp_path_factory, *, n, dim, bits, metric, labels, removed, seed):
    path = tmp_path_factory.mktemp("index") / "an index.safetensors"
    rng = np.random.default_rng(seed)
    given_labels = {None: None, "numbers": rng.integers(-9, 9, n), "strings": rng.choice(["a", "bé", '"'], n)}[labels]
    index = example(n, dim, bits, metric, seed=seed, labels=given_labels)
    index.remove(rng.choice(index.ids, int(removed * 2 * n), replace=False))
    index.save(path)
    for verify in (True, False):
        same(Index.open(path, verify=verify), index)
    opened = Index.open(path)
    before = path.read_bytes()
    assert opened.add(
        np.zeros((1, dim), np.uint8), labels=None if labels is None else given_labels[:1]
    ) > index.ids.max(initial=-1)
    opened.remove(opened.ids[::2])
    assert path.read_bytes() == before
    opened.save(path)
    same(Index.open(path), opened)
    assert len(opened) == (len(index) + 1) // 2


def test_pieces_make_no_difference_to_the_file(tmp_path, monkeypatch):
    index = example(500)
    index.remove(index.ids[::3])
    index.save(tmp_path / "whole")
    monkeypatch.setattr("hypertorus.search._write._BYTES_AT_ONCE", 1)
    told = []
    index.save(tmp_path / "pieces", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(index), len(index))
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "pieces").read_bytes()


@pytest.mark.parametrize("version", ["1", "2", "2_cells"])
@pytest.mark.parametrize("verify", [True, False])
def test_the_golden_file_of_every_version(version, verify):
    index = Index.open(HERE / "golden" / f"index_v{version}.safetensors", verify=verify)
    want = json.loads((HERE / "golden" / f"index_v{version}.json").read_text())
    assert repr(index).startswith(f"Index(dim=5, bits=4, metric='l2') of {len(want['ids'])} codes with labels")
    assert (index.cells > 0) == (version == "2_cells")
    assert index.ids.tolist() == want["ids"]
    assert index.vectors(index.ids).tolist() == want["codes"]
    assert index.labels.tolist() == want["labels"]
    assert not index.has_names if version == "1" else index.names_of(index.ids).tolist() == want["names"]
    found = index.search(np.array(want["queries"]), k=3)
    assert found.ids.tolist() == want["neighbours"]
    assert found.distances.tolist() == want["distances"]


def test_version_1_is_saved_as_the_current_version(tmp_path):
    index = Index.open(HERE / "golden" / "index_v1.safetensors")
    index.save(tmp_path / "index")
    same(Index.open(tmp_path / "index"), index)


@pytest.mark.parametrize("name", ["index_v2", "index_v2_cells"])
def test_the_golden_file_is_what_is_written_today(name, tmp_path):
    golden = HERE / "golden" / f"{name}.safetensors"
    Index.open(golden).save(tmp_path / "index")
    assert (tmp_path / "index").read_bytes() == golden.read_bytes()


def test_the_safetensors_library_reads_it(tmp_path):
    numpy_of_it = pytest.importorskip("safetensors.numpy", reason="the safetensors library is not installed")
    index = example(labels=["x", "y"] * 20)
    index.save(tmp_path / "index.safetensors")
    tensors = numpy_of_it.load_file(tmp_path / "index.safetensors")
    assert list(tensors) == ["codes", "ids", "labels", "label_name_ends", "label_names"]
    np.testing.assert_array_equal(tensors["ids"], index.ids)
    assert tensors["codes"].size == 80 * 16
    assert tensors["labels"].tolist() == [0, 1] * 40
    assert (bytes(tensors["label_names"]), tensors["label_name_ends"].tolist()) == (b"xy", [1, 2])


def test_an_opened_index_takes_no_memory_of_its_own(tmp_path):
    index = Index(64)
    index.add(np.random.default_rng(0).integers(0, 256, (100_000, 64), np.uint8))
    index.save(tmp_path / "index")
    needed = 100_000 * (64 + 8)
    assert (tmp_path / "index").stat().st_size < 1.001 * needed
    tracemalloc.start()
    opened = Index.open(tmp_path / "index")
    opened.search(index.vectors([5, 99_999]), k=1)
    assert 5 in opened
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.05 * needed
    assert opened.nbytes == needed


def rewritten(path, change, *, alignment=64):
    """The file with another header, whose checksum fits."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    change(header)
    header["__metadata__"]["checksum.header"] = header_checksum(header)
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % alignment)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[start:])


@pytest.mark.parametrize(
    "name, value, error",
    [
        ("format", "other", "is a safetensors file but no index; make one with: hypertorus index build"),
        ("format_version", "3", "has format version '3', not '1' or '2'; update hypertorus"),
        ("layout", "0", "has layout '0', not '1'"),
        ("dim", "0", "speaks of dim 0, bits 8, metric 'cosine', ascending 'false', which no index has"),
        ("dim", "65536", "has dim '65536', not a number from 0 to 65535; it is damaged"),
        ("bits", "3", "speaks of dim 9, bits 3"),
        ("metric", "dot", "metric 'dot'"),
        ("ascending", "maybe", "ascending 'maybe'"),
        ("ascending", "true", "has ids that do not ascend as it says"),
        ("count", "-1", "has count '-1', not a number from 0 to"),
        ("count", "79", r"has tensors codes U8 \[1280\], ids I64 \[80\], not codes U8 \[1280\], ids I64 \[79\]"),
        ("count", "9" * 30, "has count '999"),
        ("next_id", "5", "has ids outside 0 to 4; it is damaged"),
        ("label_names", '["a"]', "has label names that are no list of strings"),
        ("checksum.ids", "00000000", "is damaged: the checksum of its ids is wrong; save it anew"),
    ],
)
def test_an_impossible_header_is_refused(tmp_path, name, value, error):
    path = tmp_path / "index.safetensors"
    example().save(path)
    rewritten(path, lambda header: header["__metadata__"].update({name: value}))
    with pytest.raises(IndexFileError, match=error):
        Index.open(path)


@pytest.mark.parametrize(
    "names, error",
    [
        ("[", "has label names that are no list of strings"),
        ("[" * 100_000, "has label names that are no list of strings"),
        ('{"a": 1}', "has label names that are no list of strings"),
        ('["a", 2]', "has label names that are no list of strings"),
        ('["a"]', "has labels without a name"),
    ],
)
def test_impossible_names_of_version_1_are_refused(tmp_path, names, error):
    path = tmp_path / "index.safetensors"
    path.write_bytes((HERE / "golden" / "index_v1.safetensors").read_bytes())
    rewritten(path, lambda header: header["__metadata__"].update(label_names=names))
    with pytest.raises(IndexFileError, match=error):
        Index.open(path)


def test_a_label_without_a_name_is_refused(tmp_path):
    path = tmp_path / "index.safetensors"
    index = example(labels=["a", "b"] * 20)
    index._state.segments[0].labels[7] = 2
    with pytest.raises(IndexError):
        index.save(path)
    index._state.segments[0].labels[7] = 1
    index.save(path)
    data = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(data[:8], "little")
    begin, end = json.loads(data[8:start])["labels"]["data_offsets"]
    data[start + begin] = 2
    path.write_bytes(data)
    checksum = f"{zlib.crc32(data[start + begin : start + end]):08x}"
    rewritten(path, lambda header: header["__metadata__"].update({"checksum.labels": checksum}))
    with pytest.raises(IndexFileError, match="has labels without a name"):
        Index.open(path)


def test_tensors_that_are_not_aligned_are_refused(tmp_path):
    path = tmp_path / "index.safetensors"
    example().save(path)
    rewritten(path, lambda _: None, alignment=1)
    with pytest.raises(IndexFileError, match="no multiple of 64; save it anew"):
        Index.open(path)


@pytest.mark.parametrize(
    "change, error",
    [
        (lambda h: h["ids"].update(dtype="F64"), "has tensors codes U8 .*, ids F64"),
        (lambda h: h["ids"].update(dtype="I32", shape=[160]), "has tensors codes U8 .*, ids I32"),
        (lambda h: h["ids"].update(dtype="X9"), "describes tensor 'ids' wrongly"),
        (lambda h: h["ids"].update(shape=[-80]), "describes tensor 'ids' wrongly"),
        (lambda h: h["ids"].update(shape=[2**62, 4]), "describes tensor 'ids' wrongly"),
        (lambda h: h["ids"].update(data_offsets=[0, 640]), "has tensors that overlap or leave gaps"),
        (lambda h: h["ids"].update(data_offsets=[1281, 1921]), "has tensors that overlap or leave gaps"),
        (lambda h: h.pop("ids"), "bytes after its header, not the 1280 that the header describes"),
        (lambda h: h.update(labels={"dtype": "I64", "shape": [0], "data_offsets": [1920, 1920]}), "has tensors codes"),
        (lambda h: h["__metadata__"].update(dim=9), "has metadata that are not strings"),
    ],
)
def test_an_impossible_tensor_is_refused(tmp_path, change, error):
    path = tmp_path / "index.safetensors"
    example().save(path)
    rewritten(path, change)
    with pytest.raises(IndexFileError, match=error):
        Index.open(path)


def test_a_flip_in_any_byte_and_every_cut_is_noticed(tmp_path):
    path = tmp_path / "index.safetensors"
    index = example(n=3, dim=3, labels=["x", "y", "z"])
    index.save(path)
    whole = path.read_bytes()
    blanks = whole.index(b" " * 8)  # the padding of the header may hold any blank
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << at % 8
        path.write_bytes(damaged)
        try:
            opened = Index.open(path)
        except IndexFileError:
            continue
        same(opened, index)
        assert at >= blanks
        assert chr(damaged[at]) in " \t\r\n"
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(IndexFileError, match=r"cut short|no readable header|damaged"):
            Index.open(path)


def test_without_verification_the_header_is_still_checked(tmp_path):
    path = tmp_path / "index.safetensors"
    example().save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    Index.open(path, verify=False)
    with pytest.raises(IndexFileError, match="the checksum of its ids is wrong"):
        Index.open(path)
    path.write_bytes(whole.replace(b'"dim":"9"', b'"dim":"8"'))
    with pytest.raises(IndexFileError, match="the checksum of its header is wrong"):
        Index.open(path, verify=False)


@pytest.mark.parametrize(
    "data", [b"", b"\x93NUMPY", b"\x00" * 100, b"PK\x03\x04" * 50, (8).to_bytes(8, "little") + b"[1, 2,3]" + b"x" * 9]
)
def test_foreign_files_are_refused(tmp_path, data):
    (tmp_path / "index").write_bytes(data)
    with pytest.raises(IndexFileError, match="not a safetensors file"):
        Index.open(tmp_path / "index")


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.safetensors"):
        Index.open(tmp_path / "nowhere.safetensors")
    with pytest.raises(FileNotFoundError):
        example().save(tmp_path / "no folder" / "index")


def test_some_seconds_of_fuzzing():
    command = [sys.executable, HERE / "fuzz_file.py", "--seconds", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_checksums_are_what_the_page_says(tmp_path):
    index = example()
    index.save(tmp_path / "index")
    data = (tmp_path / "index").read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    assert start % 64 == 0
    for name in ("codes", "ids"):
        begin, end = header[name]["data_offsets"]
        assert header["__metadata__"][f"checksum.{name}"] == f"{zlib.crc32(data[start + begin : start + end]):08x}"
    np.testing.assert_array_equal(np.frombuffer(data[start + begin :], "<i8"), index.ids)


def test_more_strings_than_a_header_holds_are_opened_again(tmp_path, monkeypatch):
    monkeypatch.setattr("hypertorus.files.tensors._LONGEST_HEADER", 5000)
    index = Index(2)
    labels = [f"label {i}" for i in range(10_000)]
    index.add(np.zeros((10_000, 2), np.uint8), labels=labels)
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    assert opened.labels.tolist() == labels
    assert opened.labels_of([7]).tolist() == ["label 7"]


def test_an_opened_index_reads_no_names_until_they_are_asked_for(tmp_path):
    index = Index(1)
    index.add(np.zeros((50_000, 1), np.uint8), names=[f"the name of {i}" for i in range(50_000)])
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index", verify=False)
    tracemalloc.start()
    opened.add(np.zeros((1, 1), np.uint8), names=["new"])
    opened.remove([5])
    assert opened.names_of([49_999, 50_000]).tolist() == ["the name of 49999", "new"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_what_is_read_into_memory_does_not_change_with_the_file(tmp_path):
    index = example(labels=["x", "y"] * 20)
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index", mmap=False)
    with (tmp_path / "index").open("r+b") as file:
        file.truncate(100)
    same(opened, index)
