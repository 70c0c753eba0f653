"""Words of tones, for a listener where there are no recordings: each is three sounds, said by voices that differ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from hypertorus.files.whole_folder import whole_folder

RATE = 8000
WORDS = {
    "afi": "aci",
    "bodu": "odu",
    "cano": "bca",
    "dime": "dib",
    "ecko": "ucb",
    "fule": "cue",
    "gabo": "abo",
    "hiki": "ibi",
}
"""Words by their three sounds."""
SOUNDS = {"a": (700, 1200), "e": (500, 1900), "i": (300, 2300), "o": (500, 900), "u": (300, 700)}
"""Two frequencies of each vowel; the other sounds are noise above or below 2 kHz."""
SPEAKERS, TAKES = 6, 12


def make_words(folder: Path) -> None:
    """Write a folder for each word, with files that are named `speaker_take.wav`, unless it is there."""
    if folder.exists():
        return
    rng = np.random.default_rng(0)
    voices = rng.uniform(0.88, 1.14, SPEAKERS)
    pitches = rng.uniform(90, 220, SPEAKERS)
    with whole_folder(folder) as fresh:
        for word, sounds in WORDS.items():
            (fresh / word).mkdir()
            for speaker in range(SPEAKERS):
                for take in range(TAKES):
                    parts = [_sound(sound, voices[speaker], pitches[speaker], rng) for sound in sounds]
                    wave = np.concatenate(parts) + rng.normal(0, 0.002, sum(map(len, parts)))
                    soundfile.write(fresh / word / f"voice{speaker}_{take}.wav", wave * rng.uniform(0.3, 1), RATE)


def _sound(name: str, voice: float, pitch: float, rng: np.random.Generator) -> np.ndarray:
    time = np.arange(int(RATE * rng.uniform(0.11, 0.17))) / RATE
    envelope = np.sin(np.pi * np.arange(len(time)) / len(time)) ** 0.5
    if name not in SOUNDS:
        noise = rng.normal(0, 0.1, len(time))
        return envelope * (np.diff(noise, prepend=0) if name == "c" else np.convolve(noise, np.ones(6) / 3, "same"))
    tones = pitch * rng.uniform(0.95, 1.05) * np.arange(1, 36)
    formants = np.array(SOUNDS[name]) * voice * rng.uniform(0.97, 1.03, 2)
    loudness = sum(np.exp(-(((tones - formant) / 120) ** 2)) for formant in formants)
    heard = (loudness[:, None] * np.sin(2 * np.pi * tones[:, None] * time))[tones < RATE / 2]
    return 0.2 * envelope * heard.sum(axis=0)
