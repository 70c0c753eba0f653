"""The codes of an index file for a device."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hypertorus.codes import check_bits
from hypertorus.export.known import Known, Labelled
from hypertorus.search import Index


def known_of_index(path: Path, bits: int | None = None) -> Known:
    """All codes of an index with labels, of as many bits as they have there, or fewer."""
    index = Index.open(path)
    if index.labels is None or len(index) == 0:
        missing = "codes" if index.labels is not None else "labels"
        raise ValueError(f"{path} has no {missing}, and a device says by them what it saw; add some to the index.")
    kept = index.bits if bits is None else check_bits(bits)
    if kept > index.bits:
        raise ValueError(f"--bits is {kept}, and the codes of {path} have {index.bits}; bits can only be left out.")
    names, numbers = np.unique(index.labels, return_inverse=True)
    codes = index.vectors(index.ids) >> np.uint8(index.bits - kept)
    return Known(path.stem, Labelled(codes, numbers.astype(np.int64)), tuple(map(str, names)), kept)
