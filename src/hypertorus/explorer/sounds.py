"""A collection of recordings: windows of an index of sounds, heard and seen from the files they were cut from."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import torch
from torch import Tensor

from hypertorus.datasets.kinds import SOUND_FILES
from hypertorus.explorer.collection import Codes, Collection
from hypertorus.explorer.levels import COLUMNS, Levels, levels
from hypertorus.listen.encode import UnreadableClip, ear_of, encode_clips
from hypertorus.listen.index import SoundIndex
from hypertorus.sound.clip import Clip
from hypertorus.sound.wave import rate_of, read_wave, resampled, seconds_of
from hypertorus.workbench import Items

CONTEXT = 30.0
"""Seconds before and after a window that may be seen and heard at most."""
SLOWER = (1, 2, 4, 10)
"""How many times slower a sound may be played; ten times makes bats audible."""
AUDIBLE = 48_000
"""Rate above which a sound is resampled to be played, since browsers need not take it."""
EDGE = 0.1
"""Width of the edges of a band of frequencies, as a share of the band."""


class Sounds(Collection):
    """Windows of recordings by their ids."""

    kind = "sounds"
    drop = SOUND_FILES

    def __init__(self, sounds: SoundIndex, place: Path) -> None:
        super().__init__(sounds.index, Items.of(sounds), place, sounds.folder.name)
        self.sounds, self.network = sounds, sounds.model
        self.ear = ear_of(sounds.model)
        self._encoding = threading.Lock()  # one network at a time: two would only share the same cores

    def facts(self) -> dict[str, Any]:
        windows = self.sounds.windows
        return {
            "recordings": len(windows.paths),
            "grouped": True,
            "hours": windows.seconds / 3600,
            "window": self.ear.seconds,
            "rate": self.ear.rate,
        }

    def path(self, number: int) -> Path:
        """Return the file of a window; its name was checked when the index was opened."""
        if not self.sounds.folder.is_dir():
            raise FileNotFoundError(
                f"the recordings were in {self.sounds.folder}, which is not there; connect the disk or move them back."
            )
        return self.sounds.folder / self.item(number).name

    def codes(self, path: Path, start: float = 0.0, end: float | None = None) -> tuple[Codes, list[float]]:
        """Return the code of each window of a sound file, and its start in seconds."""
        window = self.ear.seconds
        clips = Clip(str(path)).pieces(window) if end is None else [Clip(str(path), start, end)]
        codes, starts = [], []
        with self._encoding:
            for clip in clips:  # one by one: many at once would fork this process, which has threads
                (piece,) = encode_clips([clip], self.sounds.model, self.index.bits, self.index.dim)
                if isinstance(piece, UnreadableClip):
                    raise ValueError(piece.reason)  # noqa: TRY004
                codes.append(piece.codes)
                starts += [begin for begin, _ in piece.windows(window)]
        return np.concatenate(codes), starts

    def codes_of_band(self, path: Path, start: float, end: float, low: float, high: float) -> Codes:
        """Return the codes of a stretch in which all frequencies outside a band, given in Hz, are silenced."""
        wave = band(read_wave(path, self.ear.rate, start, end), self.ear.rate, low, high)
        with self._encoding:
            return self.sounds.model.encode(self.ear.inputs(wave), self.index.bits, coordinates=self.index.dim)


def stretch(path: Path, start: float, end: float, before: float, after: float) -> tuple[float, float]:
    """Return the part of a recording from `before` seconds ahead of a window to `after` behind it, in seconds."""
    room = [min(max(0.0, seconds), CONTEXT) for seconds in (before, after)]
    return max(0.0, start - room[0]), min(end + room[1], max(end, seconds_of(path)))


def picture(path: Path, start: float, end: float, window: float) -> Levels:
    """Return the levels of a stretch of a recording, at the rate of the recording itself."""
    rate = rate_of(path)
    widths = min(4.0, max(1.0, (end - start) / window))
    return levels(read_wave(path, rate, start, end).numpy(), rate, round(COLUMNS * widths))


def wav(path: Path, start: float, end: float, slower: int = 1) -> bytes:
    """Return a stretch of a recording as a .wav file that browsers play, some times slower and lower."""
    if slower not in SLOWER:
        raise ValueError(f"slower is {slower}; choose one of {', '.join(map(str, SLOWER))}.")
    rate = rate_of(path)
    wave = read_wave(path, rate, start, end)
    if rate / slower > AUDIBLE:
        wave, rate = resampled(wave, rate, AUDIBLE * slower), AUDIBLE * slower
    file = io.BytesIO()
    soundfile.write(file, wave.numpy(), max(1, rate // slower), format="WAV", subtype="PCM_16")
    return file.getvalue()


def band(wave: Tensor, rate: int, low: float, high: float) -> Tensor:
    """Return a wave [time] with only the frequencies from `low` to `high` Hz, with soft edges.

    >>> tones = torch.sin(2 * torch.pi * torch.arange(16_000) / 16_000 * torch.tensor([[500.0], [3000.0]]))
    >>> left = band(tones.sum(0), 16_000, 2000, 4000)
    >>> bool((left - tones[1]).abs()[1000:-1000].max() < 0.01)
    True
    """
    if not 0 <= low < high:
        raise ValueError(f"the band goes from {low:g} to {high:g} Hz; the second must be above the first.")
    spectrum = torch.fft.rfft(wave.double())
    hertz = torch.fft.rfftfreq(len(wave), 1 / rate, dtype=torch.float64)
    edge = max(EDGE * (high - low), 1.0)
    inside = torch.minimum((hertz - low) / edge + 1, (high - hertz) / edge + 1).clamp(0, 1)
    return torch.fft.irfft(spectrum * inside, len(wave)).to(wave.dtype)
