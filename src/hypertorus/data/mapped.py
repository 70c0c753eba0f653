"""Inputs made of sounds as a part: memory-mapped from the file that they were computed into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from hypertorus.data.part import Indices, Part, as_rows
from hypertorus.files.tensors import TensorFile

NAME = "inputs"
"""Of the tensor in the file, [n, *shape of the ear]."""


class Heard(Part):
    """Spectrograms, or vectors, as an ear made them. Memory holds what the system keeps of the file."""

    def __init__(self, file: Path, rows: Tensor, labels: Tensor, groups: Tensor | None = None) -> None:
        self.file, self.rows, self.labels, self.groups = file, rows, labels, groups
        self._mapped = TensorFile(file)[NAME]
        self.shape = tuple(self._mapped.shape[1:])

    def __getitems__(self, indices: Indices) -> Tensor:
        return torch.from_numpy(self._mapped[self.rows[as_rows(indices)].numpy()]).float()

    def take(self, indices: Indices) -> Heard:
        rows = as_rows(indices)
        groups = None if self.groups is None else self.groups[rows]
        return Heard(self.file, self.rows[rows], self.labels[rows], groups)

    def __reduce__(self) -> tuple[Any, ...]:
        """A process that is given this part maps the file itself."""
        return Heard, (self.file, self.rows, self.labels, self.groups)
