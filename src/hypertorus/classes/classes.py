"""Classes by their examples: what a code is most like, how sure that is, and whether it is like any of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hypertorus.classes.groups import groups_of
from hypertorus.classes.means import Distances, Means
from hypertorus.codes.protocol import Codes, check_codes
from hypertorus.embeddings import Embeddings

SHARPNESS = 16.0
"""How fast a share falls with distance: by e^-1 for each sixteenth of a radius. Chosen on 12 draws of birds225."""
BACKGROUND = ("background", "noise", "silence", "other", "none")
"""Names of classes, in any case, that are "none of these": what sounds like their examples is not reported."""
NEAR, MOST = 0.1, 5000
"""Share of the examples of other classes that may be within a radius' reach, and the number that are looked at."""
SMALLEST = 1e-3


class Judgements(NamedTuple):
    """What each code is."""

    classes: npt.NDArray[np.int64]
    """Number of the class in `Classes.names`; -1 for none of these."""
    shares: npt.NDArray[np.float64]
    """How sure that is, from 0 to 1: what the class weighs of all classes and of none of these. Of none of these, 0."""
    distances: npt.NDArray[np.float64]
    """Distance to the nearest mean of any class, from 0 to 1; random codes have about a quarter to a half."""


class _Prototypes(NamedTuple):
    means: Means
    radii: Distances
    classes: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Classes:
    """Think of a field guide that is written as you go: a few examples make a class, and more examples make it better.

    Every example is kept as its code, so that adding examples, or putting two guides together, gives the same classes
    as learning everything at once. A class is the mean of its examples, or several where they fall apart; what is
    farther from every mean than its radius is none of these. A radius lies halfway between the spread of the examples
    around their mean and the nearest tenth of the examples of other classes, or random codes where these are nearer.

    >>> codes = np.array([[10, 20], [12, 18], [130, 140], [128, 142]], np.uint8)
    >>> record = Embeddings(codes, "codes", "torusN", labels=[0, 0, 1, 1], classes=("owl", "wren"))
    >>> guide = Classes(record)
    >>> judged = guide.judge(np.array([[11, 21], [127, 139], [64, 200]], np.uint8))
    >>> [guide.name(number) for number in judged.classes]
    ['owl', 'wren', 'none of these']
    """

    examples: Embeddings
    """Codes with a label each, as `Embeddings.save` writes them; examples without a label are left out."""

    def __post_init__(self) -> None:
        record = self.examples
        if record.kind != "codes" or record.labels is None:
            raise ValueError(f"examples are {record!r}; pass codes with labels.")
        labelled = record.take(np.flatnonzero(record.labels >= 0))
        object.__setattr__(self, "examples", _in_order(_without_contradictions(labelled)))

    @property
    def names(self) -> tuple[str, ...]:
        return self.examples.classes

    @property
    def counts(self) -> dict[str, int]:
        """Number of examples of each class."""
        return dict(zip(self.names, np.bincount(self._labels, minlength=len(self.names)).tolist(), strict=True))

    @property
    def means(self) -> dict[str, int]:
        """Number of means of each class: more than one where its examples fall apart."""
        found = np.bincount(self._prototypes.classes, minlength=len(self.names))
        return dict(zip(self.names, found.tolist(), strict=True))

    def name(self, number: int) -> str:
        return "none of these" if number < 0 else self.names[number]

    def with_examples(self, others: Iterable[Classes]) -> Self:
        """Return these classes with the examples of others, of known or new classes; the same example counts once.

        What is background in one file and an example of a class in another is an example of that class.
        """
        records = [self.examples, *(other.examples for other in others)]
        first = records[0]
        for record in records[1:]:
            for what in ("width", "bits", "model"):
                if getattr(record, what) != getattr(first, what):
                    raise ValueError(
                        f"classes have {what} {getattr(first, what)} and others {getattr(record, what)}; put together "
                        "those that one model learnt with the same bits."
                    )
        names = sorted({name for record in records for name in record.classes})
        labels = [np.searchsorted(names, record.label_names) for record in records]
        merged = replace(
            first,
            rows=np.concatenate([record.rows for record in records]),
            labels=np.concatenate(labels),
            classes=tuple(names),
            names=np.concatenate([_names(record) for record in records]),
            starts=np.concatenate([_starts(record) for record in records]),
        )
        return replace(self, examples=merged)

    def judge(self, codes: Codes) -> Judgements:
        """Return the class of each code [n, width], how sure that is, and how far the nearest mean is."""
        means, radii, owners = self._prototypes
        away = means.distances(check_codes(codes, self.examples.width, self._bits), self._bits)
        ratios = np.full((len(away), len(self.names)), np.inf)
        for mean, owner in enumerate(owners):
            np.minimum(ratios[:, owner], away[:, mean] / radii[mean], out=ratios[:, owner])
        best = ratios.argmin(axis=1)
        nearest = ratios[np.arange(len(ratios)), best]
        # None of these weighs what a class weighs at its radius. In units of the heavier of the two nothing overflows.
        least = np.minimum(nearest, 1.0)
        weights = np.exp(-SHARPNESS * (ratios - least[:, None])).sum(axis=1) + np.exp(-SHARPNESS * (1 - least))
        known = (nearest <= 1) & ~self._background[best]
        shares = np.where(known, np.exp(-SHARPNESS * (nearest - least)) / weights, 0.0)
        return Judgements(np.where(known, best, -1), shares, away.min(axis=1))

    @property
    def _bits(self) -> int:
        return int(self.examples.bits or 8)

    @property
    def _labels(self) -> npt.NDArray[np.int64]:
        assert self.examples.labels is not None  # as checked at the start
        return self.examples.labels

    @cached_property
    def _background(self) -> npt.NDArray[np.bool_]:
        return np.array([is_background(name) for name in self.names])

    @cached_property
    def _prototypes(self) -> _Prototypes:
        codes, groups = self.examples.rows, np.empty(len(self.examples), np.int64)
        owners: list[int] = []
        for label in range(len(self.names)):
            own = np.flatnonzero(self._labels == label)
            numbers = groups_of(codes[own], self._bits)
            groups[own] = numbers + len(owners)
            owners += [label] * (int(numbers.max()) + 1)
        means, classes = Means.of(codes, groups, self._bits), np.array(owners, np.int64)
        return _Prototypes(means, self._radii(means, classes, groups), classes)

    def _radii(self, means: Means, classes: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]) -> Distances:
        spread = means.without_each(self.examples.rows, groups, self._bits)
        some = np.unique(np.linspace(0, len(groups) - 1, min(MOST, len(groups))).astype(np.int64))
        away, radii = means.distances(self.examples.rows[some], self._bits), means.chance()
        several = np.isfinite(spread)
        usual = float(spread[several].mean()) if several.any() else None
        for mean in range(len(radii)):
            others = away[self._labels[some] != classes[mean], mean]
            near = min(radii[mean], float(np.quantile(others, NEAR))) if len(others) else radii[mean]
            own = spread[several & (groups == mean)]
            typical = near / 2 if usual is None else usual
            # A few examples say little about their spread; that of all classes says the other half.
            inner = (float(own.mean()) + typical) / 2 if len(own) else typical
            radii[mean] = max(inner, (inner + near) / 2, SMALLEST)
        return radii


