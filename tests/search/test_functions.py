"""Search and distances on plain arrays are the literal formulas, on every instruction set, with any input."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hypertorus import TorusN
from hypertorus.codes import BITS, pack, quantise
from hypertorus.search import METRICS, Neighbours, _library, distances, isa_name, metric_address, nearest, use_isa


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("metric", METRICS)
def test_all_pairs_of_coordinates(isa, oracle, metric, bits):
    assert isa_name() == isa
    every = np.arange(2**bits, dtype=np.uint8)[:, None]
    want = oracle.distances(every, every, metric, bits)
    np.testing.assert_array_equal(distances(every, every, metric, bits), want)
    found = nearest(every, every, 2**bits, metric, bits)
    np.testing.assert_array_equal(np.take_along_axis(want, found.ids, axis=1), found.distances)
    np.testing.assert_array_equal(np.sort(found.ids), np.broadcast_to(every.T, want.shape))


@given(
    bits=st.sampled_from(BITS),
    metric=st.sampled_from(list(METRICS)),
    n=st.integers(1, 60),
    dim=st.integers(1, 70),
    nq=st.integers(1, 9),
    k=st.integers(1, 70),
    spread=st.sampled_from([1, 2, 256]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None, max_examples=300)
def test_neighbours_are_those_of_the_literal_formula(oracle, *, bits, metric, n, dim, nq, k, spread, seed):
    rng = np.random.default_rng(seed)
    codes, queries = (rng.integers(0, min(spread, 2**bits), (rows, dim)) for rows in (n, nq))
    ids, want = oracle.search(np.arange(n), codes, queries, k, metric, bits=bits)
    found = nearest(codes, queries, k, metric, bits=bits)
    np.testing.assert_array_equal(found.ids, ids)
    np.testing.assert_array_equal(found.distances, want)
    np.testing.assert_array_equal(
        distances(queries, codes, metric, bits), oracle.distances(queries, codes, metric, bits)
    )


@pytest.mark.parametrize("dim", [1, 8, 9, 63, 1000, 65_535])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("bits", [8, 1])
def test_the_furthest_codes_of_any_width(isa, metric, dim, bits):
    codes = np.zeros((9, dim), np.uint8)
    codes[3:] = 2 ** (bits - 1)
    half_turn = {"l1": 2 ** (bits - 1), "l2": 4 ** (bits - 1), "cosine": 2**15}[metric]
    found = nearest(codes, codes[:1], 9, metric, bits)
    assert found.ids.tolist() == [list(range(9))], isa
    assert found.distances.tolist() == [[0] * 3 + [dim * half_turn] * 6]


@pytest.mark.parametrize("nq", [1, 7, 100])
@pytest.mark.parametrize("metric", METRICS)
def test_threads_and_instruction_sets_change_nothing(isa, oracle, metric, nq):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (70_000, 24), np.uint8)  # full of ties
    queries = rng.integers(0, 3, (nq, 24), np.uint8)
    wanted = oracle.search(np.arange(len(codes)), codes, queries[:3], 20, metric)
    one = nearest(codes, queries, 20, metric, threads=1)
    np.testing.assert_array_equal(one.ids[:3], wanted[0], isa)
    np.testing.assert_array_equal(one.distances[:3], wanted[1])
    for threads in (2, 3, 8):
        order = rng.permutation(nq)  # so that memory which was used before cannot pass for an answer
        found = nearest(codes, queries[order], 20, metric, threads=threads)
        np.testing.assert_array_equal(found.ids, one.ids[order])
        np.testing.assert_array_equal(found.distances, one.distances[order])


def test_every_kind_of_array_is_taken(oracle):
    codes = np.random.default_rng(0).integers(0, 100, (20, 6))
    ids, want = oracle.search(np.arange(20), codes, codes[:2], 3, "cosine")
    wide = np.repeat(codes, 2, axis=1)
    kinds = [codes.astype(dtype) for dtype in "bBhHiIlLqQ"]
    kinds += [wide[:, ::2], np.asfortranarray(codes), codes[::-1][::-1], codes.astype(">u2")]
    kinds += [torch.from_numpy(codes), torch.from_numpy(codes).to(torch.uint8), torch.from_numpy(wide)[:, ::2]]
    for kind in kinds:
        found = nearest(kind, kind[:2], 3)
        assert isinstance(found, Neighbours)
        assert (found.ids.dtype, found.distances.dtype) == (np.int64, np.uint32)
        np.testing.assert_array_equal(found.ids, ids)
        np.testing.assert_array_equal(found.distances, want)
    read_only = codes.astype(np.uint8)
    read_only.flags.writeable = False
    np.testing.assert_array_equal(nearest(read_only, read_only[:2], 3).ids, ids)


@pytest.mark.parametrize("bits", BITS)
def test_floats_are_turns(bits):
    turns = TorusN(12).turns(np.random.default_rng(0).normal(size=(30, 12)))
    queries = turns[:4] if bits < 8 else quantise(turns[:4], bits)  # below 8 bits queries are not rounded
    want = nearest(quantise(turns, bits), queries, bits=bits)
    for kind in (turns, torch.from_numpy(turns)):
        np.testing.assert_array_equal(tuple(nearest(kind, kind[:4], bits=bits)), tuple(want))


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("metric", METRICS)
def test_addresses_are_of_the_same_metrics(oracle, metric, bits):
    a, b = np.random.default_rng(0).integers(0, 2**bits, (2, 1, 37), np.uint8)
    rows = [pack(row, bits).tobytes() for row in (a, b)]
    want = oracle.distances(a, b, metric, bits)[0, 0]
    for kind, answer in (("u32", ctypes.c_uint32), ("f32", ctypes.c_float)):
        measure = ctypes.CFUNCTYPE(answer, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64)
        assert measure(metric_address(metric, bits, kind))(*rows, 37) == want


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dim", [37, 65_535])
def test_addresses_that_count_bytes_look_at_every_coordinate(metric, bits, dim):
    a, b = np.random.default_rng(0).integers(0, 2**bits, (2, 1, dim), np.uint8)
    rows = [pack(row, bits) for row in (a, b)]
    measure = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
    found = measure(metric_address(metric, bits, "f32", "bytes"))(*(row.ctypes.data for row in rows), rows[0].size)
    assert found == np.float32(distances(a, b, metric, bits)[0, 0])


CODES = np.zeros((4, 3), np.uint8)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"codes": CODES[0]}, r"codes has shape \(3,\); pass a matrix \[vectors, coordinates\]"),
        ({"codes": CODES[:0]}, r"codes has shape \(0, 3\), which is empty; pass at least one row"),
        ({"codes": CODES[:, :0]}, "dim is 0; it must be a whole number from 1 to 65535"),
        ({"codes": np.zeros((1, 65_536), np.uint8)}, "dim is 65536"),
        ({"codes": CODES + np.uint16(256)}, "codes holds 256 in row 0; a coordinate of 8 bits is 0 to 255"),
        ({"codes": CODES - np.int8(1)}, "codes holds -1 in row 0"),
        ({"codes": CODES + np.nan}, "codes holds nan in row 0; turns are in"),
        ({"queries": CODES[:0]}, r"queries has shape \(0, 3\), which is empty"),
        ({"queries": CODES[:, :2]}, r"queries has shape \(4, 2\); pass a matrix \[vectors, 3\]"),
        ({"queries": CODES[0]}, r"queries has shape \(3,\); pass a matrix \[vectors, 3\]"),
        ({"queries": CODES + 4, "bits": 2}, "queries holds 4 in row 0; a coordinate of 2 bits is 0 to 3"),
        ({"k": 0}, "k is 0; it must be a whole number of at least 1"),
        ({"k": 1.5}, "k is 1.5"),
        ({"k": True}, "k is True"),
        ({"metric": "hamming"}, "metric is 'hamming'; there are 'cosine', 'l1', 'l2'"),
        ({"bits": 3}, "bits is 3; a coordinate has 8, 4, 2 or 1"),
        ({"threads": 0}, "threads is 0; it must be a whole number of at least 1, or None for all cores"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, error):
    with pytest.raises(ValueError, match=error):
        nearest(**{"codes": CODES, "queries": CODES, **arguments})


@pytest.mark.parametrize("wrong", [[[1, 2, 3]], "abc", None])
def test_what_is_no_array_is_refused(wrong):
    with pytest.raises(TypeError, match=r"queries is a .*; pass a numpy array or a torch tensor"):
        nearest(CODES, wrong)


@pytest.mark.parametrize("dtype", [bool, complex, object, "U3"])
def test_what_holds_no_numbers_is_refused(dtype):
    with pytest.raises(TypeError, match=r"codes holds .*; pass integer codes, or turns as floating-point numbers"):
        nearest(CODES.astype(dtype), CODES)


def run_python(code, **environment):
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    return (done.stdout or done.stderr).strip().splitlines()[-1]


def test_the_environment_chooses_the_instruction_set():
    assert run_python("from hypertorus.search import *; print(isa_name())", HYPERTORUS_ISA="serial") == "serial"
    scan = "from hypertorus.search import *; import numpy as np; a = np.zeros((2, 2), int); nearest(a, a)"
    names = "serial, avx2, avx512, avx512vnni or neon"
    assert run_python(scan, HYPERTORUS_ISA="mmx").endswith(f"HYPERTORUS_ISA must be {names}.")
    name = "from hypertorus.search import *; isa_name()"
    assert "names no instruction set that this processor runs; unset it" in run_python(name, HYPERTORUS_ISA="mmx")


@pytest.mark.parametrize(
    "file, error",
    [
        ("libmissing.so", r"libmissing.so is not in .*search; build it from the source folder with: pip install \."),
        ("__init__.py", r"__init__.py does not load \(.*\); build it for this machine with: pip install \."),
    ],
)
def test_a_library_that_is_not_there_says_how_to_build_it(monkeypatch, file, error):
    monkeypatch.setattr(_library, "_FILE", file)
    _library.library.cache_clear()
    try:
        with pytest.raises(ImportError, match=error):
            nearest(CODES, CODES)
    finally:
        _library.library.cache_clear()


def test_unknown_instruction_sets_and_kinds_are_refused():
    with pytest.raises(ValueError, match="must be serial, avx2, avx512, avx512vnni or neon"):
        use_isa("mmx")
    with pytest.raises(ValueError, match="kind is 'f64'; the distance comes as 'u32' or 'f32'"):
        metric_address("l1", 8, "f64")
    with pytest.raises(ValueError, match="counting is 'bytes' and kind 'u32'"):
        metric_address("l1", 8, "u32", "bytes")
