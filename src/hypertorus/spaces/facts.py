"""The spaces side by side, as the paper's first table has them."""

from __future__ import annotations

from dataclasses import dataclass

from hypertorus.spaces import SPACES, Torus, space


@dataclass(frozen=True)
class SpaceFacts:
    """How many numbers a point and its turns have, how many of them are free, and the largest distances."""

    space: str
    raw: int
    point: int
    turns: int | None
    intrinsic: int
    diameters: dict[str, float]

    @property
    def cells(self) -> tuple[str, ...]:
        """A row of the table: the space, its numbers, and the largest distance by each metric."""
        numbers = (str(number or "-") for number in (self.raw, self.point, self.turns, self.intrinsic))
        return self.space, *numbers, ", ".join(f"{metric} {value:g}" for metric, value in self.diameters.items())


def space_facts(dim: int) -> list[SpaceFacts]:
    """The facts of every space that is made of so many raw numbers.

    >>> [facts.cells for facts in space_facts(4)][1]
    ('torusN', '4', '4', '2', '2', 'cosine 2, l1 1, l2 0.5')
    """
    return [
        SpaceFacts(
            each.name,
            each.dim,
            each.ambient_dim,
            each.flat_dim if isinstance(each, Torus) else None,
            each.intrinsic_dim,
            each.diameters,
        )
        for each in (space(name, dim) for name in SPACES)
    ]
