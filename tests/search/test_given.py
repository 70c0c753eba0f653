"""What is given to an index: numbers at the end of their range, masked arrays, long strings, numbers of numpy."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from hypertorus.search import Index

CODES = np.arange(6, dtype=np.uint8).reshape(3, 2)


def test_the_last_ids_are_whole_numbers():
    index = Index(2)
    index.add(CODES[:1], [2**63 - 3])
    ids = index.add(CODES[:2])
    assert ids.dtype == np.int64
    assert ids.tolist() == [2**63 - 2, 2**63 - 1]
    assert index.ids.tolist() == [2**63 - 3, 2**63 - 2, 2**63 - 1]


def test_numbers_of_numpy_are_numbers(tmp_path):
    index = Index(np.int64(2), np.int64(4))
    assert type(index.dim) is type(index.bits) is int
    index.add(CODES)
    index.save(tmp_path / "index")
    assert Index.open(tmp_path / "index").search(CODES, k=np.int64(1), threads=np.int64(1)).ids[:, 0].tolist() == [
        0,
        1,
        2,
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        {"codes": np.ma.array(CODES, mask=CODES == 2)},
        {"codes": CODES, "ids": np.ma.array([5, 6, 7], mask=[0, 1, 0])},
        {"codes": CODES, "labels": np.ma.array([5, 6, 7], mask=[0, 1, 0])},
        {"codes": CODES, "names": np.ma.array(["a", "b", "c"], mask=[0, 1, 0])},
    ],
)
def test_masked_entries_are_refused(arguments):
    index = Index(2)
    with pytest.raises(ValueError, match="has masked entries, which have no value; leave them out, or fill them"):
        index.add(**arguments)
    assert len(index) == 0
    unmasked = {name: np.ma.array(np.asarray(given)) for name, given in arguments.items()}
    assert len(index.add(**unmasked)) == 3


def test_a_masked_filter_leaves_out_what_is_masked():
    index = Index(2)
    index.add(CODES)
    where = np.ma.array([True, True, True], mask=[False, True, False])
    assert index.search(CODES[1:2], k=3, where=where).ids.tolist() == [[0, 2, -1]]
    with pytest.raises(ValueError, match="where has masked entries"):
        index.search(CODES, where=np.ma.array([0, 1], mask=[False, True]))
    with pytest.raises(ValueError, match="queries has masked entries"):
        index.search(np.ma.array(CODES, mask=CODES == 2))


def test_one_long_string_takes_its_own_memory_only(tmp_path):
    strings = [f"{i % 50}" for i in range(5000)]
    strings[7] = "long" * 5000
    index = Index(2)
    codes = np.zeros((5000, 2), np.uint8)
    tracemalloc.start()
    index.add(codes, labels=strings, names=strings)
    index.add(codes, labels=np.array(strings, object), names=np.array(strings, object))
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    opened.add(codes[:1], labels=["new"], names=["new"])
    assert opened.labels_of([7, 8]).tolist() == opened.names_of([7, 8]).tolist() == [strings[7], "8"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000


def test_strings_come_back_as_they_were(tmp_path):
    strings = ["\udcff.wav", "a\0b", "\0", ""]
    index = Index(2)
    index.add(np.zeros((4, 2), np.uint8), labels=strings, names=strings)
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    assert opened.labels.tolist() == opened.names_of([0, 1, 2, 3]).tolist() == ["\udcff.wav", "a\0b", "", ""]


def test_an_index_is_searched_at_exit():
    code = """
import atexit, numpy as np
from hypertorus.search import Index, _scan
_scan._WORTH_A_THREAD = 1
index = Index(8)
index.add(np.zeros((50_000, 8), np.uint8))
atexit.register(lambda: print(index.search(np.zeros((64, 8), np.uint8), k=1, threads=4).ids.sum()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("0\n", "")
