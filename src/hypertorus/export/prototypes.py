"""Chooses a few prototypes for each class: circular means or medoids, whichever classify better."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hypertorus.codes.circular_mean import circular_mean
from hypertorus.codes.clusters import Members, settled
from hypertorus.codes.protocol import Codes
from hypertorus.export.known import Labelled
from hypertorus.search import distances

Centre = Callable[[Codes, int], Codes]

_STARTS = 5
_MOST_ROWS = 2000
"""Largest number of rows of a class that are clustered; more cost time quadratically and hardly move a prototype."""


class Prototypes(NamedTuple):
    """Codes that represent classes, in the order of the classes, and a name for their kind."""

    stored: Labelled
    kind: str


def all_codes(known: Labelled) -> Prototypes:
    order = np.argsort(known.labels, kind="stable")
    return Prototypes(Labelled(known.codes[order], known.labels[order]), "all codes")


def choose(known: Labelled, count: int, bits: int = 8) -> Prototypes:
    """Return at most `count` prototypes per class: circular means or medoids, whichever classify the codes better.

    >>> codes = np.array([[250], [2], [126], [130], [60]], np.uint8)
    >>> chosen = choose(Labelled(codes, np.array([0, 0, 1, 1, 1])), 1)
    >>> chosen.stored.codes.ravel(), chosen.kind
    (array([254, 108], dtype=uint8), 'circular means')
    """
    if count < 1:
        raise ValueError(f"--prototypes is {count}; store at least 1 code for each class, or all.")
    both = [
        Prototypes(_of_each_class(known, count, bits, centre), kind)
        for centre, kind in ((circular_mean, "circular means"), (_medoid, "medoids"))
    ]
    return max(both, key=lambda chosen: chosen.stored.nearest_accuracy(known, bits))


def _of_each_class(known: Labelled, count: int, bits: int, centre: Centre) -> Labelled:
    classes = np.unique(known.labels)
    pieces = [split(known.codes[known.labels == number], count, bits, centre) for number in classes]
    return Labelled(np.concatenate(pieces), np.repeat(classes, [len(piece) for piece in pieces]))


def split(rows: Codes, count: int, bits: int, centre: Centre) -> Codes:
    """Return the centres of `count` clusters, as in k-means, from the best of several starts."""
    different = np.unique(rows, axis=0)
    if len(different) <= count:
        return different
    rng = np.random.default_rng(0)
    if len(rows) > _MOST_ROWS:
        rows = rows[np.sort(rng.choice(len(rows), _MOST_ROWS, replace=False))]

    def nearest(centres: Codes) -> Members:
        return distances(rows, centres, "l1", bits).argmin(axis=1)

    starts = [_spread_start(rows, count, bits, rng) for _ in range(_STARTS)]
    candidates = [settled(start, nearest, lambda own: centre(rows[own], bits)) for start in starts]
    return min(candidates, key=lambda centres: int(distances(rows, centres, "l1", bits).min(axis=1).sum()))


def _spread_start(rows: Codes, count: int, bits: int, rng: np.random.Generator) -> Codes:
    """Return initial centres, drawn with probabilities by their distance from those before, as in k-means++."""
    chosen = rows[[rng.integers(len(rows))]]
    while len(chosen) < count:
        away = distances(rows, chosen, "l1", bits).min(axis=1).astype(np.float64) ** 2
        if not away.any():
            break
        chosen = np.concatenate([chosen, rows[[rng.choice(len(rows), p=away / away.sum())]]])
    return chosen


def _medoid(rows: Codes, bits: int) -> Codes:
    return rows[distances(rows, rows, "l1", bits).sum(axis=1).argmin()]
