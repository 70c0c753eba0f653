"""The names of vectors: one text of all of them and where each ends, as the file of an index has it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.spaces._arrays import to_numpy


@dataclass(frozen=True, eq=False)
class RowNames:
    """Names in the order of the ids; of an opened index both arrays are mapped."""

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
        """All names; bytes that are no UTF-8 are a ValueError."""
        text, ends = self.text.tobytes(), self.ends.tolist()
        return [text[begin:end].decode() for begin, end in zip([0, *ends[:-1]], ends, strict=True)]

    def check(self) -> None:
        """Raise a ValueError unless the ends ascend to the end of the text."""
        last = int(self.ends[-1]) if len(self.ends) else 0
        if last != len(self.text) or np.any(np.diff(self.ends, prepend=0) < 0):
            raise ValueError("its names do not end where they should")
        self.tolist()


def check_names(names: Any, count: int) -> list[str]:
    """Names as a list of `count` strings."""
    array = to_numpy(names)
    if array.dtype.kind == "O" and all(isinstance(name, str) for name in array.flat):
        array = array.astype(np.str_)
    if array.dtype.kind != "U" or array.shape != (count,):
        raise ValueError(f"names is {array.dtype} of shape {array.shape} for {count} codes; pass a string for each.")
    return array.tolist()
