"""One part of a data set: inputs by their number, and a label for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.utils.data import Dataset

Indices = Sequence[int] | Tensor


class Part(Dataset[Tensor], ABC):
    """Think of a tensor [n, *shape] that may lie in files, and of a tensor of n labels that is at hand.

    Images are uint8 of shape (channels, height, width) with 1 or 3 channels, vectors are float32 of shape (features,),
    and spectrograms are images of float32 in 0..1.
    A batch is read in one call, so a DataLoader has nothing left to collate:
    `DataLoader(part, batch_size=256, collate_fn=torch.as_tensor)`.
    """

    labels: Tensor
    shape: tuple[int, ...]
    groups: Tensor | None = None
    """A number for each row, where some are of one source and must not be split between parts."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_images(self) -> bool:
        return len(self.shape) == 3

    def __getitem__(self, index: int) -> Tensor:
        return self.__getitems__([index])[0]

    @abstractmethod
    def __getitems__(self, indices: Indices) -> Tensor:
        """The inputs of these numbers, [len(indices), *shape]."""

    @abstractmethod
    def take(self, indices: Indices) -> Part:
        """The rows of these numbers as a part, without reading what lies in files."""


class InMemory(Part):
    """Inputs that are a tensor already.

    >>> part = InMemory(torch.rand(5, 3), torch.tensor([0, 1, 0, 1, 1]))
    >>> len(part), part.shape, part.is_images, part[4].shape
    (5, (3,), False, torch.Size([3]))
    >>> part.take([1, 3]).labels
    tensor([1, 1])
    """

    def __init__(self, inputs: Tensor, labels: Tensor, groups: Tensor | None = None) -> None:
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
        self.inputs, self.labels, self.groups = inputs, labels, groups
        self.shape = tuple(inputs.shape[1:])

    def __getitems__(self, indices: Indices) -> Tensor:
        return self.inputs[as_rows(indices)]

    def take(self, indices: Indices) -> InMemory:
        rows = as_rows(indices)
        groups = None if self.groups is None else self.groups[rows]
        return InMemory(self.inputs[rows], self.labels[rows], groups)


def as_rows(indices: Indices) -> Tensor:
    """Numbers of rows as a tensor that indexes one."""
    rows = torch.as_tensor(indices)
    if rows.numel() and (rows.dtype == torch.bool or rows.is_floating_point()):
        raise TypeError(f"indices are {rows.dtype}; pass whole numbers, for a mask its `nonzero()[:, 0]`.")
    return rows.to(torch.int64)


def _is_images(inputs: Tensor) -> bool:
    return inputs.ndim == 4 and inputs.shape[1] in (1, 3) and inputs.dtype == torch.uint8
