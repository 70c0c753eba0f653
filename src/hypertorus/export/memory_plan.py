"""Where the rings of a convolutional network lie in memory, so that they take the least."""

from __future__ import annotations

from typing import NamedTuple

from hypertorus.export.stages import Columns, Stage


class MemoryPlan(NamedTuple):
    """Places in bytes from the beginning of the memory that a window is computed in.

    A stage that looks at several columns keeps exactly as many. What a stage needs only while it computes, the column
    that it takes or the numbers below its kernel, lies in one of two places that all stages share in turns, because a
    stage may not write its output over them.
    """

    rings: tuple[int, ...]
    """Begin of the ring of each stage."""
    output: int
    """Begin of the column that leaves the last stage."""
    bytes: int


def memory_plan(columns: Columns) -> MemoryPlan:
    """Return the plan; numbers below a dense kernel of several columns are gathered at the beginning."""
    stages, sides = columns.stages, list[int | None]()
    for stage in stages:
        before = sides[-1] if sides else None
        sides.append((0 if before is None else 1 - before) if _passes(stage) else None if stage.each else 0)
    last = 0 if sides[-1] is None else 1 - sides[-1]
    shared = [0, 0]
    for stage, side in zip(stages, sides, strict=True):
        if side is not None:
            shared[side] = max(shared[side], stage.kernel.numbers if not _passes(stage) else stage.kernel.column)
    shared[last] = max(shared[last], columns.features)
    begins, free, rings = (0, shared[0]), sum(shared), list[int]()
    for stage, side in zip(stages, sides, strict=True):
        if _passes(stage) and side is not None:
            rings.append(begins[side])
        else:
            rings.append(free)
            free += ring_bytes(stage)
    return MemoryPlan(tuple(rings), begins[last], free)


def ring_bytes(stage: Stage) -> int:
    return stage.kernel.column * stage.kernel.size[1]


def _passes(stage: Stage) -> bool:
    """Return whether a stage needs a column only while it computes."""
    return stage.kernel.size[1] == 1 and stage.kernel.padding == (0, 0)