def is_background(name: str) -> bool:
    return name.lower() in BACKGROUND


def _without_contradictions(record: Embeddings) -> Embeddings:
    """Leave out the background that has the very code of an example of a class.

    A no for one class is background, and may be a yes for another class that is added later.
    """
    background = np.array([is_background(str(name)) for name in record.label_names], bool)
    known = {row.tobytes() for row in record.rows[~background]}
    kept = [not (aside and row.tobytes() in known) for row, aside in zip(record.rows, background, strict=True)]
    return record.take(np.flatnonzero(kept))


def _names(record: Embeddings) -> npt.NDArray[np.str_]:
    return np.full(len(record), "") if record.names is None else record.names


def _starts(record: Embeddings) -> npt.NDArray[np.float64]:
    return np.zeros(len(record)) if record.starts is None else record.starts


def _in_order(record: Embeddings) -> Embeddings:
    """Return the examples in an order that does not depend on when they were added, each once, with their classes."""
    assert record.labels is not None
    classes, labels = np.unique(record.label_names, return_inverse=True)
    names, starts = _names(record), _starts(record)
    order = np.lexsort((*record.rows.T[::-1], starts, names, labels))
    same = np.ones(len(order), bool)
    for column in (labels, names, starts, record.rows):
        ordered = column[order]
        differs = ordered[1:] != ordered[:-1]
        same[1:] &= ~(differs.any(axis=1) if differs.ndim == 2 else differs)
    same[:1] = False
    kept = record.take(order[~same])
    return replace(
        kept,
        labels=labels[order[~same]],
        classes=tuple(map(str, classes)),
        names=names[order[~same]],
        starts=starts[order[~same]],
        parts=None,
        groups=None,
    )
