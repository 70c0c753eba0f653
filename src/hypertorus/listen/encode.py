"""Recordings of any length as codes: cut into pieces that fit into memory, heard in all cores."""

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
from hypertorus.sound.wave import seconds_of

PIECE = 60.0
"""Seconds that are read at once: a day of sound takes the memory of a minute."""
FEW = 16
"""Pieces that are not worth the start of other processes."""


class Coded(NamedTuple):
    """What a model made of a piece of a recording."""

    clip: Clip
    codes: npt.NDArray[np.uint8]
    """A row for each window."""
    seconds: float
    """Of sound that there was in the piece."""

    def windows(self, length: float) -> list[tuple[float, float]]:
        """From which second of the recording to which each row is; the last window may be longer than the sound.

        >>> Coded(Clip("owl.wav", 60.0), np.zeros((2, 8), np.uint8), seconds=5.0).windows(3.0)
        [(60.0, 63.0), (63.0, 65.0)]
        """
        starts = [self.clip.start + length * row for row in range(len(self.codes))]
        return [(start, min(start + length, self.clip.start + self.seconds)) for start in starts]


class Unheard(NamedTuple):
    """A piece that could not be read, and a sentence on why."""

    clip: Clip
    why: str


def sound_of(model: Model) -> Ear:
    """How a model hears."""
    if model.sound is None:
        raise ValueError("this model was not trained on sounds; pass one that was.")
    return model.sound


def pieces(path: str, window: float) -> list[Clip]:
    """A sound file as clips of about a minute, each of whole windows but for the last.

    What is left after whole windows is a window of its own from half of one on, so less is no piece of its own either.
    """
    length = seconds_of(path)
    step = max(1, int(PIECE / window)) * window
    starts = [number * step for number in range(max(0, int((length - window / 2) / step)) + 1)]
    return [Clip(path, start, end) for start, end in zip(starts, [*starts[1:], length], strict=True)]


def hear(clips: list[Clip], model: Model, bits: int) -> Iterator[Coded | Unheard]:
    """The codes of each clip, in order, of a model of sounds; what cannot be read is told, and the rest goes on."""
    workers = 0 if len(clips) <= FEW else thread_count(None)
    loader = DataLoader(_Codes(clips, model, bits), batch_size=None, num_workers=workers if workers > 1 else 0)
    with _uninterrupted():
        found_in_order = iter(loader)
    for clip, found in zip(clips, found_in_order, strict=True):
        if isinstance(found, str):
            yield Unheard(clip, found if clip.start == 0 else f"From {clip.start:g} s on, {found}")
        else:
            codes, seconds = found
            yield Coded(clip, codes.numpy(), seconds)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Processes that are started inside never hear of Ctrl-C: it is for this one to end them, in good order."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Codes(Dataset[tuple[Tensor, float] | str]):
    """Codes, not inputs, come back from other processes: a thousandth of the bytes, and networks run there too."""

    def __init__(self, clips: list[Clip], model: Model, bits: int) -> None:
        self.clips, self.model, self.bits = clips, model, bits

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, number: int) -> tuple[Tensor, float] | str:
        sound = sound_of(self.model)
        try:
            wave = self.clips[number].wave(sound.rate)
        except (ValueError, OSError) as error:
            return str(error)
        return torch.from_numpy(self.model.encode(sound.inputs(wave), self.bits)), len(wave) / sound.rate
