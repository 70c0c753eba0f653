"""One part of a data set: inputs by number, and the label, recording and name of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import Dataset

Indices = Sequence[int] | Tensor | npt.NDArray[np.int64]

UNKNOWN = -1
"""Label of an input whose class is unknown."""


@dataclass(frozen=True)
class Columns:
    """The label of each input and, if they are known, its group, name, start and place in the source."""

    labels: Tensor
    groups: Tensor | None = None
    """Number of the group of each input, such as its recording; groups are never split between parts."""
    names: npt.NDArray[np.str_] | None = None
    """Name of each input, such as its path within the folder of the data."""
    starts: npt.NDArray[np.float64] | None = None
    """Start of each input within its recording, in seconds."""
    places: Tensor | None = None
    """Place of each input in the source, from 0 over all parts."""
    teacher: Tensor | None = None
    """Vector of each input by another network, whose neighbours a model learns."""

    def take(self, rows: Tensor) -> Columns:
        names, starts = (None if each is None else each[rows.numpy()] for each in (self.names, self.starts))
        groups, places = (None if each is None else each[rows] for each in (self.groups, self.places))
        teacher = None if self.teacher is None else self.teacher[rows]
        return Columns(self.labels[rows], groups, names, starts, places, teacher)


class Part(Dataset[Tensor], ABC):
    """Think of a tensor [n, *shape] that may lie in files, and of columns of n values in memory.

    Images are uint8 of shape (channels, height, width) with 1 or 3 channels, vectors are float32 of shape (features,),
    spectrograms are images of float32 in 0..1, and texts are rows of bytes.
    A batch is read in one call, so a DataLoader has nothing left to collate:
    `DataLoader(part, batch_size=256, collate_fn=torch.as_tensor)`.
    """

    columns: Columns
    shape: tuple[int, ...]
    texts: ClassVar[bool] = False
    """Whether inputs are texts, as bytes; see `Texts`."""
    classes: tuple[str, ...] = ()
    """Names of the classes, which the data set sets for its parts."""

    def __len__(self) -> int:
        return len(self.columns.labels)

    @property
    def labels(self) -> Tensor:
        return self.columns.labels

    @property
    def groups(self) -> Tensor | None:
        return self.columns.groups

    @property
    def is_images(self) -> bool:
        return len(self.shape) == 3

    def __getitem__(self, index: int) -> Tensor:
        return self.__getitems__([index])[0]

    @abstractmethod
    def __getitems__(self, indices: Indices) -> Tensor:
        """Return the inputs of these numbers, [len(indices), *shape]."""

    def take(self, indices: Indices) -> Part:
        """Return the rows of these numbers as a part, without reading any files."""
        part = self._take(as_rows(indices))
        part.classes = self.classes
        return part

    @abstractmethod
    def _take(self, rows: Tensor) -> Part: ...


class InMemory(Part):
    """Inputs in memory, as a tensor.

    >>> part = InMemory(torch.rand(5, 3), torch.tensor([0, 1, 0, 1, 1]))
    >>> len(part), part.shape, part.is_images, part[4].shape
    (5, (3,), False, torch.Size([3]))
    >>> part.take([1, 3]).labels
    tensor([1, 1])
    """

    def __init__(self, inputs: Tensor, labels: Tensor, groups: Tensor | None = None, **columns: Any) -> None:
        if not _is_images(inputs) and not (inputs.ndim == 2 and inputs.dtype == torch.float32):
            raise ValueError(
                f"inputs are {inputs.dtype} of shape {tuple(inputs.shape)}; "
                "pass images as uint8 [n, 1 or 3, height, width] or vectors as float32 [n, features]."
            )
        if labels.shape != inputs.shape[:1] or labels.dtype != torch.int64:
            raise ValueError(
                f"labels are {labels.dtype} of shape {tuple(labels.shape)} for {len(inputs)} inputs; "
                "pass one int64 for each."
            )
        self.inputs, self.columns = inputs, Columns(labels, groups, **columns)
        self.shape = tuple(inputs.shape[1:])

    def __getitems__(self, indices: Indices) -> Tensor:
        return self.inputs[as_rows(indices)]

    def _take(self, rows: Tensor) -> InMemory:
        return InMemory(self.inputs[rows], **vars(self.columns.take(rows)))


def as_rows(indices: Indices) -> Tensor:
    """Return numbers of rows as an int64 tensor."""
    rows = torch.as_tensor(indices)
    if rows.numel() and (rows.dtype == torch.bool or rows.is_floating_point()):
        raise TypeError(f"indices are {rows.dtype}; pass whole numbers, for a mask its `nonzero()[:, 0]`.")
    return rows.to(torch.int64)


def _is_images(inputs: Tensor) -> bool:
    return inputs.ndim == 4 and inputs.shape[1] in (1, 3) and inputs.dtype == torch.uint8
