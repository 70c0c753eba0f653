"""Takes results away: tables for field programs, clips, and a model folder with what was learnt, as one download."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from hypertorus.annotations import FORMATS, Annotation, events, write_annotations
from hypertorus.explorer.bench import Bench
from hypertorus.explorer.collection import Item
from hypertorus.explorer.everything import found_rows
from hypertorus.explorer.images import Images
from hypertorus.explorer.names import write_names
from hypertorus.explorer.sounds import Sounds, wav
from hypertorus.sound.wave import seconds_of
from hypertorus.workbench import prototype_index, save_classes, save_model

MOST_FILES = 2000
"""Number of clips or images in one download, at most."""
PLACES = ("answers", "found")
"""What is taken away: what a person said yes to, or everything that the threshold finds."""


class Download(NamedTuple):
    """A file to save."""

    name: str
    kind: str
    content: bytes


def take(bench: Bench, question: str, form: str, place: str, threshold: float, *, single: bool = False) -> Download:
    """Return the results of one class in a form: a format of annotations, `clips` or `model`.

    Images and texts have the form `names`, a table, and images `images`, their files. Windows that overlap or touch are
    one event, as those of `hypertorus detect` are; `single` keeps each of them.
    """
    name = "".join(letter if letter.isalnum() else "-" for letter in question).strip("-") or "class"
    if form == "model":
        return Download(f"{name}-model.zip", "application/zip", _model(bench, question))
    if place not in PLACES:
        raise ValueError(f"what to take is {place!r:.40}; choose one of {', '.join(PLACES)}.")
    if not isinstance(bench.collection, Sounds):
        return _take_names(bench, question, form, name, chosen(bench, question, place, threshold))
    windows = list(annotated(bench, question, place, threshold))
    annotations = windows if single else events(windows)
    _check_any(annotations, question)
    if form == "clips":
        _check_most(len(windows), "windows")
        return Download(f"{name}-clips.zip", "application/zip", _clips(bench, annotations))
    if form not in FORMATS:
        raise ValueError(f"the form is {form!r:.40}; choose one of {', '.join((*FORMATS, 'clips', 'model'))}.")
    if form in ("birdnet", "parquet"):
        content = _written(lambda folder: write_annotations(folder / f"{name}{FORMATS[form]}", annotations, form))
        kind = "text/csv" if form == "birdnet" else "application/vnd.apache.parquet"
        return Download(f"{name}{FORMATS[form]}", kind, next(iter(content.values())))
    tables = _written(lambda folder: _tables(bench, annotations, form, folder, name))
    return Download(f"{name}-{form}.zip", "application/zip", _zip(tables.items()))


def chosen(bench: Bench, question: str, place: str, threshold: float) -> list[tuple[Item, float | None]]:
    """Return what is taken, in the order of the index, and the score of each if it was found by its score."""
    rows, shares = bench.rows_said(question, "yes").tolist(), None
    if place == "found":
        learnt = bench.learnt(question)
        rows = found_rows(bench, learnt, threshold).nonzero()[0].tolist()
        shares = learnt.classifier.share(learnt.scores)
    items = [bench.collection.item(int(bench.items.ids[row])) for row in rows]
    return [(item, None if shares is None else float(shares[row])) for item, row in zip(items, rows, strict=True)]


def annotated(bench: Bench, question: str, place: str, threshold: float) -> Iterator[Annotation]:
    """Yield an annotation for each window, in the order of the index."""
    sounds = bench.collection
    if not isinstance(sounds, Sounds):
        raise ValueError("only recordings become tables of times; take a table of names instead.")  # noqa: TRY004
    for item, score in chosen(bench, question, place, threshold):
        yield Annotation(item.name, item.start or 0.0, item.end or 0.0, question, score, *sounds.ear.band)


def _take_names(bench: Bench, question: str, form: str, name: str, items: list[tuple[Item, float | None]]) -> Download:
    """Return images or texts as a table of their names, or images as files."""
    _check_any(items, question)
    images = bench.collection
    if form == "names":
        scores = [(item.name, score) for item, score in items]
        content = _written(lambda folder: write_names(folder / f"{name}.csv", question, scores))
        return Download(f"{name}.csv", "text/csv", next(iter(content.values())))
    if form == "images" and isinstance(images, Images):
        _check_most(len(items), "images")
        return Download(f"{name}-images.zip", "application/zip", _zip(images.files(item.name for item, _ in items)))
    forms = ("names", "images", "model") if isinstance(images, Images) else ("names", "model")
    raise ValueError(f"the form is {form!r:.40}; choose one of {', '.join(forms)}.")


def _check_any(taken: Sequence[object], question: str) -> None:
    if not taken:
        raise ValueError(f"there is nothing to take for “{question}”; say yes to something, or lower the threshold.")


def _tables(bench: Bench, annotations: list[Annotation], form: str, folder: Path, name: str) -> None:
    """Write a table for each recording, beside it by name, and for Raven one of all.

    The times of that one are cumulative over all recordings of the index, in the order of their paths, as Raven counts
    them when these are opened as one sequence.
    """
    by_path: dict[str, list[Annotation]] = {}
    for one in annotations:
        by_path.setdefault(one.path, []).append(one)
    names = short_names(by_path)
    for path, own in by_path.items():
        place = folder / f"{names[path]}{FORMATS[form]}"
        place.parent.mkdir(parents=True, exist_ok=True)
        write_annotations(place, own, form)
    sounds = bench.collection
    if form == "raven" and isinstance(sounds, Sounds):
        lengths = {path: seconds_of(sounds.sounds.folder / path) for path in sorted(sounds.sounds.windows.paths)}
        ordered = [one for path in lengths for one in by_path.get(path, ())]
        write_annotations(folder / f"all-{name}{FORMATS[form]}", ordered, form, lengths=lengths)


def _clips(bench: Bench, annotations: list[Annotation]) -> bytes:
    sounds = bench.collection
    if not isinstance(sounds, Sounds):
        raise ValueError("only recordings have clips; take the model instead.")  # noqa: TRY004
    names = short_names(one.path for one in annotations)

    def clips() -> Iterator[tuple[str, bytes]]:
        for one in annotations:
            name = f"{names[one.path]}_{one.start:.12g}-{one.end:.12g}.wav"
            yield name, wav(sounds.sounds.folder / one.path, one.start, one.end)

    return _zip(clips())


def _check_most(count: int, what: str) -> None:
    """Raise an error if files would be too much for one download; an event is as long as its windows."""
    if count > MOST_FILES:
        raise ValueError(f"these are {count:,} {what}, and {MOST_FILES:,} are taken at once; raise the threshold.")


def short_names(paths: Iterable[str]) -> dict[str, str]:
    """Return each path without its suffix, unless that is the name of two: owl.wav and owl.flac stay apart."""
    short = {path: PurePosixPath(path).with_suffix("").as_posix() for path in paths}
    counted = Counter(short.values())
    return {path: name if counted[name] == 1 else path for path, name in short.items()}


def _model(bench: Bench, question: str) -> bytes:
    """Return the model with the class as `hypertorus detect` takes it, and prototypes for `hypertorus export c`.

    Where the model is not known, it is the class alone, of which everything but the network is known.
    """
    classifier = bench.learnt(question).classifier
    model = bench.collection.network

    def write(folder: Path) -> None:
        if model is None:
            save_classes([classifier], folder / "classes")
        else:
            save_model(model, [classifier], folder / "model")
        prototype_index([classifier], bench.learner.background).save(folder / "prototypes.index")

    return _zip(_written(write).items())


def _written(write: Callable[[Path], object]) -> dict[str, bytes]:
    """Return the files that a function writes into a folder, by their paths in it."""
    with tempfile.TemporaryDirectory(prefix="hypertorus-take-") as place:
        folder = Path(place)
        write(folder)
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }


def _zip(files: Iterable[tuple[str, bytes]]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, each in files:
            archive.writestr(name, each)
    return content.getvalue()
