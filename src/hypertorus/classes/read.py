"""Reads classes from files: those that `hypertorus learn` wrote, codes with labels, or an index with labels."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from hypertorus.classes.classes import Classes
from hypertorus.embeddings import Embeddings
from hypertorus.embeddings.read import read_record
from hypertorus.search import Index

CLASSES = "classes.safetensors"
"""Name of the file of classes in the folder of a model of sounds: training writes there what it was trained on."""


def read_classes(path: str | os.PathLike[str]) -> Classes:
    """Return the classes of a file of codes with labels, or of an index with labels."""
    place = Path(path)
    if not place.is_file():
        raise FileNotFoundError(f"there is no file {place}; learn classes with: hypertorus learn EXAMPLES MODEL")
    record = read_record(place) if place.suffix == ".safetensors" else None
    record = _of_index(place) if record is None else record
    if record.labels is None or (record.labels < 0).all():
        raise ValueError(f"{place} has no labels; learn classes with: hypertorus learn EXAMPLES MODEL")
    if record.kind != "codes":
        raise ValueError(f"{place} holds {record.kind}; pass codes, as hypertorus learn and encode write them.")
    return Classes(record)


def _of_index(path: Path) -> Embeddings:
    index = Index.open(path)
    if index.labels is None or len(index) == 0:
        raise ValueError(f"{path} has no labels; learn classes with: hypertorus learn EXAMPLES MODEL")
    names, labels = np.unique(index.labels.astype(np.str_), return_inverse=True)
    codes = index.vectors(index.ids)
    # The space of an index is a torus of either kind; both have the same codes.
    return Embeddings(
        codes, "codes", "torusC", bits=index.bits, labels=labels, classes=tuple(map(str, names)), model=index.model
    )
