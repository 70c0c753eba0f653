"""Data as commands read them: with a bar, and what was left out said in a line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hypertorus.files.progress import Progress, bar

if TYPE_CHECKING:
    from hypertorus.datasets import Data


def read(source: str, **options: Any) -> Data:
    """What `read_data` reads."""
    from hypertorus.datasets import read_data

    with telling("reading") as progress:
        return read_data(source, progress=progress, **options)


@contextmanager
def telling(what: str) -> Iterator[Progress]:
    """A bar for work that may leave things out: its warnings become lines after it."""
    with warnings.catch_warnings(record=True) as caught, bar(what) as progress:
        warnings.simplefilter("always", category=UserWarning)
        yield progress
    for warning in caught:
        sys.stderr.write(f"hypertorus: {warning.message}\n")
