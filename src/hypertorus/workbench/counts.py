"""Counts of what a threshold finds: a histogram of scores, and numbers by site, day and hour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.workbench.classifier import Scores
from hypertorus.workbench.items import Items
from hypertorus.workbench.moments import moment_of


class Count(NamedTuple):
    """How many items of a place or a time were found, of how many there are."""

    found: int
    items: int


class Counts(NamedTuple):
    """Counts by site, by day (YYYY-MM-DD) and by hour of the day (0 to 23), sorted."""

    sites: dict[str, Count]
    days: dict[str, Count]
    hours: dict[int, Count]
    undated: Count
    """Items whose file name has no time."""


def counts(items: Items, found: npt.NDArray[np.bool_]) -> Counts:
    """Return how many items were found where and when, by names such as `SITE_YYYYMMDD_HHMMSS.wav`.

    A window belongs to the day and the hour in which it starts.

    >>> from hypertorus.search import Index
    >>> index = Index(dim=1)
    >>> _ = index.add(np.array([[1], [2], [3]]), names=["A_20240501_050000.wav", "A_20240501_060000.wav", "x.wav"])
    >>> made = counts(Items.of(index), np.array([True, False, True]))
    >>> made.sites, made.hours[6], made.undated
    ({'A': Count(found=1, items=2)}, Count(found=0, items=1), Count(found=1, items=1))
    """
    if items.files is None:
        return Counts({}, {}, {}, Count(int(found.sum()), len(items)))
    moments = [moment_of(name) for name in items.names]
    dated = np.array([moment is not None for moment in moments], bool)[items.files]
    begins = np.array([np.datetime64("NaT") if one is None else np.datetime64(one.begin, "s") for one in moments])
    seconds = np.zeros(len(items)) if items.starts is None else items.starts
    times = begins.astype("datetime64[s]")[items.files[dated]] + seconds[dated].astype("timedelta64[s]")
    names = np.array(["" if one is None else one.site for one in moments])
    of_dated = found[dated]
    sites = _counted(names[items.files[dated]], of_dated)
    days = _counted(times.astype("datetime64[D]").astype(str), of_dated)
    hours = _counted((times - times.astype("datetime64[D]")).astype("timedelta64[h]").astype(np.int64), of_dated)
    return Counts(
        {str(site): count for site, count in sites.items()},
        {str(day): count for day, count in days.items()},
        {int(str(hour)): count for hour, count in hours.items()},
        Count(int(found[~dated].sum()), int((~dated).sum())),
    )


class Histogram(NamedTuple):
    """Number of items by score: `edges` [n + 1], all `items` [n], and those answered with `yes` and `no` [n]."""

    edges: npt.NDArray[np.float64]
    items: npt.NDArray[np.int64]
    yes: npt.NDArray[np.int64]
    no: npt.NDArray[np.int64]


def histogram(scores: Scores, items: Items, answers: Mapping[str, str], bins: int = 60) -> Histogram:
    """Return how many items have which score."""
    counted, edges = np.histogram(scores, bins)
    of_answers = []
    for wanted in ("yes", "no"):
        rows = items.rows(key for key, answer in answers.items() if answer == wanted)
        of_answers.append(np.histogram(scores[rows[rows >= 0]], edges)[0])
    return Histogram(edges, counted, *of_answers)


def _counted(names: npt.NDArray[np.generic], found: npt.NDArray[np.bool_]) -> dict[np.generic, Count]:
    different, numbers = np.unique(names, return_inverse=True)
    totals, hits = (np.bincount(numbers, weights, len(different)).astype(int) for weights in (None, found))
    return {name: Count(int(hit), int(total)) for name, hit, total in zip(different, hits, totals, strict=True)}
