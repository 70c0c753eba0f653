"""Reads the codes of an index file for a device."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hypertorus.codes import check_bits
from hypertorus.export.known import Known, Labelled
from hypertorus.search import Index


def known_of_index(path: Path, bits: int | None = None) -> Known:
    """Return all codes of an index with labels, with the bits of the index or fewer."""
    index = Index.open(path)
    if index.labels is None or len(index) == 0:
        missing = "codes" if index.labels is not None else "labels"
        raise ValueError(f"{path} has no {missing}, which a device needs to classify; add some to the index.")
    depth = index.bits if bits is None else check_bits(bits)
    if depth > index.bits:
        raise ValueError(f"--bits is {depth}, but the codes of {path} have {index.bits}; choose at most {index.bits}.")
    names, numbers = np.unique(index.labels, return_inverse=True)
    codes = index.vectors(index.ids) >> np.uint8(index.bits - depth)
    return Known(path.stem, Labelled(codes, numbers.astype(np.int64)), tuple(map(str, names)), depth)
