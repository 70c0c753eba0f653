"""A file mapped into memory whose pages are given back before more are read."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


class MappedFile:
    """The bytes of a file as read-only arrays, without a copy.

    The file is opened once, so that another file that takes its name meanwhile makes no difference.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            if self.size == 0:
                raise ValueError(f"{path} is empty; write it again.")
            self.pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def array(
        self, shape: tuple[int, ...], dtype: Any, offset: int, strides: tuple[int, ...] | None = None
    ) -> npt.NDArray[Any]:
        """Return an array that begins `offset` bytes into the file."""
        return np.ndarray(shape, dtype, self.pages, offset, strides)

    def release(self) -> None:
        """Give back the memory of what was read so far; arrays stay valid, and read their pages again when used."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.pages.madvise(mmap.MADV_DONTNEED)
