"""A few codes for each class that stand for all of them: circular means, or medoids, whichever classify better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hypertorus.codes.circular_mean import circular_mean
from hypertorus.codes.protocol import Codes
from hypertorus.search import distances, search

Labels = npt.NDArray[np.int64]

_ROUNDS = 20
_STARTS = 5
_MOST_ROWS = 2000
"""Rows of a class that are looked at: beyond, more of them move no prototype but cost their square."""


@dataclass(frozen=True)
class Prototypes:
    """Codes [n, dim], the class number of each, in order of the classes, and in a word how they were made."""

    codes: Codes
    labels: Labels
    kind: str

    def accuracy(self, codes: Codes, labels: Labels, bits: int) -> float:
        """The share of codes whose nearest prototype, by l1, the first of equals, is of their class."""
        nearest = search(self.codes, codes, k=1, metric="l1", bits=bits).ids[:, 0]
        return float((self.labels[nearest] == labels).mean())


def all_codes(codes: Codes, labels: Labels) -> Prototypes:
    order = np.argsort(labels, kind="stable")
    return Prototypes(codes[order], labels[order], "all codes")


def choose(codes: Codes, labels: Labels, count: int, bits: int = 8) -> Prototypes:
    """At most `count` prototypes a class of codes [n, dim]: means or medoids, by how they classify these codes.

    >>> codes = np.array([[250], [2], [126], [130], [60]], np.uint8)
    >>> chosen = choose(codes, np.array([0, 0, 1, 1, 1]), 1)
    >>> chosen.codes.ravel(), chosen.kind
    (array([254, 126], dtype=uint8), 'circular means')
    """
    means = _of_each_class(codes, labels, lambda rows: split(rows, count, bits, _mean), "circular means")
    medoids = _of_each_class(codes, labels, lambda rows: split(rows, count, bits, _medoid), "medoids")
    return max(means, medoids, key=lambda chosen: chosen.accuracy(codes, labels, bits))


def _of_each_class(codes: Codes, labels: Labels, chosen: Callable[[Codes], Codes], kind: str) -> Prototypes:
    classes = np.unique(labels)
    pieces = [chosen(codes[labels == number]) for number in classes]
    return Prototypes(np.concatenate(pieces), np.repeat(classes, [len(piece) for piece in pieces]), kind)


def split(rows: Codes, count: int, bits: int, centre: Callable[[Codes, int], Codes]) -> Codes:
    """The centres of `count` groups, each of the rows nearest to its centre: of several starts, the closest."""
    different = np.unique(rows, axis=0)
    if len(different) <= count:
        return different
    dice = np.random.default_rng(0)
    if len(rows) > _MOST_ROWS:
        rows = rows[np.sort(dice.choice(len(rows), _MOST_ROWS, replace=False))]
    found = [_settle(rows, _spread_start(rows, count, bits, dice), bits, centre) for _ in range(_STARTS)]
    return min(found, key=lambda centres: int(distances(rows, centres, "l1", bits).min(axis=1).sum()))


def _spread_start(rows: Codes, count: int, bits: int, dice: np.random.Generator) -> Codes:
    """Rows to begin with, each drawn the more likely the further it is from those before, as k-means++ does."""
    chosen = rows[[dice.integers(len(rows))]]
    while len(chosen) < count:
        away = distances(rows, chosen, "l1", bits).min(axis=1).astype(np.float64) ** 2
        if not away.any():
            break
        chosen = np.concatenate([chosen, rows[[dice.choice(len(rows), p=away / away.sum())]]])
    return chosen


def _settle(rows: Codes, centres: Codes, bits: int, centre: Callable[[Codes, int], Codes]) -> Codes:
    for _ in range(_ROUNDS):
        group = distances(rows, centres, "l1", bits).argmin(axis=1)
        moved = np.stack([centre(rows[group == number], bits) for number in np.unique(group)])
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _mean(rows: Codes, bits: int) -> Codes:
    return circular_mean(rows, bits)


def _medoid(rows: Codes, bits: int) -> Codes:
    return rows[distances(rows, rows, "l1", bits).sum(axis=1).argmin()]
