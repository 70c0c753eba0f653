"""Synthetic birdsong: a folder of recordings, a network that hears species apart, and an index of 16 bytes a song."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from PIL import Image

from hypertorus.datasets import read_data
from hypertorus.datasets.chirps import SECONDS, write_chirps
from hypertorus.explorer.sounds import picture, wav
from hypertorus.files.progress import Progress
from hypertorus.files.whole_folder import whole_folder
from hypertorus.listen import SoundIndex
from hypertorus.welcome.exhibit import Exhibit, Thing, asked, trained

RECORDINGS, MODEL, INDEX = "recordings", "sounds-model", "sounds"
"""Names of the folders of recordings, of the model and of the index."""
EPOCHS = 40
SPECIES, HELD_BACK = 16, 2
"""Number of species, and recordings of each to ask for."""
SHOWN = (5, 10, 7, 14, 12, 2)
"""Species that the page shows: some whose songs differ most to the eye."""
DARKEST, RANGE = 2.0, 18.0
"""Decibels above the usual noise at which a spectrogram begins to be bright, and from there to the brightest."""
HIGH, WIDE = 4, 3
"""Numbers of frequencies and of times that a pixel of a spectrogram stands for."""


def write_recordings(folder: Path, progress: Progress | None = None) -> Path:
    """Write synthetic recordings into `train` and `test`, with a folder for each species, unless they are there."""
    if not (folder / RECORDINGS).exists():
        with whole_folder(folder / RECORDINGS) as place:
            write_chirps(place / "train", species=SPECIES, progress=progress)
            for species in sorted((place / "train").iterdir()):
                (place / "test" / species.name).mkdir(parents=True)
                for file in sorted(species.iterdir())[-HELD_BACK:]:
                    file.rename(place / "test" / species.name / file.name)
    return folder / RECORDINGS


def sounds(folder: Path, epochs: int = EPOCHS) -> Exhibit:
    """Train on the recordings, save an index of the training part, and search it for those of the test part."""
    recordings = write_recordings(folder).absolute()
    data = read_data(str(recordings), sound={"seconds": SECONDS, "bands": 64})
    settings: dict[str, Any] = {"space": "torusN", "dim": 32, "encoder": "small-audio:8", "batch": 32}
    trained(data, folder / MODEL, **settings, epochs=epochs, patience=epochs)
    index = SoundIndex.build(recordings / "train", folder / MODEL)
    index.save(folder / INDEX)

    @cache
    def thing(path: Path) -> Thing:
        return Thing(
            path.relative_to(recordings).as_posix(), path.parent.name.replace("-", " "), spectrogram(path), song(path)
        )

    paths = sorted((recordings / "test").rglob("*.wav"))
    queries = [Thing(path.name, path.parent.name.replace("-", " ")) for path in paths]
    shown = [HELD_BACK * (species - 1) for species in SHOWN]
    for row in shown:
        queries[row] = thing(paths[row])
    codes = index.model.encode([str(path) for path in paths])
    return asked("sounds", index.index, queries, codes, shown, lambda row: thing(index.folder / index.windows[row][0]))


def spectrogram(path: Path) -> bytes:
    """Return the spectrogram of a recording as a small .png: time to the right, pitch upwards, louder is brighter."""
    levels = picture(path, 0.0, SECONDS, SECONDS).steps.astype(float) / 2
    usual = np.median(levels, axis=1, keepdims=True)  # of each pitch: wind is louder than hiss
    rows, columns = len(levels) // HIGH, levels.shape[1] // WIDE
    above = (levels - usual)[: rows * HIGH, : columns * WIDE]
    smooth = above.reshape(rows, HIGH, columns, WIDE).mean(axis=1).max(axis=2)
    pixels = mpl.colormaps["magma"](np.clip((smooth - DARKEST) / RANGE, 0, 1)[::-1])[..., :3]
    file = io.BytesIO()
    Image.fromarray((255 * pixels).astype(np.uint8)).quantize(32).save(file, "PNG", optimize=True)
    return file.getvalue()


def song(path: Path) -> bytes:
    """Return a recording as a .wav that browsers play."""
    return wav(path, 0.0, SECONDS)
