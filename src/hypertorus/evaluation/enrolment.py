"""Thresholds of learned words: speakers whose clips are known enrol words and say others, and the scores are counted.

A network knows the speakers that it was trained on better than others, so of others more passes than was asked for.
`share_for_strangers` finds how much less to ask for, by networks that were trained without some of the speakers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.classes.word_scores import NO_WORD, Scores, check_metric, likeness_of, word_scores
from hypertorus.codes.circular_mean import arrows, nearest_code
from hypertorus.codes.protocol import Codes, check_codes

Labels = npt.NDArray[Any]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EnrolmentScores:
    """Scores of clips that were said after enrolment, in the integers of `hypertorus_words.h`."""

    wanted: Scores
    """Score of each clip of an enrolled word; 2^31 - 1, which no threshold accepts, where another word was nearer."""
    others: Scores
    """Score of the nearest word for each clip of any other word; 2^31 - 1 where that is never an answer."""

    def threshold(self, false_accepts: float = 0.05) -> int:
        """Return the largest threshold at which no more than this share of the other clips is accepted.

        A clip is accepted if its score is not above the threshold.

        >>> EnrolmentScores(np.array([-9]), np.array([5, 3, 8, 3])).threshold(0.25)
        2
        """
        if not 0 <= false_accepts < 1:
            raise ValueError(f"false_accepts is {false_accepts}; it is a share, at least 0 and less than 1.")
        if len(self.others) == 0:
            raise ValueError("there are no clips of other words to set a threshold by; enrol fewer words.")
        return int(np.sort(self.others)[int(false_accepts * len(self.others))]) - 1

    def best_threshold(self) -> int:
        """Return the threshold of the best balanced accuracy; of several that are equally good, the lowest.

        >>> EnrolmentScores(np.array([-9, -7, 4]), np.array([5, 3, 8, 6])).best_threshold()
        4
        """
        candidates = np.unique(self.wanted)
        accepted = [
            np.searchsorted(np.sort(part), candidates, side="right") / len(part) for part in (self.wanted, self.others)
        ]
        return int(candidates[np.argmax(accepted[0] - accepted[1])])

    def balanced_accuracy(self, threshold: int) -> float:
        """Return the mean of the share of enrolled words that are accepted and of others that are not.

        >>> EnrolmentScores(np.array([-9, -7, 4]), np.array([5, 3, 8, 6])).balanced_accuracy(4)
        0.875
        """
        return (self.true_accepts(threshold) + 1 - self.false_accepts(threshold)) / 2

    def true_accepts(self, threshold: int) -> float:
        """Return the share of the clips of enrolled words that are accepted as the right word."""
        return float((self.wanted <= threshold).mean())

    def false_accepts(self, threshold: int) -> float:
        """Return the share of the clips of other words that are accepted as any word."""
        return float((self.others <= threshold).mean())


@dataclass(frozen=True)
class Enrolment:
    """How words are enrolled: `words` that are answers, from `shots` examples each, all of one speaker.

    The speaker enrols `others` further words, which are stored and are never answers, as a program does that waits for
    one of its words. With `apart` every example takes a place of its own under the name of its word, which suits what
    is said in several ways, such as the song and the calls of a bird. `background` codes [b, dim] are such words of
    nobody; of those with `background_labels`, the ones with the label of an enrolled word are left out.
    """

    words: int = 1
    others: int = 0
    shots: int = 5
    metric: str = "cosine"
    apart: bool = False
    background: Codes | None = None
    background_labels: Labels | None = None

    def __post_init__(self) -> None:
        check_metric(self.metric)
        for name, least in {"words": 1, "others": 0, "shots": 1}.items():
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least {least}.")

    def scores(
        self, codes: Codes, labels: npt.ArrayLike, speakers: npt.ArrayLike, *, episodes: int = 200, seed: int = 0
    ) -> EnrolmentScores:
        """Return the scores of codes [n, dim], with a label and a speaker [n] each, in `episodes` for each speaker.

        In an episode a speaker enrols random words from random clips, and says all other clips. Speakers who have too
        few words or clips are left out.

        >>> rng = np.random.default_rng(0)
        >>> speakers, labels = np.repeat(np.arange(4), 60), np.tile(np.arange(6), 40)
        >>> codes = (rng.integers(0, 256, (6, 32))[labels] + rng.normal(0, 25, (240, 32))).astype(int) % 256
        >>> training, new = speakers < 3, speakers == 3
        >>> known = Enrolment(words=2).scores(codes[training], labels[training], speakers[training])
        >>> threshold = known.threshold(false_accepts=0.05)
        >>> Enrolment(words=2).scores(codes[new], labels[new], speakers[new]).true_accepts(threshold)
        1.0
        """
        given = np.asarray(codes)
        codes = check_codes(given, given.shape[1] if given.ndim == 2 else 0, 8)
        labels, speakers = np.asarray(labels), np.asarray(speakers)
        if not len(codes) == len(labels) == len(speakers):
            raise ValueError(
                f"there are {len(codes)} codes, {len(labels)} labels and {len(speakers)} speakers; each code has one."
            )
        rng, wanted, others = np.random.default_rng(seed), list[Scores](), list[Scores]()
        for clips in self._speakers(labels, speakers):
            for _ in range(episodes):
                said = self._episode(codes, labels, clips, rng)
                wanted.append(said.wanted)
                others.append(said.others)
        if not wanted:
            raise ValueError(
                f"no speaker has {self.words + self.others} words of more than {self.shots} clips; take fewer words or "
                "shots."
            )
        return EnrolmentScores(np.concatenate(wanted), np.concatenate(others))

    def _speakers(self, labels: Labels, speakers: Labels) -> Iterator[dict[Any, Positions]]:
        """Yield the clips of each speaker who can enrol, by label."""
        for speaker in np.unique(speakers):
            own = np.flatnonzero(speakers == speaker)
            clips = {label: own[labels[own] == label] for label in np.unique(labels[own]).tolist()}
            if sum(len(rows) > self.shots for rows in clips.values()) >= self.words + self.others:
                yield clips

    def _episode(
        self, codes: Codes, labels: Labels, clips: dict[Any, Positions], rng: np.random.Generator
    ) -> EnrolmentScores:
        enough = [label for label, rows in clips.items() if len(rows) > self.shots]
        chosen = [enough[i] for i in rng.choice(len(enough), self.words + self.others, replace=False)]
        support = np.stack([rng.choice(clips[label], self.shots, replace=False) for label in chosen])
        said = np.setdiff1d(np.concatenate(list(clips.values())), support)
        shots = 1 if self.apart else self.shots  # of each place
        sums = arrows(codes[support].reshape(-1, shots, codes.shape[1]), 8).sum(axis=1)
        places, groups = nearest_code(sums, 8), np.repeat(np.arange(len(chosen)), self.shots // shots)
        likeness = likeness_of(places, sums, shots)
        background = self._background(chosen)
        nearest, scores = word_scores(codes[said], places, likeness, background, self.metric, groups)
        word = groups[nearest]
        own = np.where(word < self.words, scores[np.arange(len(said)), nearest], NO_WORD)
        wanted = np.isin(labels[said], chosen[: self.words])
        is_right = labels[said] == np.array(chosen)[word]
        return EnrolmentScores(np.where(is_right, own, NO_WORD)[wanted], own[~wanted])

    def _background(self, chosen: list[Any]) -> Codes | None:
        if self.background is None or self.background_labels is None:
            return self.background
        return self.background[~np.isin(self.background_labels, chosen)]


def share_for_strangers(pairs: Sequence[tuple[EnrolmentScores, EnrolmentScores]], false_accepts: float = 0.05) -> float:
    """Return the share of false accepts to ask of known speakers so that speakers never heard have `false_accepts`.

    Each pair is of one network that was trained without some of the speakers: the scores of those it was trained on,
    and of those it was not. Shares can be compared between networks where scores cannot, so what comes out serves the
    network of all speakers: `scores.threshold(share)`. It is the largest share with which the strangers of the pairs
    have no more than `false_accepts`, in the mean of the pairs.

    >>> known, strangers = (EnrolmentScores(np.empty(0), np.arange(10_000) * pace) for pace in (2, 1))
    >>> round(share_for_strangers([(known, strangers)], 0.05), 3)
    0.025
    """
    if not pairs:
        raise ValueError("pairs is empty; pass the scores of at least one network that some speakers were kept from.")
    low, high = 0.0, 1.0 - 2.0**-20
    for _ in range(40):
        share = (low + high) / 2
        passed = [strangers.false_accepts(known.threshold(share)) for known, strangers in pairs]
        low, high = (share, high) if np.mean(passed) <= false_accepts else (low, share)
    return low
