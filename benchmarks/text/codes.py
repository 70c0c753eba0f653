"""Codes of texts by three models, as bytes, and the texts that are found by them.

int8 and binary codes are those of `sentence_transformers.quantization.quantize_embeddings`. Its int8 needs the range of
every number, here that of the training texts, and is searched in the most favourable way: decoded by the same ranges
and compared by cosine. Binary codes are compared by the Hamming distance.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.search import nearest

Floats = npt.NDArray[np.float32]
Positions = npt.NDArray[np.int64]
DEPTH = 100
"""Neighbours that are looked at."""
SHAPES = {8: (32, 2), 16: (64, 2), 32: (128, 2), 48: (192, 2), 64: (128, 4), 96: (192, 4), 192: (192, 8)}
"""Angles and bits of torus codes of each size in bytes: two bits an angle, and more where there are no more angles."""
BINARY = {16: 128, 32: 256, 48: 384}


def by_cosine(train: Floats, test: Floats) -> Positions:
    """Return the nearest training rows [queries, DEPTH] by cosine, in order."""
    scores = _unit(test) @ _unit(train).T
    return np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]


def torus(train: npt.NDArray[np.uint8], test: npt.NDArray[np.uint8], size: int) -> Positions:
    """Return the nearest by codes of this many bytes, cut from codes of 8 bits; they need no ranges."""
    angles, bits = SHAPES[size]
    cut = [np.ascontiguousarray(codes[:, :angles] >> (8 - bits)) for codes in (train, test)]
    return nearest(cut[0], cut[1], DEPTH, metric="cosine", bits=bits).ids


def int8(train: Floats, test: Floats, ranges: Floats | None = None) -> Positions:
    """Return the nearest by int8 codes, by ranges [2, numbers] that are those of the training rows unless given."""
    known = ranges_of(train) if ranges is None else ranges
    return by_cosine(*(_decoded(_quantized(rows, "int8", known), known) for rows in (train, test)))


def int8_by_itself(train: Floats, test: Floats, batch: int = 10) -> Positions:
    """Return the nearest if queries come in tens and are given no ranges, so that the library takes their own.

    It warns of so few, which is what is measured here.
    """
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    known = ranges_of(train)
    pieces = [_quantized(test[begin : begin + batch], "int8") for begin in range(0, len(test), batch)]
    base = _decoded(_quantized(train, "int8", known), known)
    return by_cosine(base, _decoded(np.concatenate(pieces), known))


def binary(train: Floats, test: Floats) -> Positions:
    """Return the nearest by one bit a number."""
    base, queries = (np.unpackbits(np.asarray(_quantized(rows, "ubinary")), axis=1) for rows in (train, test))
    return nearest(base, queries, DEPTH, metric="l1", bits=1).ids


def ranges_of(rows: Floats) -> Floats:
    return np.stack([rows.min(axis=0), rows.max(axis=0)])


def principal(train: Floats, *others: Floats) -> list[Floats]:
    """Return rows in the principal components of the first, so that the first numbers say most."""
    mean = train.mean(axis=0)
    components = np.linalg.svd(train - mean, full_matrices=False)[2].T
    return [((rows - mean) @ components).astype(np.float32) for rows in (train, *others)]


def first(size: int, *rows: Floats) -> list[Floats]:
    """Return the first numbers of unit rows, as unit rows again."""
    return [_unit(each[:, :size]) for each in rows]


def _quantized(rows: Floats, kind: str, ranges: Floats | None = None) -> Any:
    from sentence_transformers.util.quantization import quantize_embeddings  # takes seconds to import

    return quantize_embeddings(rows, kind, ranges=ranges)  # type: ignore[arg-type]


def _decoded(codes: Any, ranges: Floats) -> Floats:
    step = (ranges[1] - ranges[0]) / 255
    return ((codes.astype(np.float32) + 128.5) * step + ranges[0]).astype(np.float32)


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float32)
