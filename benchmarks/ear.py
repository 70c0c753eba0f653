"""What the ears of microcontrollers cost, and how near they are to floats.

    python -m benchmarks.ear [--json results/ear.json] [--digits FOLDER]

Costs are counted in simulators: cycles on the ATmega328P, instructions on the others, of a sound that has everything
from silence to full scale. Errors are in decibels, of all places within the depth of the loudest place of their window,
against the same spectrogram in float64; on synthetic sounds, and on a tenth of the spoken digits if they are there.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.machine import describe, write_result
from hypertorus.boards import BOARDS
from hypertorus.boards.bench.ear import ear_cost
from hypertorus.sound.chip import ChipSpectrogram
from hypertorus.sound.resonators import Resonators
from hypertorus.sound.spectrogram import Spectrogram, mel_filters

Samples = npt.NDArray[np.int16]
EAR = ChipSpectrogram()
ON_BOARDS = {
    "chip": ("cortex-m0", "cortex-m3", "cortex-m4", "riscv32"),
    "resonators": ("atmega328p", "cortex-m0", "cortex-m4"),
}
EARS: dict[str, ChipSpectrogram | Resonators] = {"chip": EAR, "resonators": Resonators()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the result to this file")
    parser.add_argument("--digits", type=Path, default=Path("../shared/data/spoken-digits"), help="folder of sounds")
    arguments = parser.parse_args()
    result: dict[str, Any] = {"costs": costs(), "errors": {"synthetic": errors(synthetic())}}
    if arguments.digits.exists():
        result["errors"]["spoken digits"] = errors(digits(arguments.digits))
    print(describe(), end="\n\n")
    for cost in result["costs"]:
        print(", ".join(f"{name} {value}" for name, value in cost.items()))
    for name, error in result["errors"].items():
        print(f"{name}: " + ", ".join(f"{key} {value:.4g}" for key, value in error.items()))
    if arguments.json:
        write_result(arguments.json, "python -m benchmarks.ear", result)


def costs() -> list[dict[str, Any]]:
    everything = np.concatenate(list(synthetic().values()))
    found = []
    with TemporaryDirectory() as folder:
        for name, boards in ON_BOARDS.items():
            ear = EARS[name]
            heard = everything[: replace(ear, frames=4000 // ear.hop).samples]  # whole frames
            for board in boards:
                cost = ear_cost(BOARDS[board], ear, heard, Path(folder) / board / name)
                found.append({"ear": name} | cost.as_dict())
    return found


def synthetic() -> dict[str, Samples]:
    """Sounds of a window each: noise at three loudnesses, a square wave of full scale, a chirp, a hiss, a click."""
    rng, time = np.random.default_rng(0), np.arange(EAR.samples)
    noise = rng.normal(size=EAR.samples)
    waves = {
        "mixed": np.where(time < 2000, 3000 * noise, np.where(time < 3000, 0, np.where(time // 23 % 2, 32767, -32768))),
        "loud": 8000 * noise,
        "soft": 100 * noise,
        "faint": noise,
        "square": np.where(time // 23 % 2, 32767, -32768),
        "chirp": 15_000 * np.sin(1e-4 * time**2) + 3 * noise,
        "hiss": 5000 * np.diff(np.diff(noise, prepend=0), prepend=0),
        "click": 30_000 * (time == 3000),
    }
    return {name: np.rint(wave).clip(-(2**15), 2**15 - 1).astype(np.int16) for name, wave in waves.items()}


def digits(folder: Path) -> dict[str, Samples]:
    """A tenth of the sounds of a folder, each in a window of its own."""
    import soundfile

    waves = {str(path): soundfile.read(path, dtype="int16")[0] for path in sorted(folder.glob("*/*.flac"))[::10]}
    return {name: np.pad(wave, (0, max(0, EAR.samples - len(wave))))[: EAR.samples] for name, wave in waves.items()}


def errors(sounds: dict[str, Samples]) -> dict[str, float]:
    """Return the number of sounds and places, and their mean and largest error, of bytes and of what is before them."""
    settings = Spectrogram(rate=EAR.rate, fft=EAR.fft, bands=EAR.bands, lowest=EAR.lowest, highest=EAR.highest)
    filters = mel_filters(settings).numpy().astype(float)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(EAR.fft) / EAR.fft)
    of_levels, of_bytes = [], []
    for samples in sounds.values():
        frames = np.lib.stride_tricks.sliding_window_view(samples.astype(float), EAR.fft)[:: EAR.hop]
        exact = 10 * np.log10((np.abs(np.fft.rfft(frames * hann)) ** 2 @ filters.T).clip(min=1e-9))
        near = exact > exact.max() - EAR.depth
        of_levels.append(((EAR.levels(samples[None])[0] - 255) * EAR.depth / 255 - exact)[near])
        below = (EAR.bytes(samples[None])[0].T - 255.0) * EAR.depth / 255
        of_bytes.append((below - (exact - exact.max()))[near])
    levels, heard = np.abs(np.concatenate(of_levels)), np.abs(np.concatenate(of_bytes))
    return {
        "sounds": len(sounds),
        "places": len(levels),
        "level_mean": round(float(levels.mean()), 4),
        "level_largest": round(float(levels.max()), 4),
        "byte_mean": round(float(heard.mean()), 4),
        "byte_largest": round(float(heard.max()), 4),
    }


if __name__ == "__main__":
    main()
