"""The answers of a device to the inputs of a trial, computed in Python's integers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.codes.circular_mean import circular_mean
from hypertorus.codes.protocol import Codes
from hypertorus.export.firmware import Firmware

NEW = "new"
"""Label of a class that was learned on the device."""


class Answer(NamedTuple):
    """A label, and the distance of the nearest stored code."""

    label: str
    distance: int


def reference(made: Firmware, inputs: npt.NDArray[Any], lessons: npt.NDArray[Any] | None = None) -> list[Answer]:
    """Return the answer to each of the inputs [n, numbers], after a new class was learned from `lessons`, if any."""
    known = made.known
    if known.network is None:
        raise ValueError("this export has no network, so it takes codes, not inputs; export it with --encoder.")
    codes = known.network.encode(inputs, known.bits)
    away = _l1(codes, made.prototypes.stored.codes, known.bits)
    nearest, distance = away.argmin(axis=1), away.min(axis=1)
    labels = np.array(known.classes, object)[made.prototypes.stored.labels[nearest]]
    if lessons is not None and len(lessons):
        learned = circular_mean(known.network.encode(lessons, known.bits), known.bits)
        labels[_l1(codes, learned[None], known.bits)[:, 0] < distance] = NEW
    return [Answer(*answer) for answer in zip(labels.tolist(), distance.tolist(), strict=True)]


def _l1(codes: Codes, stored: Codes, bits: int) -> npt.NDArray[np.int64]:
    """Return distances [n, m] by their definition, independent of the fast ones on the device."""
    forth = (codes[:, None].astype(np.int64) - stored[None].astype(np.int64)) % 2**bits
    return np.minimum(forth, 2**bits - forth).sum(axis=2)
