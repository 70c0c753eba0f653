"""Checkpoints of a run: written atomically, and loaded as tensors without running any code in them."""

from __future__ import annotations

from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from lightning.fabric.plugins import CheckpointIO
from torch import Tensor

from hypertorus.files.atomic import replacing

State = dict[str, Tensor]


class AtomicCheckpoints(CheckpointIO):
    """Checkpoints that stay whole when the process is killed while writing one."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any = None) -> None:
        assert storage_options is None
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with replacing(Path(path)) as file:
            try:
                torch.save(checkpoint, file)
            except RuntimeError as error:
                if _was_interrupted(error):  # torch ends its archive all the same, and fails at that
                    raise KeyboardInterrupt from None
                raise _reason_of(error) or error from None

    def load_checkpoint(  # the signature is lightning's
        self,
        path: Any,
        map_location: Any = None,
        weights_only: bool | None = None,  # noqa: FBT001
    ) -> dict[str, Any]:
        assert weights_only is not False
        try:
            return torch.load(path, map_location=map_location or "cpu", weights_only=True)
        except (RuntimeError, EOFError, OSError, ValueError, KeyError, UnpicklingError) as error:
            raise ValueError(
                f"{path} is not a whole checkpoint of tensors alone; pass --restart to train from the start."
            ) from error

    def remove_checkpoint(self, path: Any) -> None:
        Path(path).unlink(missing_ok=True)


def _was_interrupted(error: BaseException | None) -> bool:
    """Return whether an error was raised while Ctrl-C was being handled."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _reason_of(error: BaseException) -> OSError | None:
    """Return why a file could not be written: torch ends its archive after a full disk, and fails at that, too."""
    reason = error.__context__
    while reason is not None and not isinstance(reason, OSError):
        reason = reason.__context__
    return reason


def weights(path: Path) -> State:
    """Return the weights of the model in a checkpoint, under the model's own names."""
    state = AtomicCheckpoints().load_checkpoint(path)["state_dict"]
    return {name.removeprefix("model."): tensor for name, tensor in state.items() if name.startswith("model.")}


def average(states: list[State]) -> State:
    """Return the mean of each floating-point tensor; integer tensors are those of the first state.

    >>> average([{"w": torch.tensor([1.0])}, {"w": torch.tensor([2.0])}])
    {'w': tensor([1.5000])}
    """
    return {
        name: torch.stack([state[name] for state in states]).mean(dim=0) if first.is_floating_point() else first
        for name, first in states[0].items()
    }
