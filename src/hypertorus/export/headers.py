"""Finds the C headers that an export copies; the library itself is built from the same files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

HEADERS = (
    "hypertorus.h",
    "hypertorus_angles.h",
    "hypertorus_asymmetric.h",
    "hypertorus_layers.h",
    "hypertorus_products.h",
    "hypertorus_convolutions.h",
    "hypertorus_stream.h",
    "hypertorus_statistics.h",
    "hypertorus_words.h",
    "hypertorus_pages.h",
)
"""Those of every export."""
EAR_TABLES = "ear_tables.h"
"""The settings and tables of an ear, which are written beside its headers."""
EAR_HEADERS = ("hypertorus_levels.h", "hypertorus_audio.h", "hypertorus_resonators.h")
"""Those that an export may have for its ear; `export/ear.py` says which."""


def header_files(names: Sequence[str] = HEADERS) -> list[Path]:
    """Return the paths of the installed headers that a microcontroller needs.

    >>> [path.name for path in header_files()] == list(HEADERS)
    True
    """
    folders = [Path(folder, "c") for folder in sys.modules["hypertorus.export"].__path__]  # two in an editable install
    for folder in folders:
        if all((folder / name).exists() for name in names):
            return [folder / name for name in names]
    raise ImportError(f"{names[-1]} is not in {folders[-1]}; install it from the source folder with: pip install .")
