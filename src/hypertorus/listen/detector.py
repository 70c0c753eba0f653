"""Detects classes in recordings: overlapping windows are judged, and what is sure enough becomes events."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hypertorus.annotations.formats import checked_kind
from hypertorus.classes import Classes, read_classes
from hypertorus.classes.read import CLASSES
from hypertorus.datasets.class_folders import files_in
from hypertorus.datasets.kinds import SOUND_FILES
from hypertorus.files.lock import FileLock
from hypertorus.files.progress import Progress
from hypertorus.listen.detections import LOCK, Detections, Heard, check_name
from hypertorus.listen.encode import ear_of, torus_of
from hypertorus.listen.listener import Listener
from hypertorus.models.model import Model, load

MOST_OVERLAP = 0.95


@dataclass(frozen=True)
class Detected:
    """The outcome of `detect`."""

    recordings: tuple[Heard, ...]
    new: int
    """Number of recordings that this run listened to; the others were done before."""
    together: tuple[Path, ...]
    """Files of all recordings."""

    @property
    def seconds(self) -> float:
        return sum(heard.seconds for heard in self.recordings)

    @property
    def counts(self) -> dict[str, int]:
        """Number of events of each class, the most frequent first."""
        labels = [event.label for heard in self.recordings for event in heard.events]
        names, counts = np.unique(np.array(labels, np.str_), return_counts=True)
        return {str(names[place]): int(counts[place]) for place in np.argsort(-counts, kind="stable")}


def detect(
    recordings: str | os.PathLike[str],
    model: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    classes: str | os.PathLike[str] | None = None,
    overlap: float = 0.5,
    threshold: float = 0.5,
    formats: Sequence[str] = ("raven",),
    restart: bool = False,
    progress: Progress | None = None,
) -> Detected:
    """Write what is heard in a recording, or in all below a folder, into a folder `out`.

    Classes are those of `hypertorus learn`, or of codes or an index with labels; without any, those in the folder of
    the model. A window that is farther from all of them than their radii is none of these, and one that is less sure
    than `threshold` is not reported. Of two windows in turn, the second begins `overlap` of a window before the end of
    the first. `formats` are raven, audacity, birdnet and parquet. Silent windows, and recordings shorter than a window,
    are not judged, and the outcome says so.

    The same call continues a run that was stopped: a recording that is done is not listened to again. Other settings in
    the same folder are an error unless `restart` is set. `progress(done, total)` counts seconds of sound.
    """
    for kind in formats:
        checked_kind(kind)
    if not 0 <= overlap <= MOST_OVERLAP:
        raise ValueError(f"overlap is {overlap}; it must be from 0 to {MOST_OVERLAP}, a share of a window.")
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold is {threshold}; it must be from 0 to 1.")
    source, network = Path(recordings), load(model)
    guide, base = _classes_of(network, Path(model), classes), source if source.is_dir() else source.parent
    for name in guide.names:
        check_name(name, formats)
    paths = _paths(source)
    ear_of(network).check()
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "recordings": str(base.absolute()),
        "model": network.fingerprint,
        "classes": _checksum(guide),
        "overlap": overlap,
        "threshold": threshold,
    }
    try:
        with FileLock(folder / LOCK, wait=False, create=True):
            written = Detections(folder)
            written.begin(settings, restart=restart)
            listener = Listener(network, guide, overlap, threshold, base, formats)
            return _run(written, listener, paths, formats, progress)
    except BlockingIOError as error:
        raise ValueError(f"another process writes to {folder}; wait for it, or choose another folder.") from error


def _run(
    written: Detections, listener: Listener, paths: list[str], formats: Sequence[str], progress: Progress | None
) -> Detected:
    every: dict[str, Heard] = {}
    fresh: list[Heard] = []
    for path in paths:
        done = written.done(listener.name(path), Path(path).stat())
        if done is None:
            fresh.append(listener.opened(path))
        else:
            every[done.path] = done
            written.write_files(done, formats)

    def finished(heard: Heard) -> None:
        written.add(heard, formats)
        every[heard.path] = heard

    listener.listen(fresh, finished, progress)
    recordings = tuple(every[listener.name(path)] for path in paths)
    return Detected(recordings, len(fresh), tuple(written.write_together(recordings, formats)))


def _classes_of(model: Model, place: Path, classes: str | os.PathLike[str] | None) -> Classes:
    torus = torus_of(model, place)
    if classes is None and not (place / CLASSES).is_file():
        raise FileNotFoundError(
            f"{place} holds no {CLASSES}; learn classes with hypertorus learn EXAMPLES {place}, and pass them as "
            "--classes."
        )
    file = place / CLASSES if classes is None else Path(classes)
    guide = read_classes(file)
    if guide.examples.model not in (None, model.fingerprint):
        raise ValueError(
            f"{file} was learnt with model {guide.examples.model}, and {place} is {model.fingerprint}; learn the "
            "classes again with this model."
        )
    if guide.examples.width > torus.flat_dim:
        raise ValueError(
            f"{file} has codes of {guide.examples.width} coordinates, and those of {place} have {torus.flat_dim}; "
            "learn the classes again with this model."
        )
    return guide


def _paths(source: Path) -> list[str]:
    if source.is_file():
        return [str(source)]
    if not source.is_dir():
        raise FileNotFoundError(f"there is no folder or file {source}; pass recordings.")
    paths = files_in(source, SOUND_FILES)
    if not paths:
        raise ValueError(
            f"{source} has no sounds ({', '.join(SOUND_FILES)}) at any depth; pass a folder that has some."
        )
    return paths


def _checksum(guide: Classes) -> str:
    """Return what tells classes from others: their names and all examples."""
    record = guide.examples
    digest = hashlib.sha256(repr((record.bits, record.classes)).encode())
    digest.update(np.ascontiguousarray(record.rows).data)
    digest.update(np.ascontiguousarray(guide.examples.labels).data)
    return digest.hexdigest()[:16]
