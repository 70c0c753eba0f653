"""Measures one quantiser: test rows are searched among training rows, and the result is a row of numbers."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes import GridCodes, ProductCodes, Quantiser
from hypertorus.evaluation import measures, neighbours, spread
from hypertorus.evaluation.agreement import neighbour_recall, rank_agreement
from hypertorus.search import nearest as search
from hypertorus.spaces import Space, Torus, circular_variance


@dataclass(frozen=True)
class Row:
    """Measures of embeddings as floats or with one quantiser: a row of the table of results."""

    space: str
    dim: int
    intrinsic_dim: int
    quantiser: str
    metric: str
    bits_per_vector: int
    precision_at_1: float
    precision_at_k: float
    recall_at_k: float
    k: int
    r_precision: float | None
    map_at_r: float | None
    circular_variance: float
    entropy: float
    distinct: int
    bits_used: float | None
    neighbour_recall: float | None
    rank_agreement: float | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def evaluate_split(
    train: npt.NDArray[Any],
    train_labels: npt.NDArray[Any],
    test: npt.NDArray[Any],
    test_labels: npt.NDArray[Any],
    space: Space,
    quantiser: Quantiser | None = None,
    *,
    metric: str = "cosine",
    k: int = 10,
    full: bool = False,
    asymmetric: bool = False,
    agreement: bool = True,
) -> Row:
    """Measure how well nearest neighbours in `train` [n, dim] predict the labels of `test` [m, dim].

    The embeddings are raw numbers, or points of the sphere and torusN, or turns of torusC; without a quantiser they are
    compared as floats, else as codes. The quantiser is fitted on `train`. Circular variance (of the unit vectors that
    are compared), entropy, distinct vectors and bits used (the mean entropy of a coordinate) are taken over train and
    test together, as the paper does. The neighbours are also compared with those of the floats; `agreement=False`
    saves that search. `full=True` adds the measures that rank whole classes, which take longer. `asymmetric=True`
    compares the codes of train with test as it is; it is for codes of a torus, or product codes fitted on floats.
    """
    train_labels, test_labels = np.asarray(train_labels), np.asarray(test_labels)
    _check(train, train_labels, test, test_labels, space, quantiser, k, asymmetric=asymmetric)
    relevant = _relevant(train_labels, test_labels)
    depth = max(k, int(relevant.max())) if full else k
    train_points, test_points = (space.project(rows).astype(np.float32) for rows in (train, test))
    if quantiser is None:
        symbols = compared = np.concatenate([train_points, test_points])
        nearest = neighbours.nearest_vectors(train_points, test_points, depth)
    else:
        train_codes, test_codes = quantiser.fit(train).encode(train), quantiser.encode(test)
        symbols = np.concatenate([train_codes, test_codes])
        compared = quantiser.vectors(symbols)
        if asymmetric and isinstance(quantiser, GridCodes) and isinstance(space, Torus):
            nearest = search(train_codes, space.turns(test), depth, metric=metric, bits=quantiser.bits).ids
        elif asymmetric:
            nearest = neighbours.nearest_vectors(quantiser.vectors(train_codes), test_points, depth)
        else:
            nearest = neighbours.nearest_codes(train_codes, test_codes, depth, quantiser, metric)
    exact = None
    if agreement:
        exact = nearest[:, :k] if quantiser is None else neighbours.nearest_vectors(train_points, test_points, k)
    hit = measures.hits(nearest, train_labels, test_labels)
    return _row(space, quantiser, metric, k, nearest, exact, symbols, compared, hit, relevant, full=full)


def evaluate_codes(
    train: npt.NDArray[np.uint8],
    train_labels: npt.NDArray[Any],
    test: npt.NDArray[np.uint8],
    test_labels: npt.NDArray[Any],
    quantiser: Quantiser,
    *,
    metric: str = "cosine",
    k: int = 10,
    full: bool = False,
) -> Row:
    """Measure the same for codes [n, width] and [m, width] of a quantiser, without floats to compare them with."""
    train_labels, test_labels = np.asarray(train_labels), np.asarray(test_labels)
    _check(train, train_labels, test, test_labels, quantiser.space, None, k, asymmetric=False)
    relevant = _relevant(train_labels, test_labels)
    depth = max(k, int(relevant.max())) if full else k
    nearest = neighbours.nearest_codes(train, test, depth, quantiser, metric)
    symbols = np.concatenate([train, test])
    compared = quantiser.vectors(symbols)
    hit = measures.hits(nearest, train_labels, test_labels)
    return _row(quantiser.space, quantiser, metric, k, nearest, None, symbols, compared, hit, relevant, full=full)


def _row(
    space: Space,
    quantiser: Quantiser | None,
    metric: str,
    k: int,
    nearest: npt.NDArray[np.int64],
    exact: npt.NDArray[np.int64] | None,
    symbols: npt.NDArray[Any],
    compared: npt.NDArray[np.float32],
    hit: measures.Hits,
    relevant: npt.NDArray[np.int64],
    *,
    full: bool,
) -> Row:
    """Return every measure of the nearest neighbours [m, depth], positions in train; `hit` marks the right ones."""
    return Row(
        space=space.name,
        dim=space.dim,
        intrinsic_dim=space.intrinsic_dim,
        quantiser=quantiser.name if quantiser else "none",
        metric=metric if quantiser else "cosine",
        bits_per_vector=quantiser.bits_per_vector if quantiser else 32 * space.dim,
        precision_at_1=measures.precision_at(hit, 1),
        precision_at_k=measures.precision_at(hit, k),
        recall_at_k=measures.recall_at(hit, relevant, k),
        k=k,
        r_precision=measures.r_precision(hit, relevant) if full else None,
        map_at_r=measures.map_at_r(hit, relevant) if full else None,
        circular_variance=float(circular_variance(_unit(compared))),
        entropy=spread.entropy(symbols),
        distinct=spread.distinct(symbols),
        bits_used=float(spread.bits_used(symbols).mean()) if quantiser else None,
        neighbour_recall=None if exact is None else neighbour_recall(nearest[:, :k], exact),
        rank_agreement=None if exact is None else rank_agreement(nearest[:, :k], exact),
    )


def _unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def _relevant(train_labels: npt.NDArray[Any], test_labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return, for each row of test, the number of rows of train with its label."""
    values, counts = np.unique(train_labels, return_counts=True)
    place = np.searchsorted(values, test_labels).clip(0, len(values) - 1)
    known = values[place] == test_labels
    if not known.any():
        raise ValueError(
            f"test has labels such as {test_labels[0]!r}, and no row of train has any of them; pass labels that match."
        )
    if not known.all():
        warnings.warn(
            f"{np.count_nonzero(~known):,} of {len(known):,} test rows have labels that no row of train has, such as "
            f"{test_labels[~known][0]!r}; none of their neighbours can be right.",
            stacklevel=3,
        )
    return np.where(known, counts[place], 0)


