"""Synthetic birdsong, for demonstrations and tests: species that differ in pitch, song and timbre."""

from __future__ import annotations

import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress

RATE = 16_000
SECONDS = 1.5
KINDS = ("sweep", "trill", "whistle", "buzz")
Wave = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Species:
    """The parameters that all songs of a species share."""

    kind: str
    pitch: float
    """Frequency at the start of a note, in Hz."""
    bend: float
    """Ratio of the frequency at the end of a note to that at its start."""
    notes: int
    """Number of notes."""
    note: float
    """Length of a note in seconds."""
    pause: float
    """Length of a pause between notes in seconds."""
    overtones: int
    """Number of overtones."""
    flutter: float
    """Frequency of a trill in Hz."""

    @classmethod
    def drawn(cls, number: int, seed: int = 0) -> Species:
        """Return the species of this number, the same for the same seed."""
        rng = np.random.default_rng([seed, number])
        return cls(
            kind=KINDS[number % len(KINDS)],
            pitch=float(np.exp(rng.uniform(np.log(900), np.log(5000)))),
            bend=float(2 ** rng.uniform(-0.8, 0.8)),
            notes=int(rng.integers(1, 7)),
            note=float(rng.uniform(0.06, 0.22)),
            pause=float(rng.uniform(0.02, 0.12)),
            overtones=int(rng.integers(0, 3)),
            flutter=float(rng.uniform(15, 60)),
        )

    def song(self, rng: np.random.Generator) -> Wave:
        """Return one recording: a song of random pitch and tempo, at a random place in a clip of background noise.

        >>> Species.drawn(0).song(np.random.default_rng(0)).shape
        (24000,)
        """
        pitch, tempo = self.pitch * 2 ** rng.normal(scale=0.07), 2 ** rng.normal(scale=0.15)
        count = max(1, self.notes + int(rng.integers(-1, 2)))
        rest = np.zeros(round(self.pause * tempo * RATE))
        notes = [self._note(pitch * 2 ** rng.normal(scale=0.01), self.note * tempo, rng) for _ in range(count)]
        song = np.concatenate([piece for note in notes for piece in (note, rest)])[: round(SECONDS * RATE)]
        clip = _noise(round(SECONDS * RATE), rng) * 10 ** rng.uniform(-1.6, -0.6)
        begin = int(rng.integers(0, len(clip) - len(song) + 1))
        clip[begin : begin + len(song)] += song
        return clip / np.abs(clip).max() * rng.uniform(0.3, 0.9)

    def _note(self, pitch: float, seconds: float, rng: np.random.Generator) -> Wave:
        along = np.linspace(0, 1, max(2, round(seconds * RATE)))
        if self.kind == "buzz":
            rough = np.convolve(rng.normal(size=len(along)), np.hanning(40), mode="same") / 4
            return np.sin(2 * np.pi * pitch * seconds * along) * rough * np.hanning(len(along))
        frequency = pitch * np.ones_like(along) if self.kind == "whistle" else pitch * self.bend**along
        if self.kind == "trill":
            frequency = frequency * (1 + 0.12 * np.sin(2 * np.pi * self.flutter * seconds * along))
        phase = 2 * np.pi * np.cumsum(frequency) / RATE
        tones = [np.sin(k * phase) * (k * frequency < RATE / 2) / k**1.5 for k in range(1, self.overtones + 2)]
        return sum(tones) * np.hanning(len(along))


def write_chirps(
    folder: Path, species: int = 32, recordings: int = 12, seed: int = 0, progress: Progress | None = None
) -> None:
    """Write synthetic recordings as `folder/species-01/001.wav` and so on, the same for the same seed."""
    for number in range(species):
        own = folder / f"species-{number + 1:02}"
        own.mkdir(parents=True, exist_ok=True)
        for take in range(recordings):
            song = Species.drawn(number, seed).song(np.random.default_rng([seed, number, take]))
            _write_wav(own / f"{take + 1:03}.wav", song)
        if progress:
            progress(number + 1, species)


def _write_wav(path: Path, sound: Wave) -> None:
    """Write a sound in -1..1 with 16 bits; the standard library can do that, so no extra is needed."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.floor(sound * 32768).astype("<i2").tobytes())


def _noise(samples: int, rng: np.random.Generator) -> Wave:
    """Return noise whose power falls with frequency, like wind and hiss."""
    spectrum = np.fft.rfft(rng.normal(size=samples))
    falling = 1 / np.sqrt(1 + np.fft.rfftfreq(samples, 1 / RATE) / 300)
    noise = np.fft.irfft(spectrum * falling, samples)
    return noise / noise.std()
