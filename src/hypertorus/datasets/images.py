"""Images in files as a part of a data set: decoded batch by batch, and resized to squares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import get_worker_info

from hypertorus.datasets.part import Columns, Indices, Part, as_rows
from hypertorus.files.extras import require
from hypertorus.files.threads import thread_count

require("PIL", extra="train")

from PIL import Image, ImageOps  # noqa: E402


class ImageFile(NamedTuple):
    """An encoded image: a path, or its bytes and their name in errors."""

    name: str
    content: bytes | None = None

    def open(self) -> Path | BytesIO:
        return Path(self.name) if self.content is None else BytesIO(self.content)


class Files(Protocol):
    """A collection that returns encoded images by their row numbers."""

    def at(self, rows: Sequence[int]) -> list[ImageFile]: ...


class Images(Part):
    """RGB squares of `size` pixels; memory holds one batch at a time."""

    def __init__(self, files: Files, columns: Columns, size: int, rows: Tensor | None = None) -> None:
        self.files, self.columns = files, columns
        self.rows = torch.arange(len(columns.labels)) if rows is None else rows
        self.shape = (3, size, size)

    def __getitems__(self, indices: Indices) -> Tensor:
        files = self.files.at(self.rows[as_rows(indices)].tolist())
        return torch.from_numpy(np.stack(_in_threads(partial(decode, size=self.shape[1]), files)))

    def _take(self, rows: Tensor) -> Images:
        return Images(self.files, self.columns.take(rows), self.shape[1], self.rows[rows])


def decode(file: ImageFile, size: int) -> npt.NDArray[np.uint8]:
    """Return an image as [3, size, size]: upright, resized, cropped to its central square, on a white background."""
    try:
        with Image.open(file.open()) as image:
            image.draft("RGB", (2 * size, 2 * size))  # a JPEG is decoded no larger than resizing needs
            square = ImageOps.fit(_rgb(ImageOps.exif_transpose(image)), (size, size), Image.Resampling.BICUBIC)
            return np.moveaxis(np.asarray(square), 2, 0)
    except Exception as error:  # a damaged image may fail anywhere in its decoder
        raise ValueError(f"{file.name} is not a readable image ({error}); fix it or remove it.") from error


def size_for(files: Files, count: int) -> int:
    """Return a size that suits these images, judged by up to 64 of them.

    Small images of one size, up to 64 pixels, keep their size. Otherwise it is the median of the shorter sides, rounded
    down to a multiple of 32, between 32 and 224.
    """
    rows = np.unique(np.linspace(0, count - 1, num=min(count, 64)).astype(int)).tolist()
    sizes = [_size(file) for file in files.at(rows)]
    if len(set(sizes)) == 1 and min(sizes[0]) <= 64:
        return min(sizes[0])
    return min(max(32, int(np.median([min(size) for size in sizes])) // 32 * 32), 224)


def _size(file: ImageFile) -> tuple[int, int]:
    try:
        with Image.open(file.open()) as image:
            return image.size
    except Exception as error:
        raise ValueError(f"{file.name} is not a readable image ({error}); fix it or remove it.") from error


def check_pixels(image: Image.Image) -> None:
    """Raise a ValueError for pixels whose range is not known."""
    if image.mode in ("I", "F"):
        raise ValueError("its pixels are numbers of 32 bits; save it with 8 or 16")


def _rgb(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I;16"):  # convert would cut these at 255
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    check_pixels(image)
    if image.has_transparency_data:
        with_alpha = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), with_alpha).convert("RGB")
    return image.convert("RGB")


def _in_threads(
    work: Callable[[ImageFile], npt.NDArray[np.uint8]], files: list[ImageFile]
) -> list[npt.NDArray[np.uint8]]:
    threads = 1 if get_worker_info() else min(thread_count(None), len(files))
    if threads <= 1:  # a worker of a DataLoader is one of several already
        return [work(file) for file in files]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, files))
