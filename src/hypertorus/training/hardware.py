"""The hardware of a run; it changes nothing in the result but the order of floating-point sums."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from hypertorus.datasets import InMemory, Part
from hypertorus.datasets.mapped import MappedInputs
from hypertorus.datasets.synthetic_words import SyntheticWords
from hypertorus.datasets.texts import Texts

_AVAILABLE: dict[str, Callable[[], bool]] = {
    "auto": lambda: True,
    "cpu": lambda: True,
    "cuda": torch.cuda.is_available,
    "gpu": lambda: torch.cuda.is_available() or torch.backends.mps.is_available(),
    "mps": torch.backends.mps.is_available,
}


@dataclass(frozen=True)
class Hardware:
    """Kind of device (auto, cpu, cuda or mps), number of devices on each machine, and number of machines."""

    device: str = "auto"
    devices: int = 1
    nodes: int = 1
    workers: int | None = None
    """Number of processes that read files; by default none for inputs that are in memory or memory-mapped."""

    def __post_init__(self) -> None:
        if self.device not in _AVAILABLE:
            raise ValueError(f"device is {self.device!r}; choose one of {', '.join(_AVAILABLE)}.")
        if not _AVAILABLE[self.device]():
            raise ValueError(f"device is {self.device}, but torch finds none on this machine; choose auto or cpu.")
        for name in ("devices", "nodes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1.")

    @property
    def processes(self) -> int:
        return self.devices * self.nodes

    @property
    def gpu(self) -> bool:
        return self.device in ("auto", "cuda", "gpu") and torch.cuda.is_available()

    def precision(self, name: str) -> Any:
        """Return the precision to train with: `auto` is mixed precision where the device supports it."""
        if name != "auto":
            return name
        if not self.gpu:
            return "32-true"
        return "bf16-mixed" if torch.cuda.is_bf16_supported() else "16-mixed"

    def workers_for(self, part: Part) -> int:
        if self.workers is not None:
            return self.workers
        source = part.part if isinstance(part, SyntheticWords) else part
        return 0 if isinstance(source, InMemory | MappedInputs | Texts) else min(8, os.cpu_count() or 1)


def is_first_process() -> bool:
    """Return whether this process is the one that writes files and prints, with or without a process group."""
    ranks = ("RANK", "LOCAL_RANK", "NODE_RANK", "GROUP_RANK", "SLURM_PROCID")
    return all(int(os.environ.get(name, "0")) == 0 for name in ranks)
