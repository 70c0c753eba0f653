"""Inputs made of sounds as a part: memory-mapped from the file that they were computed into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from hypertorus.datasets.part import Columns, Indices, Part, as_rows
from hypertorus.files.tensors import TensorFile

NAME = "inputs"
"""The name of the tensor in the file, [n, *shape of the ear]."""


class MappedInputs(Part):
    """Spectrograms, or vectors, as an ear made them. Memory holds what the system keeps of the file."""

    def __init__(self, file: Path, rows: Tensor, columns: Columns) -> None:
        self.file, self.rows, self.columns = file, rows, columns
        self._mapped = TensorFile(file)[NAME]
        self.shape = tuple(self._mapped.shape[1:])

    def __getitems__(self, indices: Indices) -> Tensor:
        return torch.from_numpy(self._mapped[self.rows[as_rows(indices)].numpy()]).float()

    def _take(self, rows: Tensor) -> MappedInputs:
        return MappedInputs(self.file, self.rows[rows], self.columns.take(rows))

    def __reduce__(self) -> tuple[Any, ...]:
        """A process that is given this part maps the file itself."""
        return MappedInputs, (self.file, self.rows, self.columns), {"classes": self.classes}
