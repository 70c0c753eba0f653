"""Learns a classifier from answers, at once: by prototypes and by a linear sum of tables, and keeps what is better."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.search import Index
from hypertorus.workbench.classifier import UNIT, Classifier, whole_tables
from hypertorus.workbench.examples import Examples, Floats, points_of
from hypertorus.workbench.items import Items
from hypertorus.workbench.left_out import Skill, can_be_measured, skill_of
from hypertorus.workbench.linear import PENALTIES, Background, fit_linear
from hypertorus.workbench.prototypes import MOST_GROUPS, fit_means, left_out_scores

SAMPLE = 2000
"""Codes of the index that stand for all of them."""
MARGIN = 0.02
"""How much more average precision anything but a single prototype needs: of few answers it is an uncertain number."""


class Learner:
    """Learns classes on an index from answers to its items.

    >>> rng = np.random.default_rng(0)
    >>> index = Index(dim=8)
    >>> codes = np.concatenate([rng.integers(0, 256, (90, 8)), 100 + rng.integers(0, 40, (10, 8))]).astype(np.uint8)
    >>> _ = index.add(codes)
    >>> learner = Learner(index)
    >>> owl = learner.learn("owl", {"#90": "yes", "#91": "yes", "#92": "yes", "#1": "no", "#2": "no"})
    >>> np.sort(np.argsort(-owl.scores(index))[:10])
    array([90, 91, 92, 93, 94, 95, 96, 97, 98, 99])
    """

    def __init__(self, index: Index, items: Items | None = None) -> None:
        self.index = index
        self.items = Items.of(index) if items is None else items

    @cached_property
    def background(self) -> Background:
        """What is known of all codes by a random sample of them."""
        ids, count = self.index.ids, len(self.index)
        if count == 0:
            raise ValueError("the index is empty, so nothing can be learnt on it; add codes first.")
        sample = np.random.default_rng(0).choice(count, min(SAMPLE, count), replace=False)
        return Background.of(points_of(self.index.vectors(ids[np.sort(sample)]), self.index.bits))

    def examples(self, answers: Mapping[str, str]) -> Examples:
        """Return the items that were answered with yes or no and are in the index, with their codes."""
        said = [(key, answer == "yes") for key, answer in answers.items() if answer in ("yes", "no")]
        rows = self.items.rows(key for key, _ in said)
        there = rows >= 0
        if not there.any():
            raise ValueError("no item of this index was answered with yes or no; answer some first.")
        return Examples(
            self.index.vectors(self.items.ids[rows[there]]),
            self.index.bits,
            np.array([yes for _, yes in said], bool)[there],
            self.items.recordings[rows[there]],
            tuple(key for (key, _), kept in zip(said, there, strict=True) if kept),
        )

    def learn(self, name: str, answers: Mapping[str, str]) -> Classifier:
        """Return the classifier for the answers to one question, as `Answers.current` returns them.

        `unsure` teaches nothing. At least one answer must be a yes.
        """
        return self.learn_examples(name, self.examples(answers))

    def learn_examples(self, name: str, examples: Examples) -> Classifier:
        """Return the classifier for examples, which need not be in the index."""
        if not examples.yes.any():
            raise ValueError(f"nothing was answered with yes for {name!r}; a class needs at least one example.")
        points = examples.points
        tried = self._prototypes(examples, points) + self._linear(examples, points)
        measured = can_be_measured(examples.recordings, examples.yes)
        if measured:
            simplest = tried[0]
            tried.sort(key=lambda one: MARGIN * (one is not simplest) - one.skill(examples.yes).average_precision)
        best = tried[0]
        tables, offsets = whole_tables(best.vectors, best.offsets, examples.bits)
        return Classifier(
            name,
            best.method,
            tables,
            offsets,
            best.yes_tables,
            round(UNIT * _boundary(best.left_out, best.own, examples.yes)),
            examples,
            self.index.model,
            best.skill(examples.yes) if measured else None,
            tuple((one.description, one.skill(examples.yes)) for one in tried) if measured else (),
        )

    def grown(self, classifier: Classifier, answers: Mapping[str, str]) -> Classifier:
        """Return the classifier with more answers; to an item that it knows, the new answer counts."""
        return self.learn_examples(classifier.name, classifier.examples.joined(self.examples(answers)))

    def _linear(self, examples: Examples, points: Floats) -> list[_Tried]:
        tried = []
        for penalty in PENALTIES:
            fit = fit_linear(examples, points, self.background, penalty)
            own, vectors, offsets = points @ fit.weights + fit.offset, fit.weights[None], np.array([fit.offset])
            tried.append(_Tried("tables", f"tables, penalty {penalty:g}", vectors, offsets, 1, fit.left_out, own))
        return tried

    def _prototypes(self, examples: Examples, points: Floats) -> list[_Tried]:
        tried, mean = [], self.background.mean
        yeses = len(np.unique(examples.recordings[examples.yes]))
        for groups in range(1, 1 + max(1, min(MOST_GROUPS, yeses // 2))):
            means = fit_means(points, examples.yes, mean, groups)
            vectors = np.concatenate([means.yes, means.no])
            scores, own = left_out_scores(examples, points, mean, groups), means.scores(points)
            name = "1 prototype" if groups == 1 else f"{groups} prototypes"
            tried.append(_Tried("prototypes", name, vectors, means.offsets, len(means.yes), scores, own))
        return tried


class _Tried(NamedTuple):
    """One way to classify, and the scores of the examples: by other recordings, and by all."""

    method: str
    description: str
    vectors: Floats
    offsets: Floats
    yes_tables: int
    left_out: Floats
    own: Floats

    def skill(self, yes: npt.NDArray[np.bool_]) -> Skill:
        return skill_of(self.left_out, yes)


def _boundary(left_out: Floats, own: Floats, yes: npt.NDArray[np.bool_]) -> float:
    """Return the score from which on to say yes: where both kinds of errors of the left-out scores are the fewest.

    Without a no, it is half of the lowest score of a yes.
    """
    scores = np.where(np.isfinite(left_out), left_out, own)
    if yes.all():
        return float(own.min()) / 2
    steps = np.sort(scores)
    middles = np.concatenate([steps[:1] - 1e-3, (steps[1:] + steps[:-1]) / 2, steps[-1:] + 1e-3])
    missed = (scores[yes][:, None] < middles).mean(axis=0)
    false = (scores[~yes][:, None] >= middles).mean(axis=0)
    errors = missed + false
    best = np.flatnonzero(errors <= errors.min() + 1e-9)
    return float(middles[best[len(best) // 2]])
