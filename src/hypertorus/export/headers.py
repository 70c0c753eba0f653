"""Finds the C headers that an export copies; the library itself is built from the same files."""

from __future__ import annotations

import sys
from pathlib import Path

HEADERS = (
    "hypertorus.h",
    "hypertorus_angles.h",
    "hypertorus_asymmetric.h",
    "hypertorus_layers.h",
    "hypertorus_convolutions.h",
)


def header_files() -> list[Path]:
    """Return the paths of the installed headers that a microcontroller needs.

    >>> [path.name for path in header_files()][0]
    'hypertorus.h'
    """
    folders = [Path(folder, "c") for folder in sys.modules["hypertorus.export"].__path__]  # two in an editable install
    for folder in folders:
        if all((folder / name).exists() for name in HEADERS):
            return [folder / name for name in HEADERS]
    raise ImportError(f"{HEADERS[0]} is not in {folders[-1]}; install it from the source folder with: pip install .")
