"""Encodes recordings of any length: they are cut into clips that fit into memory, and encoded on all cores."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from hypertorus.files.threads import thread_count
from hypertorus.models.model import Model
from hypertorus.sound.clip import Clip
from hypertorus.sound.ear import Ear

FEW = 16
"""Number of clips up to which no other processes are started."""


class EncodedClip(NamedTuple):
    """The codes of a clip of a recording."""

    clip: Clip
    codes: npt.NDArray[np.uint8]
    """Codes [windows, coordinates]."""
    seconds: float
    """Length of the sound in the clip in seconds."""

    def windows(self, length: float) -> list[tuple[float, float]]:
        """Return start and end of each window in the recording, in seconds; the last ends with the sound.

        >>> EncodedClip(Clip("owl.wav", 60.0), np.zeros((2, 8), np.uint8), seconds=5.0).windows(3.0)
        [(60.0, 63.0), (63.0, 65.0)]
        """
        starts = [self.clip.start + length * row for row in range(len(self.codes))]
        return [(start, min(start + length, self.clip.start + self.seconds)) for start in starts]


class UnreadableClip(NamedTuple):
    """A clip that could not be read, and a sentence on why."""

    clip: Clip
    reason: str


def ear_of(model: Model) -> Ear:
    """Return the ear of a model of sounds."""
    if model.sound is None:
        raise ValueError("this model was not trained on sounds; pass one that was.")
    return model.sound


def encode_clips(
    clips: list[Clip], model: Model, bits: int, coordinates: int | None = None
) -> Iterator[EncodedClip | UnreadableClip]:
    """Yield the codes of each clip, in order; a clip that cannot be read is reported and does not stop the others."""
    workers = 0 if len(clips) <= FEW else thread_count(None)
    codes = _Codes(clips, model, bits, coordinates)
    loader = DataLoader(codes, batch_size=None, num_workers=workers if workers > 1 else 0)
    with _uninterrupted():
        results = iter(loader)
    for clip, result in zip(clips, results, strict=True):
        if isinstance(result, str):
            yield UnreadableClip(clip, result if clip.start == 0 else f"From {clip.start:g} s on, {result}")
        else:
            rows, seconds = result
            yield EncodedClip(clip, rows.numpy(), seconds)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, so that only this process handles it, and ends them in good order."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Codes(Dataset[tuple[Tensor, float] | str]):
    """The codes of each clip, or a sentence on why it cannot be read.

    Worker processes run the network too and return codes, which are a thousandth of the bytes of the inputs.
    """

    def __init__(self, clips: list[Clip], model: Model, bits: int, coordinates: int | None) -> None:
        self.clips, self.model, self.bits, self.coordinates = clips, model, bits, coordinates

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, number: int) -> tuple[Tensor, float] | str:
        ear = ear_of(self.model)
        try:
            wave = self.clips[number].wave(ear.rate)
        except (ValueError, OSError) as error:
            return str(error)
        codes = self.model.encode(ear.inputs(wave), self.bits, coordinates=self.coordinates)
        return torch.from_numpy(codes), len(wave) / ear.rate
