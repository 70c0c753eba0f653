"""A collection of images: files of a folder, named by their paths in it."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

import numpy as np

from hypertorus.datasets.kinds import IMAGES
from hypertorus.explorer.collection import Codes, Collection
from hypertorus.models.model import Model
from hypertorus.search import Index
from hypertorus.workbench import Items

THUMBNAIL = 320
"""Height and width of an image on the page in pixels."""


class Images(Collection):
    """Images by their ids."""

    kind = "images"

    def __init__(self, index: Index, items: Items, place: Path, folder: Path, model: Model | None = None) -> None:
        super().__init__(index, items, place, folder.name)
        if items.files is None:
            raise ValueError(f"{place} has no names of images; make it with: hypertorus embed MODEL {folder}")
        self.folder, self.network = folder, model
        self.drop = () if model is None else IMAGES

    def thumbnail(self, number: int) -> bytes:
        """Return an image as a square .png, decoded here so that the browser gets pixels and nothing else."""
        return as_png(str(self.folder / within(self.item(number).name)))

    def files(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the files of these names as they are."""
        for name in names:
            yield name, (self.folder / within(name)).read_bytes()

    def codes(self, content: bytes) -> Codes:
        """Return the code of an image that was dropped on the page."""
        from hypertorus.datasets.images import ImageFile, decode

        if self.network is None:
            raise ValueError("a dropped image needs the model that made the codes; start with: explore INDEX MODEL")
        pixels = decode(ImageFile("the dropped file", content), self.network.shape[-1])
        return self.network.encode(pixels[None], self.index.bits, coordinates=self.index.dim)


def as_png(path: str, content: bytes | None = None) -> bytes:
    """Return the image of a file, or of bytes, as a square .png."""
    from PIL import Image

    from hypertorus.datasets.images import ImageFile, decode

    file = io.BytesIO()
    Image.fromarray(np.moveaxis(decode(ImageFile(path, content), THUMBNAIL), 0, 2)).save(file, "PNG")
    return file.getvalue()


def within(name: str) -> str:
    """Return a name unless it may lead out of the folder of the images, on any system.

    >>> within("owls/1.png")
    'owls/1.png'
    """
    windows = PureWindowsPath(name)
    if PurePosixPath(name).is_absolute() or windows.anchor or ".." in windows.parts or "\0" in name:
        raise ValueError(f"{name!r} is not a path within the folder of the images; embed that folder again.")
    return name
