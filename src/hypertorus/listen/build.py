"""Adds a folder of recordings to an index: the codes of all windows, and a table of their files and times."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from hypertorus.datasets.class_folders import files_in
from hypertorus.datasets.kinds import SOUND_FILES
from hypertorus.files.progress import Progress
from hypertorus.files.unreadable import warn_of_unreadable
from hypertorus.listen.encode import EncodedClip, UnreadableClip, ear_of, encode_clips
from hypertorus.listen.encoded import EncodedClips
from hypertorus.listen.windows import SoundWindows
from hypertorus.models.model import Model
from hypertorus.search import Index
from hypertorus.sound.clip import Clip


def listen(
    folder: Path,
    base: Path,
    model: Model,
    index: Index,
    windows: SoundWindows,
    progress: Progress | None = None,
    journal: EncodedClips | None = None,
) -> tuple[str, ...]:
    """Add the codes and windows of all sounds below a folder, and return a sentence on each unreadable file.

    The names of files are their paths relative to `base`; files that `windows` already has are skipped.
    `progress(done, total)` counts seconds of sound. What is in a journal is not encoded again, and the rest is kept
    there as soon as it is encoded.
    """
    ear = ear_of(model)
    ear.check()
    window = ear.seconds
    clips, left_out = _clips(folder, window, lambda path: windows.file_number(_name(path, base)) is None)
    files = len({clip.path for clip in clips}) + len(left_out)
    total, done, known = sum(clip.seconds() for clip in clips), 0.0, len(windows)
    for piece in _encoded(clips, model, index, journal):
        if isinstance(piece, UnreadableClip):
            left_out.setdefault(piece.clip.path, piece.reason)
        else:
            index.add(piece.codes)
            windows.add(_name(piece.clip.path, base), piece.windows(window))
        done += piece.clip.seconds()
        if progress:
            progress(round(done), round(total))
    sentences = tuple(left_out.values())
    if len(windows) == known == 0:
        raise ValueError(f"none of the {files} sounds in {folder} could be read: {sentences[0]}")
    if sentences:
        warn_of_unreadable(sentences, files, "could not be read, or not to their end")
    return sentences


def _encoded(
    clips: list[Clip], model: Model, index: Index, journal: EncodedClips | None
) -> Iterator[EncodedClip | UnreadableClip]:
    """Yield each clip in order, from the journal or encoded now."""
    if journal is None:
        yield from encode_clips(clips, model, index.bits, index.dim)
        return
    fresh = encode_clips([clip for clip in clips if journal.get(clip) is None], model, index.bits, index.dim)
    for clip in clips:
        piece = journal.get(clip)
        if piece is not None:
            yield piece
            continue
        new = next(fresh)
        if isinstance(new, EncodedClip):
            journal.add(new)
        yield new


def _name(path: str, base: Path) -> str:
    return Path(os.path.relpath(path, base)).as_posix()


def _clips(folder: Path, window: float, is_new: Callable[[str], bool]) -> tuple[list[Clip], dict[str, str]]:
    """Return every new sound as clips, and a sentence on each file that cannot be opened, by its path."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}; pass one with sounds in it.")
    clips: list[Clip] = []
    left_out: dict[str, str] = {}
    paths = files_in(folder, SOUND_FILES)
    if not paths:
        raise ValueError(
            f"{folder} has no sounds ({', '.join(SOUND_FILES)}) at any depth; pass a folder that has some."
        )
    for path in filter(is_new, paths):
        try:
            clips += Clip(path).pieces(window)
        except UnicodeEncodeError:
            left_out[path] = f"{os.fsencode(path)!r} is a name that is not UTF-8; rename the file."
        except ValueError as error:
            left_out[path] = str(error)
    return clips, left_out
