"""The formats of annotations by name: which files they have, and how they are read and written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from hypertorus.annotations.audacity import read_audacity, write_audacity
from hypertorus.annotations.birdnet_csv import read_birdnet, write_birdnet
from hypertorus.annotations.parquet import read_parquet, write_parquet
from hypertorus.annotations.raven import BEGIN, read_raven, write_raven
from hypertorus.annotations.record import Annotation

FORMATS = {
    "raven": ".selections.txt",
    "audacity": ".labels.txt",
    "birdnet": ".birdnet.csv",
    "parquet": ".parquet",
}
"""How the names of files of each format end."""


def write_annotations(
    path: str | os.PathLike[str],
    annotations: Iterable[Annotation],
    kind: str | None = None,
    *,
    lengths: Mapping[str, float] | None = None,
) -> None:
    """Write annotations atomically as `raven`, `audacity`, `birdnet` or `parquet`, by default as the name ends.

    A Raven table of several recordings needs their `lengths` in seconds, in their order: its times are cumulative. A
    file of Audacity labels is of one recording.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_annotations(Path(folder, "owls.birdnet.csv"), [Annotation("owl.wav", 3, 6, "Strix aluco", 0.9)])
    ...     Path(folder, "owls.birdnet.csv").read_text().splitlines()[1]
    '3.0,6.0,Strix aluco,Strix aluco,0.9,owl.wav'
    """
    place = Path(path)
    match checked_kind(kind) if kind else _kind_by_name(place):
        case "raven":
            write_raven(place, annotations, lengths)
        case "audacity":
            write_audacity(place, annotations)
        case "birdnet":
            write_birdnet(place, annotations)
        case _:
            write_parquet(place, annotations)


def read_annotations(
    path: str | os.PathLike[str], kind: str | None = None, *, recording: str | None = None, label: str | None = None
) -> list[Annotation]:
    """Return the annotations in a file of one of the formats; without `kind` it is recognised by name and first line.

    `recording` is the path of the recording, for files that name none, as Audacity's never do; `label` names the column
    of labels in a Raven table.
    """
    place = Path(path)
    match checked_kind(kind) if kind else _kind_by_content(place):
        case "raven":
            return read_raven(place, recording, label)
        case "audacity":
            return read_audacity(place, recording)
        case "birdnet":
            return read_birdnet(place, recording)
        case _:
            return read_parquet(place, recording)


def checked_kind(kind: str) -> str:
    """Return the name of a format, or raise an error that lists them."""
    if kind not in FORMATS:
        raise ValueError(f"the format is {kind!r}; choose one of {', '.join(FORMATS)}.")
    return kind


def _kind_by_name(path: Path) -> str:
    for kind, ending in FORMATS.items():
        if path.name.lower().endswith(ending):
            return kind
    raise ValueError(f"{path} does not say its format; end it in {', '.join(FORMATS.values())}, or name the format.")


def _kind_by_content(path: Path) -> str:
    if path.suffix.lower() == ".parquet":
        return "parquet"
    if path.suffix.lower() == ".csv":
        return "birdnet"
    with path.open("rb") as file:
        return "raven" if BEGIN.lower().encode() in file.readline(2**16).lower() else "audacity"
