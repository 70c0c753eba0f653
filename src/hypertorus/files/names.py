"""Names of rows as two tensors: all of them one after the other as UTF-8, and where each ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowNames:
    """A name for each row; those of an opened file stay mapped until they are asked for.

    Half of a surrogate pair, as Python has it in names of files that are no UTF-8, is kept as UTF-8 would have it.

    >>> names = RowNames.of(["jay", "", "Waldkauz"])
    >>> names.ends.tolist(), names.tolist(), names.at(np.array([2, 0]))
    ([3, 3, 11], ['jay', '', 'Waldkauz'], ['Waldkauz', 'jay'])
    """

    text: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.int64]

    @classmethod
    def of(cls, names: Iterable[str]) -> RowNames:
        encoded = [_encoded(name) for name in names]
        ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def tolist(self) -> list[str]:
        """Return all names; bytes that are no UTF-8 are a ValueError."""
        text, ends = self.text.tobytes(), self.ends.tolist()
        return [_decoded(text[begin:end]) for begin, end in pairwise([0, *ends])]

    def at(self, positions: Positions) -> list[str]:
        """Return the names at these positions, and read no others."""
        begins, ends = self._begins(positions).tolist(), self.ends[positions].tolist()
        return [_decoded(self.text[begin:end].tobytes()) for begin, end in zip(begins, ends, strict=True)]

    def take(self, positions: Positions) -> RowNames:
        """Return the names at these positions as they are stored."""
        begins = self._begins(positions)
        lengths = self.ends[positions] - begins
        ends = np.cumsum(lengths, dtype=np.int64)
        if len(positions) and positions[-1] - positions[0] + 1 == len(positions) and np.all(np.diff(positions) == 1):
            return RowNames(self.text[begins[0] : self.ends[positions[-1]]], ends)
        places = np.arange(int(lengths.sum())) + np.repeat(begins - ends + lengths, lengths)
        return RowNames(self.text[places], ends)

    def check(self) -> None:
        """Raise a ValueError unless the ends ascend to the end of the text, and all of it is UTF-8."""
        last = int(self.ends[-1]) if len(self.ends) else 0
        if last != len(self.text) or np.any(np.diff(self.ends, prepend=0) < 0):
            raise ValueError("its names do not end where they should")
        for begin in range(0, len(self), _NAMES_AT_ONCE):
            self.take(np.arange(begin, min(len(self), begin + _NAMES_AT_ONCE))).tolist()

    def _begins(self, positions: Positions) -> Positions:
        return np.where(positions > 0, self.ends[np.maximum(positions - 1, 0)], 0)


_NAMES_AT_ONCE = 2**16


def _encoded(name: str) -> bytes:
    return name.encode(errors="surrogatepass")


def _decoded(text: bytes) -> str:
    return text.decode(errors="surrogatepass")
