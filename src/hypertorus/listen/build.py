"""A folder of recordings into an index: every window of every file, and a table of where each is from."""

from __future__ import annotations

import os
from pathlib import Path

from hypertorus.data.class_folders import files_in
from hypertorus.data.kinds import SOUNDS
from hypertorus.files.progress import Progress
from hypertorus.listen.encode import Unheard, hear, pieces, sound_of
from hypertorus.listen.windows import SoundWindows
from hypertorus.models.model import Model
from hypertorus.search import Index
from hypertorus.sound.clip import Clip
from hypertorus.sound.unreadable import warn_of_unreadable

SUFFIXES = tuple(suffix for suffix in SOUNDS if suffix != ".pt")


def listen(
    folder: Path, model: Model, index: Index, progress: Progress | None = None
) -> tuple[SoundWindows, tuple[str, ...]]:
    """Add the codes of all sounds below a folder; returns where each is from, and a sentence on each unreadable file.

    `progress(done, total)` is told in seconds of sound.
    """
    ear = sound_of(model)
    ear.check()
    window = ear.seconds
    clips, left_out = _clips(folder, window)
    files = len({clip.path for clip in clips}) + len(left_out)
    windows, total, done = SoundWindows(), sum(clip.seconds() for clip in clips), 0.0
    for piece in hear(clips, model, index.bits):
        if isinstance(piece, Unheard):
            left_out.setdefault(piece.clip.path, piece.why)
        else:
            index.add(piece.codes)
            windows.add(Path(piece.clip.path).relative_to(folder).as_posix(), piece.windows(window))
        done += piece.clip.seconds()
        if progress:
            progress(round(done), round(total))
    sentences = tuple(left_out.values())
    if len(index) == 0:
        raise ValueError(f"none of the {files} sounds in {folder} could be read: {sentences[0]}")
    if sentences:
        warn_of_unreadable(sentences, files, "could not be read, or not to their end")
    return windows, sentences


def _clips(folder: Path, window: float) -> tuple[list[Clip], dict[str, str]]:
    """Every sound in pieces, and a sentence on each that cannot be opened, by its path."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}; pass one with sounds in it.")
    clips: list[Clip] = []
    left_out: dict[str, str] = {}
    for path in files_in(folder, SUFFIXES):
        try:
            clips += pieces(path, window)
        except UnicodeEncodeError:
            left_out[path] = f"{os.fsencode(path)!r} is a name that is not UTF-8; rename the file."
        except ValueError as error:
            left_out[path] = str(error)
    if not clips and not left_out:
        raise ValueError(f"{folder} has no sounds ({', '.join(SUFFIXES)}), nor have the folders in it; pass another.")
    return clips, left_out
