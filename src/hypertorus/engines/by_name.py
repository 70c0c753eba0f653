"""The engines by name; the library of each is imported when it is asked for."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from hypertorus.engines.folder import engine_name
from hypertorus.engines.protocol import Engine


class Place(NamedTuple):
    """Where an engine is: its class, the module of this room, and the library that it needs."""

    attribute: str
    module: str
    library: str


ENGINES = {
    "exact": Place("Exact", "exact", "numpy"),
    "exact-cells": Place("ExactCells", "exact", "numpy"),
    "usearch": Place("UsearchGraph", "usearch_graph", "usearch"),
    "faiss-flat": Place("FaissFlat", "faiss_binary", "faiss"),
    "faiss-ivf": Place("FaissCells", "faiss_binary", "faiss"),
    "faiss-hnsw": Place("FaissGraph", "faiss_binary", "faiss"),
}


def engine(name: str) -> type[Engine]:
    """The engine of this name, to be built of codes.

    >>> import numpy as np
    >>> codes = np.arange(20, dtype=np.uint8).reshape(10, 2)
    >>> engine("exact").build(codes, metric="l1").search(codes[:1], k=3).ids
    array([[0, 1, 2]])
    """
    if name not in ENGINES:
        raise ValueError(f"engine is {name!r}; there are {', '.join(ENGINES)}.")
    attribute, module, _ = ENGINES[name]
    found: type[Engine] = getattr(import_module(f"hypertorus.engines.{module}"), attribute)
    return found


def open_engine(folder: str | os.PathLike[str], *, mmap: bool = True) -> Engine:
    """The engine that was saved to a folder, whichever it is."""
    return engine(engine_name(Path(folder))).open(folder, mmap=mmap)


def installed() -> list[str]:
    """Names of the engines whose library is installed."""
    return [name for name, place in ENGINES.items() if find_spec(place.library) is not None]
