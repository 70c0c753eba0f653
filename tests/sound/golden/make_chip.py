"""Writes what librosa makes of a few sounds of 16 bits, for tests to hold the ears of chips against.

python tests/sound/golden/make_chip.py, after `pip install librosa==0.11.0`

The numbers are kept because librosa compiles itself for half a minute when it is first called.
"""

from pathlib import Path

import numpy as np

RATE, LENGTH = 8000, 8096


def sounds():
    """A vowel over noise, a hiss, a quiet chirp, and a loud constant with a faint tone; 16 bits each."""
    time, rng = np.arange(LENGTH) / RATE, np.random.default_rng(0)
    noise = rng.normal(size=LENGTH)
    pitch = 2 * np.pi * np.cumsum(120 + 20 * np.sin(6 * time)) / RATE
    formants = [np.exp(-(((120 * n - centre) / 150) ** 2)) for n in range(1, 31) for centre in (600, 1700, 2600)]
    strengths = np.reshape(formants, (30, 3)).sum(axis=1) + 0.01
    vowel = sum(strength * np.sin(n * pitch) for n, strength in enumerate(strengths, 1))
    waves = {
        "vowel": 4000 * vowel * np.hanning(LENGTH) + 10 * noise,
        "hiss": 6000 * np.diff(np.diff(noise, prepend=0), prepend=0) * (time > 0.3) + 3 * noise,
        "chirp": 40 * np.sin(2 * np.pi * (200 + 1500 * time) * time) + noise,
        "constant": 20_000 + 30 * np.sin(2 * np.pi * 1000 * time) + noise,
    }
    return {name: np.rint(wave).clip(-(2**15), 2**15 - 1).astype(np.int16) for name, wave in waves.items()}


def decibels(sound):
    import librosa

    power = librosa.feature.melspectrogram(
        y=sound.astype(np.float64),
        sr=RATE,
        n_fft=256,
        hop_length=160,
        n_mels=32,
        fmin=80,
        fmax=3900,
        htk=True,
        norm=None,
        center=False,
    )
    return librosa.power_to_db(power, amin=1e-10, top_db=None)


def main():
    golden = {name: decibels(sound).T.astype(np.float32) for name, sound in sounds().items()}
    np.savez_compressed(Path(__file__).with_name("chip.npz"), **golden)


if __name__ == "__main__":
    main()
