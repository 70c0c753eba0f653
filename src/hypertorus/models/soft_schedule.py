"""The schedule of soft training: how soft the projection onto torusN is at each step."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

SHARE = 0.7
"""Share of the steps over which softness falls to 0."""


class SoftSchedule:
    """Softness that falls in a straight line from `start` to 0 over the first 70 % of `steps` training steps.

    Pass it to `Project` and call `step` after each step of the optimiser. Its state is one number of steps, so that a
    run that is resumed is the same to the last bit.

    >>> soft = SoftSchedule(steps=10)
    >>> for _ in range(4):
    ...     soft.step()
    >>> soft.value
    tensor(0.4286)
    """

    def __init__(self, steps: int, start: float = 1.0) -> None:
        if steps < 1:
            raise ValueError(f"steps is {steps}; pass the number of training steps, at least 1.")
        self.steps, self.start, self.done = steps, checked_softness(start), 0
        self.value = torch.tensor(self.start)
        """The softness now. It is a tensor, which changes in place, so that `torch.compile` makes one graph for all."""

    def step(self) -> None:
        self._go_to(self.done + 1)

    def state_dict(self) -> dict[str, Any]:
        return {"done": self.done}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._go_to(state["done"])

    def _go_to(self, done: int) -> None:
        self.done = done
        self.value.fill_(self.start * max(0.0, 1 - done / (SHARE * self.steps)))

    def __repr__(self) -> str:
        return f"SoftSchedule(steps={self.steps}, start={self.start})"


Softness = float | SoftSchedule
"""How soft a projection is in training: always the same, or by a schedule."""


def softness_now(soft: Softness) -> float | Tensor:
    """Return the softness of this step."""
    return soft.value if isinstance(soft, SoftSchedule) else soft


def checked_softness(soft: float) -> float:
    if not 0 <= soft <= 1:
        raise ValueError(f"soft is {soft}; it must be from 0, the projection as published, to 1.")
    return float(soft)
