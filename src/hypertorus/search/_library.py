"""The shared library that scans, through ctypes: found in this package, its functions typed, its errors raised.

ctypes lets go of the interpreter lock during a call, so calls of several threads run at once.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import c_char, c_char_p, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hypertorus.codes import check_bits

METRICS = {"cosine": 2, "l1": 0, "l2": 1}
"""The metrics by name, as the library numbers them."""
TABLES = "tables"
"""The metric of codes that are no angles, such as those of a plain coder, which are compared with tables alone."""

LARGEST_DIM = 65_535

_FILE = {"win32": "hypertorus.dll", "darwin": "libhypertorus.dylib"}.get(sys.platform, "libhypertorus.so")
_INTERFACE = 3
_STORE = [c_void_p, c_uint32, c_uint32, c_uint32, c_uint64, c_uint64]  # blocks, dim, bits, metric, first, last
_CODES = [c_void_p, c_uint32, c_uint32, c_uint64, c_uint64]  # blocks, dim, bits, first, last
_LISTS = [c_void_p, c_void_p, c_void_p, c_void_p, c_uint64]  # distances, ids, counts or resume, scratch and its size
_PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "ht_version": (c_uint32, []),
    "ht_error_text": (c_char_p, [c_int32]),
    "ht_isa_name": (c_char_p, []),
    "ht_isa_supported": (c_int32, [c_char_p]),
    "ht_isa_use": (c_int32, [c_char_p]),
    "ht_distances": (c_int32, [c_void_p, c_uint64, c_void_p, c_uint64, c_uint32, c_uint32, c_uint32, c_void_p]),
    "ht_block_bytes": (c_int64, [c_uint64, c_uint32, c_uint32]),
    "ht_block_put": (c_int32, [c_void_p, c_uint32, c_uint32, c_uint64, c_void_p, c_uint64]),
    "ht_block_get": (c_int32, [c_void_p, c_uint32, c_uint32, c_void_p, c_uint64, c_void_p]),
    "ht_scratch_bytes": (c_int64, [c_uint32, c_uint32, c_uint64]),
    "ht_scan": (c_int32, [*_STORE, c_void_p, c_int32, c_void_p, c_void_p, c_uint64, c_uint64, *_LISTS]),
    "ht_radii": (
        c_int32,
        [c_void_p, c_uint64, c_void_p, c_uint64, c_void_p, c_uint32, c_uint32, c_uint32, c_void_p],
    ),
    "ht_points": (c_int32, [c_void_p, c_uint64, c_uint32, c_uint32, c_void_p]),
    "ht_search_bytes": (c_int64, [c_void_p, c_uint64, c_void_p]),
    "ht_search": (c_int32, [c_void_p, c_void_p, c_uint64, c_uint64, *[c_void_p] * 5, c_uint64]),
    "ht_search_among": (
        c_int32,
        [*[c_void_p, c_void_p, c_uint64] * 1, c_void_p, c_uint64, c_uint64, *[c_void_p] * 3, c_uint64],
    ),
    "ht_parts": (c_int64, [c_void_p, c_void_p, c_uint32, c_void_p, c_void_p, c_uint64]),
    "ht_coarse_bytes": (c_int64, [c_uint64, c_uint32, c_uint32]),
    "ht_coarse_put": (c_int32, [c_void_p, *[c_uint32] * 4, c_uint64, c_void_p, c_uint64]),
    "ht_coarse_search_bytes": (c_int64, [c_void_p, c_uint64, c_uint64]),
    "ht_coarse_search": (c_int32, [c_void_p, c_void_p, *[c_uint64] * 3, *[c_void_p] * 6, c_uint64]),
    "ht_heap_merge": (c_int32, [c_void_p] * 6 + [c_uint64, c_uint64]),
    "ht_heap_sort": (c_int32, [c_void_p] * 3 + [c_uint64, c_uint64]),
    "ht_within": (c_int64, [*_STORE, c_void_p, c_void_p, c_void_p, c_uint32, c_uint64, *_LISTS]),
    "ht_counting_at": (c_int32, [c_void_p, c_void_p, c_uint64, c_void_p]),
    "ht_turn_tables": (c_int32, [c_void_p, c_uint64, c_uint32, c_uint32, c_uint32, c_void_p]),
    "ht_sums": (c_int32, [*_CODES, c_void_p, c_void_p]),
    "ht_tables_bytes": (c_int64, [c_uint32, c_uint32, c_uint64]),
    "ht_scan_tables": (c_int32, [*_CODES, c_void_p, c_int32, c_void_p, c_void_p, c_uint64, c_uint64, *_LISTS]),
    "ht_within_tables": (c_int64, [*_CODES, c_void_p, c_void_p, c_void_p, c_uint32, c_uint64, *_LISTS]),
}


class Store(ctypes.Structure):
    """`ht_store_t`: a run of stored codes."""

    _fields_ = [
        *((name, c_void_p) for name in ("blocks", "ids", "allowed")),
        *((name, c_uint64) for name in ("count", "ascending", "arranged", "cells")),
        *((name, c_void_p) for name in ("centres", "rows", "ends", "reaches", "samples")),
    ]


class StoreList(ctypes.Structure):
    """`ht_index_t`: everything that stays the same from search to search."""

    _fields_ = [
        *((name, c_uint32) for name in ("dim", "bits", "metric", "n_stores")),
        ("stores", ctypes.POINTER(Store)),
    ]


class CoarseStore(ctypes.Structure):
    """`ht_coarse_t`: stored codes and their coarse part."""

    _fields_ = [
        *((name, c_void_p) for name in ("strips", "blocks", "ids", "allowed")),
        ("count", c_uint64),
        *((name, c_uint32) for name in ("coordinates", "coarse_bits", "dim", "bits", "metric")),
    ]


class Asked(ctypes.Structure):
    """`ht_asked_t`: what may be asked of a search besides the nearest, and what it then tells."""

    _fields_ = [("most_cells", c_uint64), ("looked_at", c_uint64), ("proved", c_void_p), ("radius", c_uint64)]

    def __init__(self, most_cells: int = 0, proved: int | None = None, radius: int = 2**32 - 1) -> None:
        super().__init__(most_cells, 0, proved, radius)


def address(array: npt.NDArray[Any] | None) -> int | None:
    """Return the address of the first number of an array."""
    return None if array is None else array.ctypes.data


def address_of(array: npt.NDArray[Any]) -> int:
    """As `address`, in a fifth of the time: for small searches, and arrays that may be written to."""
    return ctypes.addressof(c_char.from_buffer(array))  # type: ignore[arg-type]


def call(name: str, *arguments: Any) -> int:
    """Call a function of the library; arrays go as pointers and None as null, a negative answer is raised."""
    pointers = [argument.ctypes.data if isinstance(argument, np.ndarray) else argument for argument in arguments]
    return check(name, getattr(library(), name)(*pointers))


def check(name: str, answer: int) -> int:
    """Return the answer of a function; a negative one is raised."""
    if answer < 0:
        raise ValueError(f"the native core refused {name}: {library().ht_error_text(answer).decode()}.")
    return answer


@cache
def library() -> ctypes.CDLL:
    folders = [
        Path(folder) for folder in sys.modules["hypertorus.search"].__path__
    ]  # two where it is installed editable
    path = next((folder / _FILE for folder in folders if (folder / _FILE).exists()), None)
    if path is None:
        raise ImportError(f"{_FILE} is not in {folders[-1]}; build it from the source folder with: pip install .")
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"{path} does not load ({error}); build it for this machine with: pip install .") from error
    for name, (answer, arguments) in _PROTOTYPES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = answer, arguments
    if loaded.ht_version() != _INTERFACE:
        found = loaded.ht_version()
        raise ImportError(f"{_FILE} has interface {found}, not {_INTERFACE}; build it anew with: pip install .")
    return loaded


def metric_number(metric: str) -> int:
    check_angles(metric)
    if metric not in METRICS:
        raise ValueError(f"metric is {metric!r}; there are {', '.join(map(repr, METRICS))}.")
    return METRICS[metric]


def check_angles(metric: str) -> None:
    """Raise an error for codes that are no angles: no distance of theirs means anything."""
    if metric == TABLES:
        raise ValueError(
            f"metric is {TABLES!r}: these codes are no angles; search them by the coder that made them (coder.search, "
            "hypertorus search --coder), or fit a coder whose codes are: fit-codes --use cells"
        )


def metric_address(
    metric: str,
    bits: int = 8,
    kind: Literal["u32", "f32"] = "u32",
    counting: Literal["coordinates", "bytes"] = "coordinates",
) -> int:
    """The address of the C function that measures between two packed codes, for engines that take a custom metric.

    Its type is `uint32_t f(const uint8_t *a, const uint8_t *b, uint64_t dim)`, or with `kind="f32"` the same
    returning a float. Engines that know a vector by its bytes take one that is `counting="bytes"`, which returns a
    float: below 8 bits these are fewer than the coordinates, and the other form would not look at all of them.

    >>> measure = ctypes.CFUNCTYPE(c_uint32, c_char_p, c_char_p, c_uint64)(metric_address("l1"))
    >>> measure(bytes([250, 7]), bytes([1, 7]), 2)
    7
    """
    metric_number(metric)
    if kind not in ("u32", "f32"):
        raise ValueError(f"kind is {kind!r}; the distance comes as 'u32' or 'f32'.")
    if counting not in ("coordinates", "bytes") or (counting, kind) == ("bytes", "u32"):
        raise ValueError(f"counting is {counting!r} and kind {kind!r}; pass 'coordinates', or 'bytes' with kind 'f32'.")
    suffix = {"u32": "", "f32": "_f32"}[kind]
    name = f"ht_{metric}_u{check_bits(bits)}" + ("_bytes" if counting == "bytes" else "") + suffix
    return ctypes.cast(getattr(library(), name), c_void_p).value or 0


def isa_name() -> str:
    """The instruction set that scans: the best this processor has, or what `HYPERTORUS_ISA` or `use_isa` asks for."""
    name = library().ht_isa_name()
    if name is None:
        raise ValueError("HYPERTORUS_ISA names no instruction set that this processor runs; unset it.")
    return str(name.decode())


def use_isa(name: str) -> None:
    """Scan with this instruction set from now on; the results are the same with every one."""
    call("ht_isa_use", name.encode())


def isas() -> list[str]:
    """The instruction sets that this processor runs."""
    names = ("serial", "neon", "avx2", "avx512", "avx512vnni")
    return [name for name in names if library().ht_isa_supported(name.encode()) == 1]


def aligned(size: int) -> npt.NDArray[np.uint8]:
    """`size` bytes of memory that begin at a cache line, and hold anything."""
    memory = np.empty(size + 63, np.uint8)
    offset = -memory.ctypes.data % 64
    return memory[offset : offset + size]
