"""Words that are learnt from a few examples in whole numbers, bit for bit as a microcontroller learns them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hypertorus.classes.word_pages import Page, Shape, newest, page_bytes, read_page
from hypertorus.classes.word_scores import NO_WORD, Scores, check_metric, likeness_of, word_scores
from hypertorus.codes.circular_mean import Arrows, arrows, nearest_code
from hypertorus.codes.protocol import Codes, check_codes

MOST_EXAMPLES = 255
LIMITS = {"dim": (1, 32_767), "capacity": (1, 65_535), "name_bytes": (0, 255), "model": (0, 2**32 - 1)}


class WordMatches(NamedTuple):
    """The answer to each code."""

    places: npt.NDArray[np.int64]
    """Place of the word, -1 for none of these."""
    scores: Scores
    """Score of the nearest word, whether it was accepted or not: the lower, the surer."""


@dataclass
class Words:
    """A store of learned words, the twin of `hypertorus_words.h`: think of a drawer with a number on each place.

    A word is the circular mean of its examples, one 8-bit code, and a score says whether a code is that word and no
    other. It takes `dim` + 2 + `name_bytes` bytes: 40 with 32 coordinates. What is said in several ways, such as the
    song and the calls of a bird, is learnt in several places with one name. The codes of the `background` are further
    words, which no code is said to be. `model` is a number that another network would change: saved words are opened
    only where it is the same.

    >>> words = Words(dim=4, metric="l1")
    >>> words.learn(np.array([[10, 20, 30, 40], [12, 18, 30, 44]], np.uint8), "yes")
    0
    >>> words.learn(np.array([[140, 150, 160, 170]], np.uint8), "no")
    1
    >>> words.judge(np.array([[11, 19, 31, 41], [80, 80, 90, 100]], np.uint8), threshold=-200)
    WordMatches(places=array([ 0, -1]), scores=array([-504,  224]))
    >>> words.names
    {0: 'yes', 1: 'no'}
    """

    dim: int
    capacity: int = 10
    name_bytes: int = 6
    metric: str = "cosine"
    background: Codes | None = None
    model: int = 0
    records: npt.NDArray[np.uint8] = field(init=False, repr=False)
    """The memory of the store [capacity, bytes of a word], byte for byte that of the chip."""

    def __post_init__(self) -> None:
        check_metric(self.metric)
        for name, (least, most) in LIMITS.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be from {least:,} to {most:,}.")
        if self.background is not None:
            self.background = check_codes(self.background, self.dim, 8)
        self.records = np.zeros((self.capacity, self._shape.record), np.uint8)

    def __len__(self) -> int:
        return len(self.places)

    @property
    def places(self) -> npt.NDArray[np.int64]:
        """Places that have a word."""
        return np.flatnonzero(self.records[:, self.dim])

    @property
    def names(self) -> dict[int, str]:
        """Name of each word by its place."""
        return {place: self._name(place) for place in self.places.tolist()}

    @property
    def examples(self) -> dict[int, int]:
        """Number of examples of each word by its place."""
        return {place: int(self.records[place, self.dim]) for place in self.places.tolist()}

    @property
    def codes(self) -> Codes:
        """Codes [words, dim] in the order of `places`."""
        return self.records[self.places, : self.dim]

    @property
    def likeness(self) -> npt.NDArray[np.uint8]:
        """How alike the examples of each word are, 0 to 255, in the order of `places`; see `likeness_of`."""
        return self.records[self.places, self.dim + 1]

    @property
    def groups(self) -> list[bytes]:
        """The word of each of `places`: its name, or the number of the place where it has none."""
        names = [self.records[place, self.dim + 2 :].tobytes() for place in self.places]
        return [
            name if name[:1].strip(b"\0") else b"\0%d" % place for place, name in zip(self.places, names, strict=True)
        ]

    def learn(self, examples: Codes, name: str = "") -> int:
        """Learn a new word from the codes [n, dim] of its examples, in any order, and return its place."""
        free = np.flatnonzero(self.records[:, self.dim] == 0)
        if len(free) == 0:
            raise ValueError(f"all {self.capacity} places have words; forget one first.")
        text, place = self._encoded(name), int(free[0])
        self._store(place, np.zeros((self.dim, 2), np.int64), 0, examples)
        self.records[place, self.dim + 2 :] = np.frombuffer(text, np.uint8)
        return place

    def correct(self, place: int, examples: Codes) -> None:
        """Add examples [n, dim] to a word.

        The word counts for as many arrows along its code as it has had examples, all as long as their means were on
        average. So the result is close to the word that all examples at once give, but not always the same.
        """
        record = self.records[self._known(place)]
        count, alike = int(record[self.dim]), int(record[self.dim + 1])
        sums = (count * alike * arrows(record[: self.dim], 8) + 128) >> 8
        self._store(place, sums, count, examples)

    def forget(self, place: int) -> None:
        """Forget a word; its place is free."""
        self.records[self._known(place)] = 0

    def rename(self, place: int, name: str) -> None:
        """Give a word another name, of at most `name_bytes` bytes in UTF-8."""
        text = self._encoded(name)
        self.records[self._known(place), self.dim + 2 :] = np.frombuffer(text, np.uint8)

    def judge(self, codes: Codes, threshold: int = NO_WORD) -> WordMatches:
        """Return the nearest word of each code [n, dim], and none of these where its score is above the threshold."""
        codes = check_codes(codes, self.dim, 8)
        if len(self) == 0:
            return WordMatches(np.full(len(codes), -1), np.full(len(codes), NO_WORD))
        nearest, scores = word_scores(codes, self.codes, self.likeness, self.background, self.metric, self.groups)
        own = scores[np.arange(len(codes)), nearest]
        return WordMatches(np.where(own <= threshold, self.places[nearest], -1), own)

    def page(self, save: int = 0) -> bytes:
        """Return the bytes that a chip writes to a page of flash in the save of this number, 0 to 65,535."""
        places = self.places
        last = int(places[-1]) + 1 if len(places) else 0
        return page_bytes(self._shape, Page(save, self.records[:last].tobytes()))

    def open(self, pages: Sequence[bytes]) -> Self:
        """Replace all words with those of the newer of two pages, and raise an error if neither is whole."""
        read = [read_page(self._shape, page, self.capacity) for page in pages]
        position = newest(read)
        page = None if position is None else read[position]
        if page is None:
            raise ValueError(
                f"neither page holds whole words of {self.dim} coordinates, names of {self.name_bytes} bytes and model "
                f"{self.model} that fit {self.capacity} places; save them again."
            )
        self.records[:] = 0
        known = np.frombuffer(page.records, np.uint8).reshape(-1, self._shape.record)
        self.records[: len(known)] = known
        return self

    @property
    def _shape(self) -> Shape:
        return Shape(self.dim, self.name_bytes, self.model)

    def _store(self, place: int, sums: Arrows, count: int, examples: Any) -> None:
        examples = check_codes(examples, self.dim, 8)
        count += len(examples)
        if len(examples) == 0 or count > MOST_EXAMPLES:
            raise ValueError(f"the word would have {count} examples, {len(examples)} of them new; it has 1 to 255.")
        sums = sums + arrows(examples, 8).sum(axis=0)
        code = nearest_code(sums, 8)
        self.records[place, : self.dim + 2] = [*code, count, int(likeness_of(code, sums, count))]

    def _known(self, place: int) -> int:
        if place not in self.places:
            raise ValueError(f"place {place} has no word; the places with words are {self.places.tolist()}.")
        return place

    def _name(self, place: int) -> str:
        return self.records[place, self.dim + 2 :].tobytes().rstrip(b"\0").decode(errors="replace")

    def _encoded(self, name: str) -> bytes:
        text = name.encode()
        if len(text) > self.name_bytes or b"\0" in text:
            raise ValueError(
                f"name is {name!r}, {len(text)} bytes in UTF-8; it has at most {self.name_bytes}, none zero."
            )
        return text.ljust(self.name_bytes, b"\0")
