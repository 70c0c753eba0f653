"""A table of constants in C, and its size in flash."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Table:
    """An array of numbers or of labels with its name in C and a comment."""

    name: str
    numbers: npt.NDArray[Any]
    comment: str
    group: str
    """Group of tables that its bytes are counted in."""
    sizes: tuple[str, ...] = ()
    """Lengths of its dimensions in C, if they have names."""
    aligned: bool = False

    @property
    def bytes(self) -> int:
        return int(self.numbers.nbytes)

    def c(self) -> str:
        """Return its definition in C, in flash.

        >>> print(Table("ht_shifts_1", np.array([3, 4], np.uint8), "How far.", "shifts").c())
        /*  How far. */
        static const uint8_t ht_shifts_1[2] HYPERTORUS_FLASH = {
            3, 4,
        };
        """
        sizes = "".join(f"[{size}]" for size in self.sizes or map(str, self.numbers.shape))
        kind = "char" if self.numbers.dtype.kind == "S" else f"{self.numbers.dtype}_t"
        if kind == "char":
            sizes += "[HT_LABEL_BYTES]"
        rows = self.numbers if self.numbers.ndim == 2 else [self.numbers]
        lines = [_row(row, braces=self.numbers.ndim == 2) for row in rows]
        comment = "\n".join(textwrap.wrap(self.comment, 116, initial_indent="/*  ", subsequent_indent=" *  "))
        aligned = " HT_ALIGNED" if self.aligned else ""
        definition = f"static const {kind} {self.name}{sizes}{aligned} HYPERTORUS_FLASH = {{"
        return "\n".join([comment + " */", definition, *lines, "};"])


def _row(row: Any, *, braces: bool) -> str:
    if row.dtype.kind == "S":
        text = ", ".join(_text(label) for label in row)
    else:
        text = ", ".join(f"{number}u" if row.dtype == np.uint32 else str(number) for number in row)
    text = f"{{{text}}}," if braces else f"{text},"
    return textwrap.fill(
        text,
        120,
        initial_indent="    ",
        subsequent_indent="     " if braces else "    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _text(label: bytes) -> str:
    """Return a label as a C string; bytes outside plain ASCII are octal, which cannot run into what follows."""
    plain = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in label)
    return '"' + "".join(plain) + '"'
