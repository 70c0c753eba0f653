"""Cells: codes that are near each other lie side by side, and a search passes over what is proved to be too far.

A cell has a centre, which is a code like any other, and its codes are sorted by their radius, the distance to the
centre. `native/cells.c` says what can be passed over, and proves it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SAMPLED = 8
"""The radius of every eighth code is kept: enough to find a slice of a cell to within a block."""

WORTH = 0.5
"""Cells of which a query looks at a larger share than this are no gain over a plain scan."""

CELL_ARRAYS = ("centres", "ends", "order", "reaches", "samples")


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells that the first `count` positions of a segment lie in, one cell after the other."""

    centres: npt.NDArray[np.uint8]  # blocks, as codes are stored
    ends: npt.NDArray[np.uint64]  # [cells], the position after the last of each cell
    order: npt.NDArray[np.uint32] | npt.NDArray[np.int64]  # [count], positions in the order in which they were added
    reaches: npt.NDArray[np.uint32]  # [cells], the radius of the last code of each cell
    samples: npt.NDArray[np.uint32]  # [count / 8], the radius of every eighth position
    ascending: bool = False
    """Whether ids ascend in the order in which they were added."""
    share: float = 1.0
    """The share of codes that a query looks at, measured when they were arranged."""
    recalls: tuple[float, ...] = ()
    """The recall of looking at the nearest 1, 2, 4, 8 ... cells only, measured likewise."""

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def count(self) -> int:
        return len(self.order)

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in CELL_ARRAYS)

    @property
    def pays(self) -> bool:
        return self.share <= WORTH

    @property
    def metadata(self) -> dict[str, str]:
        """What a file says of the cells besides their arrays."""
        return {
            "cells.ascending": json.dumps(self.ascending),
            "cells.share": json.dumps(self.share),
            "cells.recalls": json.dumps(self.recalls),
        }

    def recall_of(self, cells: int) -> float:
        """The recall that looking at so many of the nearest cells had when they were arranged."""
        if cells >= len(self) or not self.recalls:
            return 1.0
        return self.recalls[min(cells.bit_length(), len(self.recalls)) - 1]

    def cells_for(self, recall: float) -> int:
        """The least number of nearest cells that had this recall, or all cells."""
        found = (2**power for power, measured in enumerate(self.recalls) if measured >= recall)
        return next(found, len(self)) if recall < 1 else len(self)
