"""The cost of quantisers, as in the paper's table: size of the codebook, bits, and number of codes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hypertorus.codes.by_name import quantiser
from hypertorus.spaces import Space

COLUMNS = ("quantiser", "codebook, numbers", "bits a vector", "possible values")


@dataclass(frozen=True)
class Cost:
    """The cost of one quantiser."""

    quantiser: str
    codebook_size: int
    bits_per_vector: int

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """A row of the table."""
        bits = self.bits_per_vector
        digits = bits * math.log10(2)
        values = f"{2**bits:,}" if bits <= 16 else f"{10 ** (digits % 1):.1f}e{int(digits)}"
        return self.quantiser, f"{self.codebook_size:,}", f"{bits:,}", values


def costs(names: Sequence[str], space: Space) -> list[Cost]:
    """The cost of each quantiser by name; those that the dimensions of the space do not divide into are left out.

    >>> from hypertorus import TorusN
    >>> costs(["8bit", "pq8x16"], TorusN(16))
    [Cost(quantiser='8bit', codebook_size=0, bits_per_vector=64)]
    """
    made = []
    for name in names:
        try:
            one = quantiser(name, space)
        except ValueError:
            continue
        made.append(Cost(name, one.codebook_size, one.bits_per_vector))
    return made


def costs_table(names: Sequence[str], space: Space) -> list[tuple[str, str, str, str]]:
    """A row of cells for each quantiser, below `COLUMNS`."""
    cells = {cost.quantiser: cost.cells for cost in costs(names, space)}
    return [cells.get(name, (name, "-", "-", "does not divide")) for name in names]
