"""Learns classes from a folder of examples, without training: the codes of all windows of the sounds of each class."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hypertorus.classes import Classes
from hypertorus.datasets.class_folders import files_by_class, relative_names
from hypertorus.datasets.kinds import SOUND_FILES
from hypertorus.embeddings import Embeddings
from hypertorus.files.progress import Progress
from hypertorus.files.unreadable import warn_of_unreadable
from hypertorus.listen.encode import EncodedClip, UnreadableClip, ear_of, encode_clips, torus_of
from hypertorus.models.model import Model
from hypertorus.sound.clip import Clip


def learn(folder: str | Path, model: Model, *, bits: int = 8, progress: Progress | None = None) -> Classes:
    """Return the classes of the examples in `folder`, which has a folder of sounds for each class.

    Every window of a sound is an example, and a sound shorter than a window is padded as in training. Silent windows
    and sounds that cannot be read are left out with a warning. `progress(done, total)` counts sounds.
    """
    place = Path(folder)
    if not place.is_dir():
        raise FileNotFoundError(f"there is no folder {place}; pass one with a folder of examples for each class.")
    torus_of(model, "the model")
    ear_of(model).check()
    by_class = files_by_class(place, SOUND_FILES, "sounds")
    labels = {path: number for number, paths in enumerate(by_class.values()) for path in paths}
    reasons: dict[str, str] = {}
    pieces = list(_heard(list(labels), model, bits, reasons, progress))
    owners = [piece.clip.path for piece in pieces for heard in ~piece.silent if heard]
    numbers = np.array([labels[path] for path in owners], np.int64)
    for number, name in enumerate(by_class):
        if number not in numbers:
            raise ValueError(f"none of the sounds in {place / name} could be learnt: {_first(reasons, by_class[name])}")
    if reasons:
        warn_of_unreadable(tuple(reasons.values()), len(labels), "were left out, or parts of them")
    record = Embeddings(
        np.concatenate([piece.codes[~piece.silent] for piece in pieces]),
        "codes",
        model.space_name,
        model.dim,
        bits,
        labels=numbers,
        classes=tuple(by_class),
        names=relative_names(owners, place),
        starts=np.concatenate([_starts(piece, ear_of(model).seconds) for piece in pieces]),
        model=model.fingerprint,
    )
    return Classes(record)


def _heard(
    paths: list[str], model: Model, bits: int, reasons: dict[str, str], progress: Progress | None
) -> Iterator[EncodedClip]:
    """Yield the codes of all that can be heard, and say in `reasons` what cannot."""
    clips: list[Clip] = []
    for path in paths:
        try:
            clips += Clip(path).pieces(ear_of(model).seconds)
        except ValueError as error:
            reasons[path] = str(error)
    for done, piece in enumerate(encode_clips(clips, model, bits), start=1):
        if isinstance(piece, UnreadableClip):
            reasons.setdefault(piece.clip.path, piece.reason)
        else:
            if piece.silent.all():
                reasons.setdefault(piece.clip.path, f"{piece.clip.path} is silent.")
            yield piece
        if progress:
            progress(done, len(clips))


def _starts(piece: EncodedClip, window: float) -> npt.NDArray[np.float64]:
    return np.array([piece.clip.start + window * row for row in np.flatnonzero(~piece.silent)])


def _first(reasons: dict[str, str], paths: list[str]) -> str:
    return next(reasons[path] for path in paths if path in reasons)
