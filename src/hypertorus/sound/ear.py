"""An ear: how sound becomes the inputs of a network, which a model of sounds keeps to hear by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Protocol

import torch
from torch import Tensor

from hypertorus.sound.birdnet import BirdNet
from hypertorus.sound.spectrogram import Spectrogram


class Ear(Protocol):
    """A wave is cut into windows, and of each window an input is made.

    An ear is settings and nothing else: it is equal to another of the same settings, and a process can be given it.
    """

    @property
    def rate(self) -> int:
        """Samples a second of the waves it takes."""

    @property
    def seconds(self) -> float:
        """Of a window."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of an input: (1, bands, frames) of pictures, (numbers,) of vectors."""

    @property
    def dtype(self) -> torch.dtype:
        """What keeps its inputs as exactly as they deserve, in half the space if that will do."""

    def check(self) -> None:
        """Raise an ImportError that names the fix where it needs what is not installed."""

    def windows(self, wave: Tensor) -> Tensor:
        """A wave [time] of any length to windows [n, samples]."""

    def inputs(self, wave: Tensor) -> Tensor:
        """A wave [time] of any length to float32 [windows, *shape]."""

    def as_dict(self) -> dict[str, Any]:
        """Settings, as JSON takes them, of which `ear` makes this ear again."""


_KINDS: dict[str, type[Spectrogram | BirdNet]] = {"spectrogram": Spectrogram, "birdnet": BirdNet}


def ear(settings: Mapping[str, Any]) -> Ear:
    """The ear of this `kind` with these settings; settings without a kind are those of a spectrogram.

    >>> ear({"seconds": 2}) == Spectrogram(seconds=2)
    True
    >>> ear({"kind": "birdnet"}).shape
    (1024,)
    """
    given = dict(settings)
    kind = given.pop("kind", "spectrogram")  # models of before there were two kinds name none
    if kind not in _KINDS:
        raise ValueError(f"sound is of kind {kind!r}; there are {', '.join(_KINDS)}.")
    names = [field.name for field in fields(_KINDS[kind])]
    for name, value in given.items():
        if name not in names:
            raise ValueError(f"{name} is {value!r}, which means nothing for the kind {kind!r} of sound; leave it out.")
    return _KINDS[kind](**given)
