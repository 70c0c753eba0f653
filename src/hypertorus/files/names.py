"""Names of rows as two tensors: all of them one after the other as UTF-8, and where each ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class RowNames:
    """A name for each row; those of an opened file stay mapped until they are listed.

    >>> names = RowNames.of(["jay", "", "Waldkauz"])
    >>> names.ends.tolist(), names.tolist()
    ([3, 3, 11], ['jay', '', 'Waldkauz'])
    """

    text: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.int64]

    @classmethod
    def of(cls, names: Iterable[str]) -> RowNames:
        encoded = [name.encode() for name in names]
        ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def tolist(self) -> list[str]:
        """Return all names; bytes that are no UTF-8 are a ValueError."""
        text, ends = self.text.tobytes(), self.ends.tolist()
        return [text[begin:end].decode() for begin, end in zip([0, *ends[:-1]], ends, strict=True)]

    def check(self) -> None:
        """Raise a ValueError unless the ends ascend to the end of the text, and all of it is UTF-8."""
        last = int(self.ends[-1]) if len(self.ends) else 0
        if last != len(self.text) or np.any(np.diff(self.ends, prepend=0) < 0):
            raise ValueError("its names do not end where they should")
        self.tolist()
