"""Every choice of a training run, with the values it takes when nobody says otherwise."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from hypertorus.spaces import space

ALLOWED = {
    "start": ("random", "pca"),
    "loss": ("supcon", "simclr", "protoclr", "triplet"),
    "optimiser": ("adam", "adamw", "sgd"),
    "schedule": ("cosine", "plateau", "constant"),
    "clip_by": ("value", "norm"),
    "precision": ("auto", "32-true", "16-mixed", "bf16-mixed"),
}
"""The settings that are words."""


@dataclass(frozen=True)
class Settings:
    """What decides the result of a run.

    >>> Settings(space="torusN", dim=16).koleo
    0.001
    >>> Settings(space="torusN", dim=15)
    Traceback (most recent call last):
    ...
    ValueError: dim is 15, which is odd; torusN takes numbers in pairs, so make it even.
    """

    space: str = "torusN"
    dim: int = 64
    encoder: str = "auto"
    frozen: bool = False
    head: str = "two-layer"
    start: str = "random"
    loss: str = "supcon"
    temperature: float = 0.1
    koleo: float = 0.001
    optimiser: str = "adam"
    lr: float = 3e-3
    weight_decay: float = 0.0
    schedule: str = "cosine"
    epochs: int = 50
    batch: int = 200
    patience: int = 20
    clip: float = 100.0
    clip_by: str = "value"
    ema: float = 0.0
    average_best: int = 1
    crop: float = 0.7
    noise: float = 0.1
    precision: str = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        space(self.space, self.dim)
        self._check_words()
        for name in ("dim", "epochs", "patience", "average_best"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        if self.batch < 2:
            raise ValueError(f"batch is {self.batch}; a contrastive loss needs at least 2 inputs to compare.")
        for name in ("temperature", "lr", "clip", "crop"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be above 0.")
        for name in ("koleo", "weight_decay", "noise"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be 0 or more.")
        if not 0 <= self.ema < 1:
            raise ValueError(f"ema is {self.ema}; it is the share of the old average a step keeps, from 0 to below 1.")
        if self.crop > 1:
            raise ValueError(f"crop is {self.crop}; it is a share of the area, at most 1.")

    def _check_words(self) -> None:
        for name, allowed in ALLOWED.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {getattr(self, name)!r}; there are {', '.join(allowed)}.")
        if self.start == "pca" and self.head != "linear":
            raise ValueError(f"start is 'pca', which is for a linear head, but head is {self.head!r}; make it linear.")

    def as_dict(self) -> dict[str, Any]:
        """The settings by name, as JSON takes them."""
        return asdict(self)
