"""Inputs made from sounds as a part of a data set, memory-mapped from a file of the cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from hypertorus.datasets.part import Columns, Indices, Part, as_rows
from hypertorus.files.tensors import TensorFile

NAME = "inputs"
"""Name of the tensor in the file, [n, *shape of the ear]."""


class MappedInputs(Part):
    """Spectrograms or vectors of an ear, read from the file on demand."""

    def __init__(self, file: Path, rows: Tensor, columns: Columns) -> None:
        self.file, self.rows, self.columns = file, rows, columns
        self._mapped = TensorFile(file)[NAME]
        self.shape = tuple(self._mapped.shape[1:])

    def __getitems__(self, indices: Indices) -> Tensor:
        return torch.from_numpy(self._mapped[self.rows[as_rows(indices)].numpy()]).float()

    def _take(self, rows: Tensor) -> MappedInputs:
        return MappedInputs(self.file, self.rows[rows], self.columns.take(rows))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the path, so that another process maps the file itself."""
        return MappedInputs, (self.file, self.rows, self.columns), {"classes": self.classes}
