"""An ear: the settings that turn sound into the inputs of a network; a model of sounds is saved with its ear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from numbers import Real
from typing import Any, Protocol

import torch
from torch import Tensor

from hypertorus.sound.birdnet import BirdNet
from hypertorus.sound.chip import ChipSpectrogram
from hypertorus.sound.resonators import Resonators
from hypertorus.sound.spectrogram import KEYWORD, Spectrogram


class Ear(Protocol):
    """Cuts a wave into windows, and makes an input of each window.

    An ear holds settings and nothing else: ears of the same settings are equal, and an ear can be pickled.
    """

    @property
    def rate(self) -> int:
        """Sampling rate of the waves it takes, in Hz."""

    @property
    def seconds(self) -> float:
        """Length of a window in seconds."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an input: (1, bands, frames) of a spectrogram, (numbers,) of a vector."""

    @property
    def dtype(self) -> torch.dtype:
        """Type in which inputs are stored, half precision where that is exact enough."""

    @property
    def band(self) -> tuple[float, float]:
        """Lowest and highest frequency that it hears, in Hz."""

    def check(self) -> None:
        """Raise an ImportError that names the fix if a library it needs is not installed."""

    def windows(self, wave: Tensor) -> Tensor:
        """Return the windows [n, samples] of a wave [time] of any length."""

    def inputs(self, wave: Tensor) -> Tensor:
        """Return the inputs of a wave [time] of any length: float32 [windows, *shape]."""

    def as_dict(self) -> dict[str, Any]:
        """Return the settings, ready for JSON; `ear` turns them back into this ear."""


_KINDS: dict[str, Spectrogram | BirdNet | ChipSpectrogram | Resonators] = {
    "spectrogram": Spectrogram(),
    "keyword": KEYWORD,
    "birdnet": BirdNet(),
    "chip": ChipSpectrogram(padding="around"),
    "resonators": Resonators(padding="around"),
}
"""An ear of each kind, with its own settings; in those for words, a short clip lies in the middle of its window."""


def ear(settings: Mapping[str, Any]) -> Ear:
    """Return the ear of this `kind` with these settings in place of its own; without a kind it is a spectrogram.

    >>> ear({"seconds": 2}) == Spectrogram(seconds=2)
    True
    >>> ear({"kind": "keyword"}).shape, ear({"kind": "birdnet"}).shape
    ((1, 32, 50), (1024,))
    >>> ear({"kind": "chip"}).shape, ear({"kind": "resonators"}).shape
    ((1, 32, 50), (1, 12, 25))
    """
    options = dict(settings)
    kind = options.pop("kind", "spectrogram")  # models from before there were two kinds name none
    if kind not in _KINDS:
        raise ValueError(f"sound has kind {kind!r}; choose one of {', '.join(_KINDS)}.")
    names = [field.name for field in fields(_KINDS[kind])]
    for name, value in options.items():
        if name not in names:
            raise ValueError(f"{name} is {value!r}, which is no setting of sound of kind {kind!r}; leave it out.")
        _check_type(name, value, getattr(_KINDS[kind], name))
    return replace(_KINDS[kind], **options)


def _check_type(name: str, value: object, own: object) -> None:
    """Raise an error if a value has another type than the ear's own; what it may be is for the ear to say."""
    if isinstance(own, bool):
        fits, what = isinstance(value, bool), "true or false"
    elif isinstance(own, str):
        fits, what = isinstance(value, str), "a word"
    else:
        fits, what = isinstance(value, Real) and not isinstance(value, bool), "a number"
    if value is not None and not fits:
        raise ValueError(f"{name} is {value!r}; it must be {what}.")