def _check(
    train: Any,
    train_labels: Any,
    test: Any,
    test_labels: Any,
    space: Space,
    quantiser: Quantiser | None,
    k: int,
    *,
    asymmetric: bool,
) -> None:
    for what, rows, labels in (("train", train, train_labels), ("test", test, test_labels)):
        if getattr(rows, "ndim", 0) != 2:
            raise ValueError(f"{what} has shape {np.shape(rows)}; pass a matrix [rows, {space.dim}].")
        if labels.shape != (len(rows),):
            raise ValueError(f"{what} has {len(rows)} rows but labels of shape {labels.shape}; give each row one.")
    if len(np.unique(train_labels)) < 2:
        raise ValueError("train has one class only; any neighbour would be right, so nothing can be measured.")
    if not 1 <= k <= len(train):
        raise ValueError(f"k is {k}; train has {len(train)} rows, so it must be 1 to {len(train)}.")
    on_torus = isinstance(quantiser, ProductCodes | GridCodes) and isinstance(space, Torus)
    on_floats = isinstance(quantiser, ProductCodes) and quantiser.on == "floats"
    if asymmetric and not (quantiser is None or on_torus or on_floats):
        raise ValueError(
            "asymmetric comparison is for codes of a torus, or product codes fitted on floats; leave it out."
        )
    if asymmetric and isinstance(quantiser, GridCodes) and quantiser.bits not in (8, 4, 2, 1):
        raise ValueError(f"the grid has {quantiser.bits} bits; asymmetric comparison is for 8, 4, 2 and 1.")
    if quantiser is not None and quantiser.space != space:
        raise ValueError(
            f"the quantiser is for {quantiser.space}, the embeddings for {space}; make a quantiser for that space."
        )
