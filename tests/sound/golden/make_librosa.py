"""Writes what librosa makes of a few waves, for tests to hold ours against; needs `pip install librosa==0.11.0`.

python tests/sound/golden/make_librosa.py

The numbers are kept because librosa compiles itself for half a minute when it is first called.
"""

from pathlib import Path

import numpy as np

from hypertorus.sound.spectrogram import Spectrogram

SETTINGS = {
    "published": Spectrogram(),
    "five_seconds": Spectrogram(seconds=5),
    "finer": Spectrogram(rate=32_000, seconds=1, fft=2048, hop=500, bands=64, lowest=0, highest=16_000),
    "near_silence": Spectrogram(seconds=1),
}
EVERY = 5
"""Of so many frames one is kept."""


def waves():
    """A wave for each of the settings."""
    songs = {name: song(settings.seconds, settings.rate) for name, settings in SETTINGS.items()}
    return {**songs, "near_silence": loud_tone_with_holes().astype(np.float64)}


def song(seconds, rate=16_000, seed=0):
    """A rising whistle over noise, which has something in every band."""
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(seed).normal(size=len(time))
    return 0.3 * np.sin(2 * np.pi * (1000 + 400 * time) * time) + 0.01 * noise


def loud_tone_with_holes():
    time = np.arange(16_000) / 16_000
    return (0.9 * np.hanning(16_000) ** 4 * np.sin(2 * np.pi * 2000 * time)).astype(np.float32)


def two_channels():
    """Half a second at 44,100 samples a second."""
    return np.stack([song(0.5, 44_100), song(0.5, 44_100, seed=1)], axis=1).astype(np.float32)


def decibels(wave, settings):
    import librosa

    power = librosa.feature.melspectrogram(
        y=wave,
        sr=settings.rate,
        n_fft=settings.fft,
        hop_length=settings.hop,
        n_mels=settings.bands,
        fmin=settings.lowest,
        fmax=settings.highest,
        htk=True,
        norm=None,
        pad_mode="reflect",
    )
    return librosa.power_to_db(power, amin=1e-10, top_db=None)


def main():
    import librosa

    golden = {"resampled": librosa.resample(two_channels().mean(axis=1), orig_sr=44_100, target_sr=16_000)}
    for name, wave in waves().items():
        whole = decibels(wave, SETTINGS[name])
        golden[name] = whole[:, ::EVERY].astype(np.float32)
        golden[f"{name}_range"] = np.array([whole.min(), whole.max(), whole.shape[1]])
    np.savez_compressed(Path(__file__).with_name("librosa.npz"), **golden)


if __name__ == "__main__":
    main()
