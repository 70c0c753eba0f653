"""Reads the codes of an index, or of a file of embeddings, for a device."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hypertorus.codes import check_bits
from hypertorus.embeddings import Embeddings
from hypertorus.embeddings.read import read_record
from hypertorus.export.known import Known, Labelled
from hypertorus.files.suffixes import is_array_file
from hypertorus.search import Index, check_angles
from hypertorus.spaces import Torus


def known_of_file(path: Path, bits: int | None = None) -> Known:
    """Return the result of `known_of_embeddings` for a file of embeddings, else of `known_of_index`."""
    if is_array_file(str(path)) and path.suffix != ".safetensors":
        raise ValueError(f"{path} does not say what it holds; pass an index, or codes that `hypertorus encode` wrote.")
    record = read_record(path)
    return known_of_index(path, bits) if record is None else known_of_embeddings(record, path.stem, bits)


def known_of_embeddings(record: Embeddings, name: str, bits: int | None = None) -> Known:
    """Return the codes of embeddings with labels: training rows to store and test rows to judge by, else all rows."""
    if not isinstance(record.home, Torus):
        raise ValueError(  # noqa: TRY004
            f"{name} lives on the {record.space}, whose codes do not wrap around; train with --space torusN or torusC."
        )
    if record.labels is None:
        raise ValueError(f"{name} has no labels, and a device says by them what it saw; embed data that have some.")
    kept = check_bits(bits or record.bits or 8)
    codes, labels = record.codes(kept), record.labels
    if record.parts is None or not {"train", "test"} <= set(record.parts.tolist()):
        return Known(name, Labelled(codes, labels), record.classes, kept)
    train, test = (Labelled(codes[record.parts == part], labels[record.parts == part]) for part in ("train", "test"))
    return Known(name, train, record.classes, kept, test)


def known_of_index(path: Path, bits: int | None = None) -> Known:
    """Return all codes of an index with labels, with the bits of the index or fewer."""
    index = Index.open(path)
    check_angles(index.metric)
    if index.labels is None or len(index) == 0:
        missing = "codes" if index.labels is not None else "labels"
        raise ValueError(f"{path} has no {missing}, which a device needs to classify; add some to the index.")
    depth = index.bits if bits is None else check_bits(bits)
    if depth > index.bits:
        raise ValueError(f"--bits is {depth}, but the codes of {path} have {index.bits}; choose at most {index.bits}.")
    names, numbers = np.unique(index.labels, return_inverse=True)
    codes = index.vectors(index.ids) >> np.uint8(index.bits - depth)
    return Known(path.stem, Labelled(codes, numbers.astype(np.int64)), tuple(map(str, names)), depth)
