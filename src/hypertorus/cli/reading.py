"""Reads data for commands, with a progress bar, and prints warnings as lines on stderr."""

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
    """Return the data set that `read_data` reads, with a progress bar."""
    from hypertorus.datasets import read_data

    with progress_with_warnings("reading") as progress:
        return read_data(source, progress=progress, **options)


@contextmanager
def progress_with_warnings(what: str) -> Iterator[Progress]:
    """Show a progress bar, and print the warnings of the work as lines after it."""
    with warnings.catch_warnings(record=True) as caught, bar(what) as progress:
        warnings.simplefilter("always", category=UserWarning)
        yield progress
    for warning in caught:
        sys.stderr.write(f"hypertorus: {warning.message}\n")
