"""A class run on everything: the histogram of its scores, a threshold with its estimates, and where and when it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.explorer.asked import Asked
from hypertorus.explorer.bench import PER_BAND, Bench, Learnt
from hypertorus.workbench import Bands, Classifier, counts, histogram
from hypertorus.workbench.counts import Count

BINS = 60


class Everything:
    """Answers questions about the scores of all items."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def run(self, asked: Asked) -> dict[str, Any]:
        """Return the histogram of all scores, and a first threshold, at the boundary of the class."""
        question = asked.text("question")
        learnt = self.bench.learnt(question)
        classifier, items = learnt.classifier, self.bench.items
        current = self.bench.answers.current(question)
        made = histogram(learnt.scores, items, current, BINS)
        bands = Bands(learnt.scores, items, classifier)
        return {
            "question": question,
            "edges": made.edges.tolist(),
            "shares": classifier.share(made.edges).tolist(),
            "items": made.items.tolist(),
            "yes": made.yes.tolist(),
            "no": made.no.tolist(),
            "threshold": classifier.boundary,
            "count": len(items),
            "bands": [{**band._asdict(), "share": _share(classifier, band.low)} for band in bands.bands(current)],
            "to_ask": len(bands.ask(current, PER_BAND)),
            "seconds": learnt.seconds,
        }

    def threshold(self, asked: Asked) -> dict[str, Any]:
        """Return what a threshold finds: how many, how precise by the random samples, and where and when."""
        learnt, threshold = self.bench.learnt(asked.text("question")), round(asked.number("threshold"))
        bands = Bands(learnt.scores, self.bench.items, learnt.classifier)
        current = self.bench.answers.current(learnt.classifier.name)
        nothing = threshold > learnt.scores.max()
        made = None if nothing else bands.estimate(threshold, current)
        found = found_rows(self.bench, learnt, threshold)
        counted = counts(self.bench.items, found)
        return {
            "threshold": threshold,
            "share": _share(learnt.classifier, threshold),
            "found": int(found.sum()),
            "above": 0 if made is None else made.above,
            "precision": None if made is None else made.precision._asdict(),
            "recall": None if made is None else made.recall._asdict(),
            "sampled": sum(band.sampled for band in bands.bands(current)),
            "sites": _listed(counted.sites),
            "days": _listed(counted.days),
            "hours": _listed(counted.hours),
            "undated": counted.undated.items,
        }


def found_rows(bench: Bench, learnt: Learnt, threshold: float) -> npt.NDArray[np.bool_]:
    """Return which items are taken for the class: scores from the threshold on, but what a person said counts more."""
    found = np.asarray(learnt.scores >= threshold)
    found[bench.rows_said(learnt.classifier.name, "yes")] = True
    found[bench.rows_said(learnt.classifier.name, "no")] = False
    return found


def _share(classifier: Classifier, score: int) -> float:
    return float(classifier.share(np.array([score]))[0])


def _listed(counted: Mapping[Any, Count]) -> list[dict[str, Any]]:
    return [{"name": str(name), **count._asdict()} for name, count in counted.items()]
