"""Variations of sounds: faster or slower, with another sound behind them, in noise, brighter or darker.

A label would not survive all of this. A teacher that listens to each variation says what has become of it, so that a
small network learns how the teacher hears, and not only what it says of the few recordings that there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt
import soxr
import torch

from hypertorus.files.progress import Progress
from hypertorus.files.unreadable import warn_of_unreadable
from hypertorus.files.whole_folder import whole_folder
from hypertorus.sound.clip import Clip
from hypertorus.sound.wave import write_wave

Wave = npt.NDArray[np.float32]

PACE, TILT = 0.45, 0.6
"""Largest logarithm of the pace, and largest share of a sample that is taken from the next one."""
BEHIND, NOISE = (-20.0, 0.0), (-40.0, -10.0)
"""Decibels, beside the sound, of another behind it and of white noise."""
HOW_OFTEN = 0.5
"""Share of the variations with another sound, with noise and with a tilt each; all have another pace and place."""
LOUDEST = 0.7


def write_variations(
    clips: Sequence[Clip],
    names: Sequence[str],
    folder: Path,
    times: int,
    *,
    seconds: float = 3.0,
    rate: int = 48_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> int:
    """Write each clip and `times` variations of it, `seconds` long, to a folder that appears when it is whole.

    The clip of the name `owl/7_1.ogg` becomes `owl/7_1-0.flac`, and its variations `owl/7_1-1.flac` and so on, so that
    they stay in its class and its recording. The same seed gives the same sounds. Clips that cannot be read are left
    out with a warning. Returns the number of sounds written.
    """
    errors: list[str] = []
    with whole_folder(folder) as fresh:
        for number, (clip, name) in enumerate(zip(clips, names, strict=True)):
            stem = fresh / PurePosixPath(name).with_suffix("")
            try:
                wave = clip.wave(rate).numpy()
            except ValueError as error:
                errors.append(str(error))
                continue
            stem.parent.mkdir(parents=True, exist_ok=True)
            for time in range(times + 1):
                varied = wave
                if time:
                    rng = np.random.default_rng([seed, number, time])
                    waves = [wave, *_behind(clips, rate, rng)]
                    varied = variation(waves, round(seconds * rate), rng)
                write_wave(stem.with_name(f"{stem.name}-{time}.flac"), torch.from_numpy(varied), rate)
            if progress:
                progress(number + 1, len(clips))
        if not any(fresh.iterdir()):
            raise ValueError(f"none of the {len(clips)} sounds could be read: {errors[0]}")
    if errors:
        warn_of_unreadable(errors, len(clips), "were left out")
    return (len(clips) - len(errors)) * (times + 1)


def _behind(clips: Sequence[Clip], rate: int, rng: np.random.Generator) -> list[Wave]:
    """Return the wave that is behind a variation, or nothing: by chance, or where it cannot be read."""
    if rng.random() >= HOW_OFTEN:
        return []
    try:
        return [clips[int(rng.integers(len(clips)))].wave(rate).numpy()]
    except ValueError:  # named when it is its turn
        return []


def variation(waves: Sequence[Wave], samples: int, rng: np.random.Generator) -> Wave:
    """Return a random variation of the first wave [time], with the others behind it, of this many samples.

    >>> wave = np.sin(np.arange(2000, dtype=np.float32))
    >>> variation([wave, wave[:700]], 3000, np.random.default_rng(0)).shape
    (3000,)
    """
    mixed, *others = (_even(_placed(_at_another_pace(wave, rng), samples, rng)) for wave in waves)
    for other in others:
        mixed += other * _amplitude(rng.uniform(*BEHIND))
    if rng.random() < HOW_OFTEN:
        mixed += rng.normal(size=samples) * _amplitude(rng.uniform(*NOISE))
    if rng.random() < HOW_OFTEN:
        mixed[1:] -= rng.uniform(-TILT, TILT) * mixed[:-1].copy()
    return (mixed * (LOUDEST / max(1e-9, np.abs(mixed).max()))).astype(np.float32)


def _at_another_pace(wave: Wave, rng: np.random.Generator) -> Wave:
    return np.asarray(soxr.resample(wave, float(np.exp(rng.uniform(-PACE, PACE))), 1.0), np.float32)


def _placed(wave: Wave, samples: int, rng: np.random.Generator) -> Wave:
    """Return a random stretch of a wave, or the wave at a random place in silence."""
    begin = int(rng.integers(0, abs(samples - len(wave)) + 1))
    if len(wave) >= samples:
        return wave[begin : begin + samples]
    return np.pad(wave, (begin, samples - len(wave) - begin))


def _even(wave: Wave) -> npt.NDArray[np.float64]:
    """Return the wave at a power of 1, or silence as it is."""
    return wave.astype(np.float64) / max(1e-6, float(np.sqrt(np.mean(np.square(wave)))))


def _amplitude(decibels: float) -> float:
    return float(10 ** (decibels / 20))
