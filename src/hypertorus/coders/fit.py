"""`codes_for`: fits a coder to vectors without labels, and measures it on rows that it has not seen."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np

from hypertorus.coders.coder import Coder
from hypertorus.coders.recall import held_out_recall, nearest_by_cosine
from hypertorus.coders.vectors import Floats, as_rows, sampled
from hypertorus.files.extras import require
from hypertorus.files.progress import Progress
from hypertorus.files.rows import Rows

USES = {"search": "plain", "cells": "torus", "microcontroller": "torus"}
"""The kind of codes that each use asks for."""
KINDS = ("plain", "torus")

MOST, NUMBERS, LEAST = 100_000, 2**26, 20_000
"""Rows that a coder is fitted to and measured on, at most; numbers that these may have together; and rows however wide
they are."""
FEWEST = 20
STEPS = 600
_ANCHORED, _ANCHORS = 10_000, 256
"""Number of rows whose nearest are known, and of those that are anchors of a step."""
_NEAR, _OTHERS = 8, 1024
"""Number of nearest of each anchor, and of random rows, that are candidates of a step."""


def codes_for(
    vectors: Any,
    bytes: int = 64,  # noqa: A002
    *,
    use: str = "search",
    kind: str | None = None,
    steps: int = STEPS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Coder:
    """Return a coder that makes codes of `bytes` bytes of vectors [n, numbers], fitted to keep neighbours by cosine.

    `vectors` is an array, a tensor or the path of a file, which may be larger than memory: of more than 100,000 rows,
    fewer where they are wider than 671 numbers, a random sample is read. A tenth of them, up to 1,000, is held out;
    `coder.facts["recall"]` is the share of the 10 nearest of these rows by cosine, among the others, that the codes
    find. `use` is what the codes are for: "search" makes plain codes, which keep most neighbours; "cells" and
    "microcontroller" make torus codes, which also serve what a trained model's codes do. `kind`, "plain" or "torus",
    chooses directly.

    >>> import numpy as np
    >>> vectors = np.random.default_rng(0).normal(size=(500, 8)) @ np.random.default_rng(1).normal(size=(8, 32))
    >>> coder = codes_for(vectors, bytes=8, steps=20)
    >>> coder, coder.transform(vectors).shape
    (PlainCoder(32 numbers, 8 bytes), (500, 16))
    >>> index = coder.index(vectors)
    >>> coder.search(index, vectors[:3], k=2).ids[:, 0]
    array([0, 1, 2])
    """
    chosen = kind_for(use, kind)
    rows = as_rows(vectors)
    check_size(bytes, rows.shape[1], chosen)
    return measured(Sample.of(rows, seed), bytes, chosen, steps=steps, seed=seed, progress=progress)


def kind_for(use: str, kind: str | None = None) -> str:
    """Return the kind of codes for a use, unless the kind is chosen."""
    if use not in USES:
        raise ValueError(f"use is {use!r}; choose one of {', '.join(USES)}.")
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind is {kind!r}; choose one of {', '.join(KINDS)}.")
    return kind or USES[use]


def check_size(size: int, numbers: int, kind: str) -> None:
    """Raise a ValueError unless vectors of this many numbers can have codes of `size` bytes."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"bytes is {size!r}; pass a whole number from 1.")
    if kind == "plain" and 2 * size > numbers:
        raise ValueError(
            f"bytes is {size}, but vectors of {numbers} numbers at no more than 4 bits each fill {numbers // 2}; "
            f"choose {numbers // 2} or fewer."
        )


class Sample(NamedTuple):
    """Vectors of length 1 to fit to, others that are held out to measure on, and how many there are in all."""

    base: Floats
    held_out: Floats
    rows: int

    @classmethod
    def of(cls, rows: Rows, seed: int = 0) -> Sample:
        """Return random rows, up to `sample_size` of them, of which a tenth, and at most 1,000, are held out."""
        if len(rows) < FEWEST:
            raise ValueError(f"there are {len(rows)} vectors; a coder is fitted to at least {FEWEST}, so pass more.")
        chosen = sampled(rows, sample_size(rows.shape[1]), seed)
        count = min(1000, len(chosen) // 10)
        return cls(chosen[count:], chosen[:count], len(rows))


def sample_size(numbers: int) -> int:
    """Return of how many vectors of this many numbers a sample is taken.

    What is near among few may be far among many, so a sample is as large as memory and patience allow.

    >>> [sample_size(numbers) for numbers in (100, 1024, 4096)]
    [100000, 65536, 20000]
    """
    return max(LEAST, min(MOST, NUMBERS // numbers))


def measured(
    sample: Sample, size: int, kind: str, *, steps: int = STEPS, seed: int = 0, progress: Progress | None = None
) -> Coder:
    """Return a coder fitted to the base of a sample, with its recall of the rows that were held out.

    Where it keeps fewer of their neighbours than what the fit began with, that is returned, whose steps are 0.
    """
    coder = fitted(sample.base, size, kind, steps=steps, seed=seed, progress=progress)
    recall = held_out_recall(coder, sample.base, sample.held_out)
    if steps:
        beginning = fitted(sample.base, size, kind, steps=0, seed=seed)
        recall_at_first = held_out_recall(beginning, sample.base, sample.held_out)
        if recall_at_first > recall:
            coder, recall = beginning, recall_at_first
    coder.facts |= {"rows": sample.rows, "held_out": len(sample.held_out), "recall": round(recall, 4)}
    return coder


def fitted(
    base: Floats, size: int, kind: str, *, steps: int = STEPS, seed: int = 0, progress: Progress | None = None
) -> Coder:
    """Return a coder that is fitted to vectors of length 1, all of them."""
    if steps < 0:
        raise ValueError(f"steps is {steps}; it must be 0 or more.")
    require("torch", extra="train")
    import torch

    from hypertorus.coders.students import STUDENTS
    from hypertorus.losses.neighbours import NeighboursLoss

    begin = time.monotonic()
    rows, loss = torch.from_numpy(base), NeighboursLoss()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        student = STUDENTS[kind](rows, size)
        optimiser = torch.optim.Adam(student.groups())
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda step: (1 + math.cos(math.pi * step / max(1, steps))) / 2
        )
        anchored = torch.randperm(len(rows))[: _ANCHORED if steps else 0]
        near = nearest_by_cosine(base, base[anchored.numpy()], 1 + _NEAR)  # the first is the row itself
        for step in range(steps):
            chosen = torch.randperm(len(anchored))[:_ANCHORS]
            asked = anchored[chosen]
            others = torch.randperm(len(rows))[:_OTHERS]
            among = torch.from_numpy(np.union1d(near[chosen], others))
            anchors, candidates = rows[asked], rows[among]
            cosines = (anchors @ candidates.T).masked_fill(asked[:, None] == among, -torch.inf)
            optimiser.zero_grad()
            loss(student(anchors, candidates), cosines).backward()
            optimiser.step()
            schedule.step()
            if progress:
                progress(step + 1, steps)
    facts = {"steps": steps, "seed": seed, "fitted_on": len(base), "seconds": round(time.monotonic() - begin, 1)}
    return student.coder(facts)
