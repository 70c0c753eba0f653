"""The coarse part: the top bits of the first coordinates of each code, apart from the codes, for a first pass.

`native/coarse.c` says what the first pass can leave out, and proves it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hypertorus.codes.narrow import check_coordinates
from hypertorus.search._library import aligned, call
from hypertorus.search._rows import Shape

COARSE_BITS = (4, 2, 1)
MOST_BITS = 2048
"""Bits of a coarse code that a sum of 16 bits can take."""

MEASURED_K = 10
"""The number of neighbours of which recall is measured."""

_SCATTERED = 56  # codes of a scan that cost as much as one that is looked up by itself, as measured


@dataclass(frozen=True)
class CoarseFacts:
    """What a coarse part is of, and what it was found to be worth when it was made."""

    coordinates: int
    bits: int
    share: float = 1.0
    """The share of codes whose distance an exact search has to compute."""
    recalls: tuple[float, ...] = ()
    """The recall of looking at the best 1, 2, 4, 8 ... times as many codes as neighbours are asked for."""

    def __str__(self) -> str:
        return f"a coarse part of {self.coordinates} x {self.bits} bits"

    @property
    def metadata(self) -> dict[str, str]:
        """What a file says of the coarse part besides its array."""
        return {
            "coarse.coordinates": str(self.coordinates),
            "coarse.bits": str(self.bits),
            "coarse.share": json.dumps(self.share),
            "coarse.recalls": json.dumps(self.recalls),
        }

    def block_bytes(self, count: int) -> int:
        return call("ht_coarse_bytes", count, self.coordinates, self.bits)

    def pays(self, shape: Shape) -> bool:
        """Whether an exact search of codes of this shape in two passes is cheaper than one pass over all of them."""
        return self.coordinates * self.bits / (shape.dim * shape.bits) + _SCATTERED * self.share < 1

    def reranked_for(self, recall: float, k: int, live: int) -> tuple[int, float]:
        """How many of `live` codes to look at for this recall, and the recall of as many.

        It is 0 and 1 where only an exact search has this recall, or looks at no more codes.

        >>> facts = CoarseFacts(8, 2, share=0.1, recalls=(0.5, 0.9, 0.99))
        >>> facts.reranked_for(0.9, 20, live=1000), facts.reranked_for(0.9, 20, live=100)
        ((40, 0.9), (0, 1.0))
        """
        enough = ((2**power * k, measured) for power, measured in enumerate(self.recalls) if measured >= recall)
        most, measured = next(enough, (0, 1.0)) if recall < 1 else (0, 1.0)
        return (most, measured) if most < self.share * live else (0, 1.0)


@dataclass(frozen=True, eq=False)
class Coarse:
    """The coarse part of a segment, at the positions of its codes."""

    facts: CoarseFacts
    strips: npt.NDArray[np.uint8]

    @classmethod
    def empty(cls, facts: CoarseFacts, capacity: int) -> Coarse:
        strips = aligned(facts.block_bytes(capacity))
        strips[:] = 0  # what lies beyond the codes is scanned, too
        return cls(facts, strips)

    def put(self, shape: Shape, first: int, rows: npt.NDArray[np.uint8]) -> None:
        """Write the coarse part of packed rows."""
        facts = self.facts
        call("ht_coarse_put", self.strips, facts.coordinates, facts.bits, shape.dim, shape.bits, first, rows, len(rows))


def coarse_facts(shape: Shape, coordinates: int | None, bits: int) -> CoarseFacts:
    """A coarse part of codes of this shape, checked; it has all coordinates unless told otherwise."""
    kept = check_coordinates(coordinates, shape.dim)
    if isinstance(bits, bool) or bits not in COARSE_BITS or bits > shape.bits:
        raise ValueError(f"bits is {bits!r}; of codes of {shape.bits} bits a coarse part has 4, 2 or 1, and not more.")
    if kept * bits >= shape.dim * shape.bits or kept * bits > MOST_BITS:
        raise ValueError(
            f"a coarse part of {kept} coordinates of {bits} bits is no smaller than the codes, which have {shape.dim} "
            f"of {shape.bits}, or has more than {MOST_BITS:,} bits; pass fewer coordinates or bits."
        )
    return CoarseFacts(kept, int(bits))
