"""What trained models of words know, learn and reject on speakers never heard, by the integers of a chip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.bench.word_models import KINDS, Run, Trained, split_by_speakers, trained
from hypertorus.classes.word_scores import NO_WORD
from hypertorus.codes.protocol import Codes
from hypertorus.datasets import Data
from hypertorus.datasets.part import Part
from hypertorus.evaluation.enrolment import Enrolment, EnrolmentScores, share_for_strangers
from hypertorus.evaluation.prototypes import CodePrototypes
from hypertorus.export.from_model import integer_network_of
from hypertorus.export.model_layers import device_inputs
from hypertorus.export.streamed import streamed
from hypertorus.sound.chip_ear import ChipEar, int16
from hypertorus.sound.wave import read_wave

SHOTS, EPISODES = 5, 50
METRIC = "l1"
"""How learned words are compared: better than by cosine for training speakers who were left out, and cheaper."""
FALSE_ACCEPTS = (0.05, 0.01)
STREAMED = 4
"""One in so many training clips is heard in a stream, to make the means of known words; all would take long."""


def measured(folder: Path, run: Run, work: Path, shares: dict[str, float] | None = None) -> dict[str, Any]:
    """Return a run with its measures; it is trained in `work` unless it is there.

    `shares` are those of `shares_for_strangers`; without them, no threshold is fixed where there are new words.
    """
    done = trained(folder, run, work / run.name)
    codes = _Codes(done)
    learnt, said = codes(done.data.train), codes(done.data.test)
    facts: dict[str, Any] = {**run._asdict(), "held_out": list(run.held_out)}
    labels, words = done.data.test.labels.numpy(), done.data.train.labels.numpy()
    if not run.new_words:
        floats = known_words(done.model.encode(done.data.train), words, done.model.encode(done.data.test), labels)
        facts |= {"precision": known_words(learnt, words, said, labels), "precision_floats": floats}
        in_stream = {"precision_stream": codes.known_in_a_stream(folder, done.data)} if run.kind == "known" else {}
        return {**facts, **in_stream}  # an 8-bit chip has no memory for a stream
    whole, (speakers, _) = split_by_speakers(folder, run.held_out, KINDS[run.kind].ear)
    background = CodePrototypes(bits=8).fit(learnt, words).codes
    mine = keyword_scores(codes(whole.train), whole.train.labels.numpy(), speakers, run.new_words, background)
    theirs = keyword_scores(said, labels, done.test_speakers, run.new_words, background)
    return {
        **facts,
        "new_words": list(run.new_words),
        "three": enrolled_words(said, labels, done, run.new_words),
        "ten": enrolled_words(said, labels, done, tuple(range(len(done.data.classes)))),
        "keyword": [
            _accepts(mine, theirs, share, None if shares is None else shares[str(share)]) for share in FALSE_ACCEPTS
        ],
    }


def shares_for_strangers(
    folder: Path, rotation: int, work: Path, *, only_trained: bool = False
) -> dict[str, float] | None:
    """Return for each of `FALSE_ACCEPTS` the share to ask of training speakers, found by training speakers alone.

    Each training speaker of a rotation is left out of one further network, and is a stranger to it. A network is
    trained in `work` unless it is there; with `only_trained` none is, and None is returned if one is missing.
    """
    run = Run("learning", rotation, 0)
    whole, (speakers, _) = split_by_speakers(folder, run.held_out, KINDS[run.kind].ear)
    labels, pairs = whole.train.labels.numpy(), list[tuple[EnrolmentScores, EnrolmentScores]]()
    for speaker in sorted(set(speakers.tolist())):
        out = work / f"{run.name}-without-{speaker}"
        if only_trained and not (out / "config.json").exists():
            return None
        done = trained(folder, run, out, without=speaker)
        codes = _Codes(done)
        background = CodePrototypes(bits=8).fit(codes(done.data.train), done.data.train.labels.numpy()).codes
        known, stranger = (
            keyword_scores(codes(whole.train.take(rows)), labels[rows], speakers[rows], run.new_words, background)
            for rows in (np.flatnonzero(speakers != speaker), np.flatnonzero(speakers == speaker))
        )
        pairs.append((known, stranger))
    return {str(share): share_for_strangers(pairs, share) for share in FALSE_ACCEPTS}


class _Codes:
    """The integers of the chip: parts to codes."""

    def __init__(self, done: Trained) -> None:
        self.model = done.model
        self.network = integer_network_of(done.model, device_inputs(done.model, done.data.train))

    def __call__(self, part: Any) -> Codes:
        return self.network.encode(device_inputs(self.model, part))

    def known_in_a_stream(self, folder: Path, data: Data) -> float:
        """Return the precision of known words that are heard in a stream, by means of some of the training clips."""
        some = data.train.take(range(0, len(data.train), STREAMED))
        learnt, said = (self._streamed(folder, part) for part in (some, data.test))
        return known_words(learnt, some.labels.numpy(), said, data.test.labels.numpy())

    def _streamed(self, folder: Path, part: Part) -> Codes:
        ear = self.model.sound
        assert isinstance(ear, ChipEar)
        assert part.columns.names is not None
        waves = (read_wave(folder / name, ear.rate) for name in part.columns.names.tolist())
        return streamed(self.network, ear, np.stack([int16(ear.windows(wave)[0]) for wave in waves]))


def known_words(learnt: Codes, words: Any, said: Codes, labels: Any) -> float:
    """Return the share of clips whose nearest prototype, of training speakers, is that of their word."""
    return float((CodePrototypes(bits=8).fit(learnt, words).predict(said) == labels).mean())


def enrolled_words(said: Codes, labels: Any, done: Trained, words: tuple[int, ...]) -> float:
    """Return the share of clips that are known right after their own speaker enrolled each of these words."""
    rows = np.flatnonzero(np.isin(labels, words))
    enrolment = Enrolment(words=len(words), shots=SHOTS, metric=METRIC)
    scores = enrolment.scores(said[rows], labels[rows], done.test_speakers[rows], episodes=EPISODES)
    return scores.true_accepts(NO_WORD - 1)


def keyword_scores(
    codes: Codes, labels: Any, speakers: npt.NDArray[np.str_], keywords: tuple[int, ...], background: Codes
) -> EnrolmentScores:
    """Return the scores where a speaker enrols one of these keywords and then says it and all other words."""
    parts = []
    for keyword in keywords:
        own = np.where(labels == keyword, 0, 1 + np.arange(len(labels)))  # a clip alone is too few to be enrolled
        enrolment = Enrolment(words=1, shots=SHOTS, metric=METRIC, background=background)
        parts.append(enrolment.scores(codes, own, speakers, episodes=EPISODES // 5, seed=keyword))
    return EnrolmentScores(
        np.concatenate([part.wanted for part in parts]), np.concatenate([part.others for part in parts])
    )


def _accepts(mine: EnrolmentScores, theirs: EnrolmentScores, share: float, asked: float | None) -> dict[str, float]:
    """Return accepts of new speakers by the threshold of training speakers, of whom less is asked than is wanted.

    Beside them are the false accepts if as much were asked as is wanted, and the true accepts by a threshold at which
    the share is exact.
    """
    facts = {
        "false_accepts_wanted": share,
        "false_accepts_if_asked_as_wanted": theirs.false_accepts(mine.threshold(share)),
        "true_accepts_at_exact_share": theirs.true_accepts(theirs.threshold(share)),
    }
    if asked is None:
        return facts
    threshold = mine.threshold(asked)
    return {
        **facts,
        "false_accepts_asked": asked,
        "true_accepts": theirs.true_accepts(threshold),
        "false_accepts": theirs.false_accepts(threshold),
    }
