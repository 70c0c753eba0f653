"""Words that nobody said, made of words that were: reversed in time, or spliced of the halves of two.

A network that has to tell these apart, too, learns what words are made of, and not only what tells a few words apart.
"""

from __future__ import annotations

from typing import Self

import numpy as np
import torch
from torch import Tensor

from hypertorus.datasets.part import Columns, Indices, Part, as_rows


class SyntheticWords(Part):
    """A part of spectrograms, then each of them reversed, and then splices of two words of one recording.

    Rows are read from the part when they are asked for. A reversed word of class 3 is one class, and a splice of
    classes 3 and 5 another; they follow the classes of the part. A window is spliced at its middle.
    """

    def __init__(self, part: Part, first: Tensor, second: Tensor, backwards: Tensor, labels: Tensor) -> None:
        self.part, self.first, self.second, self.backwards = part, first, second, backwards
        self.columns = Columns(labels, part.columns.take(first).groups)
        self.shape, self.classes = part.shape, part.classes

    @classmethod
    def of(cls, part: Part, seed: int) -> Self:
        """Return the words of a part, all of them reversed, and about as many splices, which the seed decides."""
        if not part.is_images:
            raise ValueError(
                f"synthetic words are made of spectrograms, but inputs have shape {part.shape}; leave them out."
            )
        rows, labels = torch.arange(len(part)), part.labels
        classes = int(labels.max()) + 1
        begins, ends = _splices(labels, part.groups, seed)
        spliced = torch.unique(labels[begins] * classes + labels[ends], return_inverse=True)[1]
        return cls(
            part,
            torch.cat([rows, rows, begins]),
            torch.cat([rows, rows, ends]),
            torch.cat([torch.zeros(len(rows)), torch.ones(len(rows)), torch.zeros(len(begins))]).bool(),
            torch.cat([labels, classes + labels, 2 * classes + spliced]),
        )

    def __getitems__(self, indices: Indices) -> Tensor:
        rows = as_rows(indices)
        inputs = self.part.__getitems__(self.first[rows])
        middle = inputs.shape[3] // 2
        inputs[..., middle:] = self.part.__getitems__(self.second[rows])[..., middle:]
        return torch.where(self.backwards[rows].view(-1, 1, 1, 1), inputs.flip(3), inputs)

    def _take(self, rows: Tensor) -> SyntheticWords:
        return SyntheticWords(self.part, self.first[rows], self.second[rows], self.backwards[rows], self.labels[rows])


def _splices(labels: Tensor, groups: Tensor | None, seed: int) -> tuple[Tensor, Tensor]:
    """Return for each word that begins a splice the word that ends it: another class of the same recording."""
    rng = np.random.default_rng(seed)
    own = np.zeros(len(labels), np.int64) if groups is None else groups.numpy()
    pairs = []
    for group in np.unique(own):
        rows = np.flatnonzero(own == group)
        ends = rng.permutation(rows)
        pairs.append(np.stack([rows, ends])[:, labels.numpy()[rows] != labels.numpy()[ends]])
    begins, ends = torch.from_numpy(np.concatenate(pairs, axis=1))
    return begins, ends
