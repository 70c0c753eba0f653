"""Hours of audio that `hypertorus detect` hears in a minute.

python -m benchmarks.detect                    # a minute of work; writes results/detect.json
python -m benchmarks.detect --birdnet          # the same with BirdNET as the ear, if it is installed
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import soundfile
import torch

from benchmarks.machine import write_result
from hypertorus.datasets.chirps import write_chirps
from hypertorus.files.threads import thread_count
from hypertorus.listen import Detected, detect, learn
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.birdnet import BirdNet
from hypertorus.sound.spectrogram import Spectrogram

RATE = 16_000
OVERLAPS = (0.0, 0.5)
ROUNDS = 2


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--birdnet", action="store_true")
    parser.add_argument("--minutes", type=float, default=20.0, help="Minutes of audio to listen to, four times.")
    parser.add_argument("--out", type=Path, default=Path("results/detect.json"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), arguments.minutes, birdnet=arguments.birdnet)
    write_result(arguments.out, "python -m benchmarks.detect" + " --birdnet" * arguments.birdnet, result)
    for row in result:
        print(row)


def measure(folder: Path, minutes: float, *, birdnet: bool) -> list[dict[str, object]]:
    """Listen to recordings of five minutes each, of noise with songs in it, for eight classes of five examples."""
    write_chirps(folder / "examples", species=8, recordings=5)
    write_recordings(folder / "recordings", folder / "examples", round(minutes / 5))
    network = birdnet_head() if birdnet else small_network()
    network.save(folder / "model")
    learn(folder / "examples", network).examples.save(folder / "classes.safetensors")
    times: dict[float, list[float]] = {overlap: [] for overlap in OVERLAPS}
    heard_by: dict[float, Detected] = {}
    for _ in range(ROUNDS):  # taking turns, because the machine may be busy at one time
        for overlap in OVERLAPS:
            begun = time.perf_counter()
            heard_by[overlap] = detect(
                folder / "recordings",
                folder / "model",
                folder / f"out-{overlap}",
                classes=folder / "classes.safetensors",
                overlap=overlap,
                restart=True,
            )
            times[overlap].append(time.perf_counter() - begun)
    rows: list[dict[str, object]] = []
    for overlap, found in heard_by.items():
        seconds = min(times[overlap])
        rows.append(
            {
                "ear": "birdnet" if birdnet else "spectrogram, small-audio",
                "window_seconds": network.sound.seconds if network.sound else None,
                "overlap": overlap,
                "audio_hours": round(found.seconds / 3600, 3),
                "windows": sum(heard.windows for heard in found.recordings),
                "seconds": round(seconds, 1),
                "hours_per_minute": round(found.seconds / 3600 / (seconds / 60), 2),
                "cores": thread_count(None),
            }
        )
    return rows


def small_network() -> Model:
    torch.manual_seed(0)
    sound = Spectrogram(seconds=3)
    return Model(encoder("small-audio", sound.shape), sound.shape, 128, "torusN", sound=sound)


def birdnet_head() -> Model:
    torch.manual_seed(0)
    sound = BirdNet()
    return Model(encoder("birdnet:root", sound.shape), sound.shape, 128, "torusN", head="linear", sound=sound)


def write_recordings(folder: Path, examples: Path, count: int) -> None:
    folder.mkdir()
    songs = sorted(examples.rglob("*.wav"))
    for number in range(count):
        rng = np.random.default_rng(number)
        wave = 0.01 * rng.normal(size=300 * RATE)
        for start in range(0, 290, 10):
            song, _ = soundfile.read(songs[rng.integers(len(songs))])
            wave[start * RATE : start * RATE + len(song)] += song
        soundfile.write(folder / f"SITE_20260501_{number:02}0000.wav", wave.clip(-1, 1), RATE)


if __name__ == "__main__":
    main()
