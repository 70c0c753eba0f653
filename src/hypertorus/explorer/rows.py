"""Collections of images and texts: an index of codes whose names are the paths of images, or the texts themselves."""

from __future__ import annotations

import io
from functools import cached_property
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.explorer.collection import Codes, Item, Numbers
from hypertorus.models.model import Model
from hypertorus.search import Index

THUMBNAIL = 320
"""Height and width of an image on the page in pixels."""


class Texts:
    """Texts by their ids, or other things that are known by a name alone."""

    kind = "texts"

    def __init__(self, index: Index, place: Path, groups: npt.NDArray[np.int64] | None = None) -> None:
        self.index, self.place, self.title = index, place, place.stem
        self._ids, self._groups = index.ids, groups

    def item(self, number: int) -> Item:
        name = str(self.index.names_of([number])[0]) if self.index.has_names else f"row {number}"
        label = str(self.index.labels_of([number])[0]) if self.index.has_labels else None
        return Item(name, label=label)

    def groups(self, ids: Numbers) -> Numbers:
        if self._groups is None:
            return ids
        order = np.argsort(self._ids, kind="stable")
        return self._groups[order[np.searchsorted(self._ids, ids, sorter=order)]]

    def named(self, part: str) -> Numbers:
        wanted = part.casefold()
        return self._ids[[wanted in name for name in self._folded_names]]

    def facts(self) -> dict[str, Any]:
        return {"grouped": self._groups is not None}

    @cached_property
    def _folded_names(self) -> list[str]:
        if not self.index.has_names:
            return [f"row {number}" for number in self._ids]
        return [str(name).casefold() for name in self.index.names_of(self._ids)]


class Images(Texts):
    """Images by their ids: files of a folder, named by their paths in it."""

    kind = "images"

    def __init__(
        self,
        index: Index,
        place: Path,
        folder: Path,
        model: Model | None = None,
        groups: npt.NDArray[np.int64] | None = None,
    ) -> None:
        super().__init__(index, place, groups)
        if not index.has_names:
            raise ValueError(f"{place} has no names of images; make it with: hypertorus embed MODEL {folder}")
        self.folder, self.title, self.model = folder, folder.name, model

    def thumbnail(self, number: int) -> bytes:
        """Return an image as a square .png, decoded here so that the browser gets pixels and nothing else."""
        return as_png(str(self.folder / within(self.item(number).name)))

    def codes(self, content: bytes) -> Codes:
        """Return the code of an image that was dropped on the page."""
        from hypertorus.datasets.images import ImageFile, decode

        if self.model is None:
            raise ValueError("a dropped image needs the model that made the codes; start with: explore INDEX MODEL")
        pixels = decode(ImageFile("the dropped file", content), self.model.shape[-1])
        return self.model.encode(pixels[None], self.index.bits, coordinates=self.index.dim)


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
