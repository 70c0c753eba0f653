"""Data as commands read them: with a bar, and what was left out said in a line."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

from hypertorus._progress import bar

if TYPE_CHECKING:
    from hypertorus.learn.data import Data


def read(source: str, **options: Any) -> Data:
    """What `read_data` reads."""
    from hypertorus.learn.data import read_data

    with warnings.catch_warnings(record=True) as caught, bar("reading") as progress:
        warnings.simplefilter("always", category=UserWarning)
        data = read_data(source, progress=progress, **options)
    for warning in caught:
        sys.stderr.write(f"hypertorus: {warning.message}\n")
    return data
