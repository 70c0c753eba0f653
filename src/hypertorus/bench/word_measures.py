"""What trained models of words know, learn and reject on speakers never heard, by the integers of a chip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.bench.word_models import KINDS, Run, Trained, split_by_speakers, trained
from hypertorus.classes.word_scores import NO_WORD
from hypertorus.codes.protocol import Codes
from hypertorus.evaluation.enrolment import Enrolment, EnrolmentScores
from hypertorus.evaluation.prototypes import CodePrototypes
from hypertorus.export.from_model import integer_network_of
from hypertorus.export.model_layers import device_inputs

SHOTS, EPISODES = 5, 50
FALSE_ACCEPTS = (0.05, 0.01)


def measured(folder: Path, run: Run, out: Path) -> dict[str, Any]:
    """Return a run with its measures; it is trained in the folder `out` unless it is there."""
    done = trained(folder, run, out)
    network = integer_network_of(done.model, device_inputs(done.model, done.data.train))

    def codes(part: Any) -> Codes:
        return network.encode(device_inputs(done.model, part))

    learnt, said = codes(done.data.train), codes(done.data.test)
    facts: dict[str, Any] = {**run._asdict(), "held_out": list(run.held_out)}
    labels, words = done.data.test.labels.numpy(), done.data.train.labels.numpy()
    if not run.new_words:
        floats = known_words(done.model.encode(done.data.train), words, done.model.encode(done.data.test), labels)
        return {**facts, "precision": known_words(learnt, words, said, labels), "precision_floats": floats}
    whole, (speakers, _) = split_by_speakers(folder, run.held_out, KINDS[run.kind].ear)
    background = CodePrototypes(bits=8).fit(learnt, words).codes
    mine = keyword_scores(codes(whole.train), whole.train.labels.numpy(), speakers, run.new_words, background)
    theirs = keyword_scores(said, labels, done.test_speakers, run.new_words, background)
    return {
        **facts,
        "new_words": list(run.new_words),
        "three": enrolled_words(said, labels, done, run.new_words),
        "ten": enrolled_words(said, labels, done, tuple(range(len(done.data.classes)))),
        "keyword": [_accepts(mine, theirs, share) for share in FALSE_ACCEPTS],
    }


def known_words(learnt: Codes, words: Any, said: Codes, labels: Any) -> float:
    """Return the share of clips whose nearest prototype, of training speakers, is that of their word."""
    return float((CodePrototypes(bits=8).fit(learnt, words).predict(said) == labels).mean())


def enrolled_words(said: Codes, labels: Any, done: Trained, words: tuple[int, ...]) -> float:
    """Return the share of clips that are known right after their own speaker enrolled each of these words."""
    rows = np.flatnonzero(np.isin(labels, words))
    enrolment = Enrolment(words=len(words), shots=SHOTS)
    scores = enrolment.scores(said[rows], labels[rows], done.test_speakers[rows], episodes=EPISODES)
    return scores.true_accepts(NO_WORD - 1)


def keyword_scores(
    codes: Codes, labels: Any, speakers: npt.NDArray[np.str_], keywords: tuple[int, ...], background: Codes
) -> EnrolmentScores:
    """Return the scores where a speaker enrols one of these keywords and then says it and all other words."""
    parts = []
    for keyword in keywords:
        own = np.where(labels == keyword, 0, 1 + np.arange(len(labels)))  # a clip alone is too few to be enrolled
        enrolment = Enrolment(words=1, shots=SHOTS, background=background)
        parts.append(enrolment.scores(codes, own, speakers, episodes=EPISODES // 5, seed=keyword))
    return EnrolmentScores(
        np.concatenate([part.wanted for part in parts]), np.concatenate([part.others for part in parts])
    )


def _accepts(mine: EnrolmentScores, theirs: EnrolmentScores, share: float) -> dict[str, float]:
    """Return accepts of new speakers, by the threshold of training speakers and by one at which the share is exact."""
    threshold = mine.threshold(share)
    return {
        "false_accepts_wanted": share,
        "true_accepts": theirs.true_accepts(threshold),
        "false_accepts": theirs.false_accepts(threshold),
        "true_accepts_at_exact_share": theirs.true_accepts(theirs.threshold(share)),
    }
