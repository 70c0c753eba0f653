"""Answers and what is learnt from them: says, undoes, learns and chooses what to ask next."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from hypertorus.explorer.asked import MOST, Asked
from hypertorus.explorer.cards import card
from hypertorus.explorer.collection import Collection, Numbers
from hypertorus.explorer.query import known
from hypertorus.workbench import ANSWERS, WAYS, Answers, Bands, Classifier, Learner, choose
from hypertorus.workbench.classifier import Scores

SAMPLE = "sample"
"""The way of asking that answers how good a threshold is: random items of each band of scores."""
PER_BAND = 10


class Learnt(NamedTuple):
    """A class as it was learnt from certain answers, and the score of every item."""

    answers: Mapping[str, str]
    classifier: Classifier
    scores: Scores
    seconds: float
    """How long learning took, and scoring everything."""


class Bench:
    """One notebook of answers over one collection; several tabs and threads may use it at once."""

    def __init__(self, collection: Collection, answers: Answers, who: str) -> None:
        self.collection, self.answers, self.who = collection, answers, who
        self.items = collection.items
        self.learner = Learner(collection.index, self.items)
        self._learnt: dict[str, Learnt] = {}
        self._learning = threading.Lock()

    def said(self) -> dict[str, Any]:
        """Return all answers that stand, by class and id, in the order in which the classes were first named."""
        classes = {}
        for question in self.answers.questions():
            current = self.answers.current(question)
            rows = self.items.rows(current).tolist()
            pairs = zip(rows, current.values(), strict=True)
            classes[question] = {str(self.items.ids[row]): answer for row, answer in pairs if row >= 0}
        return {"who": self.who, "classes": classes}

    def say(self, asked: Asked) -> dict[str, Any]:
        """Write an answer for some ids; it is on disk when this returns."""
        ids, question = known(self.collection, asked.ids("ids")), asked.text("question", longest=200)
        answer, who = asked.text("answer"), asked.text("who", self.who, longest=200)
        if answer not in ANSWERS:
            raise ValueError(f"answer is {answer!r:.40}; choose one of {', '.join(ANSWERS)}.")
        way = asked.text("way") if "way" in asked else ""
        keys = [self.items.key(row) for row in self.collection.rows(ids).tolist()]
        self.answers.say_all([(key, answer) for key in keys], question, who=who, way=way)
        return {"ids": ids, "question": question, "answer": answer}

    def undo(self, asked: Asked) -> dict[str, Any]:
        """Take back the last answer of a person, and return what now stands for its item."""
        last = self.answers.undo(asked.text("who", self.who, longest=200))
        if last is None:
            raise ValueError("there is no answer of yours to take back.")
        row = self.items.row(last.item)
        now = self.answers.current(last.question).get(last.item)
        number = None if row is None else int(self.items.ids[row])
        return {"id": number, "question": last.question, "answer": last.answer, "now": now}

    def learn(self, asked: Asked) -> dict[str, Any]:
        """Learn a class from its answers, and return how, and how good it is on recordings that were left out."""
        learnt = self.learnt(asked.text("question"))
        classifier = learnt.classifier
        yes = int(classifier.examples.yes.sum())
        return {
            "question": classifier.name,
            "method": classifier.method,
            "yes": yes,
            "no": len(classifier.examples) - yes,
            "skill": None if classifier.skill is None else classifier.skill._asdict(),
            "compared": [{"way": name, **skill._asdict()} for name, skill in classifier.compared],
            "seconds": learnt.seconds,
        }

    def ask(self, asked: Asked) -> dict[str, Any]:
        """Return what to ask next as cards: those that were answered are left out."""
        question, way = asked.text("question"), asked.text("way")
        k, learnt = asked.whole("k", 1, MOST, 24), self.learnt(question)
        classifier, scores = learnt.classifier, learnt.scores
        if way == SAMPLE:
            rows = Bands(scores, self.items, classifier).ask_more(self.answers.current(question), PER_BAND)[:k]
            folded: dict[int, tuple[int, ...]] = dict.fromkeys(rows, ())
        else:
            if way not in WAYS:
                raise ValueError(f"way is {way!r:.40}; choose one of {', '.join((*WAYS, SAMPLE))}.")
            chosen = choose(
                scores,
                self.items,
                way,
                k,
                boundary=classifier.boundary,
                band=(round(asked.number("low")), round(asked.number("high"))) if way == "band" else None,
                leave_out=self.items.rows(self.answers.current(question)),
                one_per_recording=asked.flag("one_each"),
                no_duplicates=self.collection.index,
            )
            folded = {choice.row: choice.folded for choice in chosen}
        shares = classifier.share(scores[list(folded)])
        results = []
        for (row, rest), share in zip(folded.items(), shares.tolist(), strict=True):
            same = self._copies(row, rest)
            facts = {"score": share, "same": same, "more": len(rest) - len(same)}
            results.append({**card(self.collection, int(self.items.ids[row])), **facts})
        return {"sentence": _sentence(way, question, len(results)), "query": [], "results": results}

    def _copies(self, row: int, rest: tuple[int, ...]) -> list[int]:
        """Return the ids of those that have the very same code as a row."""
        ids = self.items.ids[[row, *rest]]
        codes = self.collection.index.vectors(ids)
        same: list[int] = ids[1:][(codes[1:] == codes[0]).all(axis=1)].tolist()
        return same

    def learnt(self, question: str) -> Learnt:
        """Return a class as it is learnt from the answers that stand now."""
        measured = self._measured(question)
        current = {key: said for key, said in self.answers.current(question).items() if key not in measured}
        with self._learning:
            before = self._learnt.get(question)
            if before is not None and before.answers == current:
                return before
            begun = time.perf_counter()
            classifier = self.learner.learn(question, current)
            scores = classifier.scores(self.collection.index)
            learnt = Learnt(current, classifier, scores, time.perf_counter() - begun)
            self._learnt[question] = learnt
            return learnt

    def _measured(self, question: str) -> set[str]:
        """Return the keys that were answered as a random sample: they measure, and nothing is learnt from them."""
        lines = self.answers.history()
        undone = {line.undoes for line in lines}
        ways = {
            line.item: line.way
            for line in lines
            if line.question == question and line.undoes is None and line.number not in undone
        }
        return {key for key, way in ways.items() if way == SAMPLE}

    def rows_said(self, question: str, answer: str) -> Numbers:
        """Return the rows that were answered so."""
        rows = self.items.rows(key for key, said in self.answers.current(question).items() if said == answer)
        return np.unique(rows[rows >= 0])


def _sentence(way: str, question: str, count: int) -> str:
    if count == 0:
        return f"Nothing is left to ask about “{question}” in this way"
    what = {
        "best": "Most like",
        "boundary": "Least certain to be",
        "random": "At random: are these",
        "band": "From this band of scores: are these",
        SAMPLE: "A random sample of every band, to estimate a threshold: are these",
    }[way]
    return f"{what} “{question}”?"
