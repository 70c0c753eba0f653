"""Checks that stop a run which has diverged or collapsed."""

from __future__ import annotations

import torch
from torch import Tensor

FLAT = 1e-5
"""Variance of unit-norm points below which they count as a single point."""


class TrainingError(ValueError):
    """A run that cannot give a model; the message says what to change."""


def check_loss(loss: Tensor, epoch: int, step: int) -> None:
    if not torch.isfinite(loss):
        raise TrainingError(
            f"the loss became {loss.item()} in epoch {epoch + 1}, step {step + 1}, and no model was saved; "
            "run again with a smaller --lr, a stricter --clip, or another --koleo, and --restart."
        )


def check_points(points: Tensor, epoch: int) -> None:
    """Raise an error if the points [n, width] of the validation inputs have a NaN or are all the same."""
    if not torch.isfinite(points).all():
        raise TrainingError(
            f"the network gave NaN for validation inputs after epoch {epoch + 1}, and no model was saved; "
            "run again with a smaller --lr or a stricter --clip, and --restart."
        )
    if epoch > 0 and len(points) > 1 and points.var(dim=0).sum() < FLAT:
        raise TrainingError(
            f"after epoch {epoch + 1} all validation inputs have the same embedding, and no model was saved; "
            "run again with a larger --koleo (0.1), a smaller --lr, or a larger --batch, and --restart."
        )
