"""Encodes recordings of any length: they are cut into clips that fit into memory, and encoded on all cores."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from hypertorus.files.threads import thread_count
from hypertorus.models.model import Model
from hypertorus.sound.clip import Clip
from hypertorus.sound.ear import Ear
from hypertorus.sound.silence import silent
from hypertorus.spaces import Torus

T = TypeVar("T")

FEW = 16
"""Number of clips up to which no other processes are started."""


class EncodedClip(NamedTuple):
    """The codes of a clip of a recording."""

    clip: Clip
    codes: npt.NDArray[np.uint8]
    """Codes [windows, coordinates]."""
    seconds: float
    """Length of the sound in the clip in seconds."""
    silent: npt.NDArray[np.bool_]
    """Which windows have nothing to hear."""

    def windows(self, length: float) -> list[tuple[float, float]]:
        """Return start and end of each window in the recording, in seconds; the last ends with the sound.

        >>> EncodedClip(Clip("owl.wav", 60.0), np.zeros((2, 8), np.uint8), 5.0, np.zeros(2, bool)).windows(3.0)
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


def torus_of(model: Model, place: Any) -> Torus:
    """Return the torus of a model of sounds; `place` is what errors call it."""
    if model.sound is None:
        raise ValueError(f"{place} is a model of images or vectors; pass one that was trained on sounds.")
    torus = model.space
    if not isinstance(torus, Torus):
        sentence = f"{place} lives on the {torus.name}, whose codes do not wrap around; train one with --space torusN."
        raise ValueError(sentence)  # noqa: TRY004
    return torus


def encode_clips(
    clips: list[Clip], model: Model, bits: int, coordinates: int | None = None
) -> Iterator[EncodedClip | UnreadableClip]:
    """Yield the codes of each clip, in order; a clip that cannot be read is reported and does not stop the others."""
    results = in_processes(_Codes(clips, model, bits, coordinates), len(clips))
    for clip, result in zip(clips, results, strict=True):
        if isinstance(result, str):
            yield UnreadableClip(clip, result if clip.start == 0 else f"From {clip.start:g} s on, {result}")
        else:
            rows, seconds, quiet = result
            yield EncodedClip(clip, rows.numpy(), seconds, quiet.numpy())


def in_processes(work: Dataset[T], count: int) -> Iterator[T]:
    """Yield the items of a data set in order, computed on all cores unless there are only a few."""
    workers = 0 if count <= FEW else thread_count(None)
    loader = DataLoader(work, batch_size=None, num_workers=workers if workers > 1 else 0)
    with _uninterrupted():
        items = iter(loader)
    yield from items


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


class _Codes(Dataset[tuple[Tensor, float, Tensor] | str]):
    """The codes of each clip, or a sentence on why it cannot be read.

    Worker processes run the network too and return codes, which are a thousandth of the bytes of the inputs.
    """

    def __init__(self, clips: list[Clip], model: Model, bits: int, coordinates: int | None) -> None:
        self.clips, self.model, self.bits, self.coordinates = clips, model, bits, coordinates

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, number: int) -> tuple[Tensor, float, Tensor] | str:
        ear = ear_of(self.model)
        try:
            wave = self.clips[number].wave(ear.rate)
        except (ValueError, OSError) as error:
            return str(error)
        codes = self.model.encode(ear.inputs(wave), self.bits, coordinates=self.coordinates)
        return torch.from_numpy(codes), len(wave) / ear.rate, silent(ear.windows(wave))
