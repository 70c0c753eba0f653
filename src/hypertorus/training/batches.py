"""Batches of an epoch: for one seed they are the same on any number of processes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Generator, Tensor
from torch.utils.data import DataLoader, Dataset, Sampler

from hypertorus.datasets import Part


class Batch(NamedTuple):
    inputs: Tensor
    labels: Tensor
    teacher: Tensor | None = None


def generator(*numbers: int) -> Generator:
    """Return a random generator that is seeded by these numbers alone."""
    return Generator().manual_seed(int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> 1))


class Shuffled(Sampler[list[int]]):
    """Batches of indices, shuffled anew in each epoch; each process gets its share of every batch.

    `batch` is the batch size over all processes. An incomplete last batch is dropped.

    >>> [len(batch) for batch in Shuffled(10, batch=4, seed=0)]
    [4, 4]
    """

    def __init__(self, inputs: int, batch: int, seed: int, rank: int = 0, processes: int = 1) -> None:
        if inputs < 2:
            raise ValueError(f"there are {inputs} inputs to train on; a contrastive loss needs at least 2.")
        self.share = min(batch, inputs) // processes
        if self.share == 0:
            raise ValueError(f"a batch of {min(batch, inputs)} is too small for {processes} processes; make it larger.")
        self.inputs, self.seed, self.rank, self.processes = inputs, seed, rank, processes
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return self.inputs // (self.share * self.processes)

    def __iter__(self) -> Iterator[list[int]]:
        order = torch.randperm(self.inputs, generator=generator(self.seed, self.epoch))
        steps = order[: len(self) * self.share * self.processes].view(len(self), self.processes, self.share)
        yield from steps[:, self.rank].tolist()


class Companions(Shuffled):
    """Batches as `Shuffled` has them, each followed by a companion of every input: another of its class at random.

    Where a class is a pair of texts, the companion is the other of the two; an input that is alone is its own.

    >>> first, second = zip(*(batch[:2] for batch in Companions(torch.tensor([7, 8, 7, 8]), batch=1, seed=0)))
    >>> [abs(a - b) for a, b in zip(first, second)]
    [2, 2, 2, 2]
    """

    def __init__(self, labels: Tensor, batch: int, seed: int, rank: int = 0, processes: int = 1) -> None:
        super().__init__(len(labels), batch, seed, rank, processes)
        self.by_class = labels.argsort(stable=True)
        place = torch.from_numpy(np.unique(labels.numpy(), return_inverse=True)[1])
        self.classes, self.counts = place, place.bincount()
        self.begins = self.counts.cumsum(0) - self.counts
        self.place = torch.empty_like(place)
        self.place[self.by_class] = torch.arange(len(labels)) - self.begins[place[self.by_class]]

    def __iter__(self) -> Iterator[list[int]]:
        counts = self.counts[self.classes]
        drawn = torch.rand(self.inputs, generator=generator(self.seed, self.epoch, 3))
        ahead = 1 + (drawn * (counts - 1)).long()
        companions = self.by_class[self.begins[self.classes] + (self.place + ahead) % counts]
        for batch in super().__iter__():
            yield [*batch, *companions[batch].tolist()]


class Shared(Sampler[list[int]]):
    """Batches of indices in order, equally many for each process, so that the last index may come twice.

    Process r gets the indices r, r + processes, r + 2 processes and so on.
    """

    def __init__(self, inputs: int, batch: int, rank: int = 0, processes: int = 1) -> None:
        per_process = math.ceil(inputs / processes)
        self.indices = [min(rank + processes * place, inputs - 1) for place in range(per_process)]
        self.batch = batch

    def __len__(self) -> int:
        return math.ceil(len(self.indices) / self.batch)

    def __iter__(self) -> Iterator[list[int]]:
        for begin in range(0, len(self.indices), self.batch):
            yield self.indices[begin : begin + self.batch]


class Labelled(Dataset[Batch]):
    """A part of a data set that returns whole batches of inputs with their labels."""

    def __init__(self, part: Part) -> None:
        self.part = part

    def __getitem__(self, indices: list[int]) -> Batch:
        teacher = self.part.columns.teacher
        taught = None if teacher is None else teacher[indices]
        return Batch(self.part.__getitems__(indices), self.part.labels[indices], taught)


def loader(part: Part, batches: Sampler[list[int]], workers: int = 0) -> DataLoader[Batch]:
    return DataLoader(
        Labelled(part),
        sampler=batches,
        batch_size=None,  # the sampler yields whole batches
        num_workers=workers,
        persistent_workers=workers > 0,
    )
