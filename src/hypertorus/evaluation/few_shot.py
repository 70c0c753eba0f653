"""Few-shot accuracy: how well a few examples of each class classify the other rows, as floats or as codes."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes import BITS, GridCodes, Quantiser
from hypertorus.embeddings import Embeddings
from hypertorus.evaluation.episodes import Episodes
from hypertorus.evaluation.prototypes import CodePrototypes, PointPrototypes, Prototypes
from hypertorus.evaluation.weighted_prototypes import WeightedPrototypes
from hypertorus.spaces import Space


@dataclass(frozen=True)
class FewShot:
    """Result of `few_shot`.

    `accuracy` is the mean over the episodes, `deviation` their standard deviation, `interval` half the width of the
    95 % interval of the mean, 1.96 standard errors (a little narrow for as few as ten episodes), and `chance` the
    accuracy of guessing.
    """

    space: str
    dim: int
    quantiser: str
    bits_per_vector: int
    shots: int
    ways: int
    episodes: int
    accuracy: float
    interval: float
    deviation: float
    chance: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def few_shot(
    embeddings: Embeddings | npt.NDArray[Any],
    labels: npt.ArrayLike | None = None,
    space: Space | None = None,
    quantiser: Quantiser | None = None,
    *,
    shots: int = 1,
    ways: int | None = None,
    episodes: int | None = None,
    queries: int = 15,
    groups: npt.ArrayLike | None = None,
    one_per_group: bool = False,
    lengths: bool = False,
    seed: int = 0,
) -> FewShot:
    """Measure the accuracy of nearest prototypes of `shots` examples per class.

    `Embeddings` bring their labels, their space and their groups. An array [n, dim] needs labels [n] and a space.

    Without `ways`, as published (Moummad and others, 2024): 10 random `episodes` of all classes, with `shots` support
    rows of each and all other rows as queries. With `ways`, 600 episodes of this many random classes and up to
    `queries` queries of each. A group never has both support and query rows; see `Episodes`. The same seed draws the
    same episodes, whatever the space and the quantiser.

    An array holds raw numbers, or points of the sphere and torusN, or turns of torusC. Prototypes are class means
    of points, centred by the mean of the support set, nearest by Euclidean distance; with `GridCodes` of a torus they
    are circular means of codes, nearest by integer l1, or with `lengths` by their weighted cosines, of
    `WeightedPrototypes`.

    >>> from hypertorus import TorusN
    >>> labels = np.arange(200) % 8
    >>> rng = np.random.default_rng(0)
    >>> raw = rng.normal(size=(8, 16))[labels] + rng.normal(size=(200, 16))
    >>> result = few_shot(raw, labels, TorusN(16), GridCodes(TorusN(16), bits=4), shots=5, ways=4)
    >>> result.episodes, result.chance, result.accuracy > 0.8
    (600, 0.25, True)
    """
    if isinstance(embeddings, Embeddings):
        labels, space = embeddings.labels if labels is None else labels, embeddings.home
        groups, embeddings = embeddings.groups if groups is None else groups, embeddings.raw()
    if labels is None or space is None:
        raise ValueError("few_shot needs a label for each row, and the space of an array; pass both.")
    labels = np.asarray(labels)
    _check(embeddings, labels, space, quantiser)
    if lengths and quantiser is None:
        raise ValueError("lengths is set, but points keep the lengths of their means anyway; pass GridCodes, too.")
    sampler = Episodes(labels, None if groups is None else np.asarray(groups), shots, ways, queries, one_per_group)
    count = (10 if ways is None else 600) if episodes is None else episodes
    rows = space.project(embeddings) if quantiser is None else quantiser.encode(embeddings)
    drawn = sampler.draw(count, seed)
    accuracies = np.array([_accuracy(_prototypes(quantiser, lengths), rows, labels, *episode) for episode in drawn])
    deviation = float(accuracies.std(ddof=1)) if count > 1 else math.nan
    classes = len(np.unique(labels)) if ways is None else ways
    return FewShot(
        space=space.name,
        dim=space.dim,
        quantiser=f"{quantiser.name}{'-lengths' * lengths}" if quantiser else "none",
        bits_per_vector=quantiser.bits_per_vector if quantiser else 32 * space.dim,
        shots=shots,
        ways=classes,
        episodes=count,
        accuracy=float(accuracies.mean()),
        interval=1.96 * deviation / math.sqrt(count),
        deviation=deviation,
        chance=1 / classes,
    )


def _prototypes(quantiser: Quantiser | None, lengths: bool) -> Prototypes:  # noqa: FBT001
    if not isinstance(quantiser, GridCodes):
        return PointPrototypes()
    return WeightedPrototypes(quantiser.bits) if lengths else CodePrototypes(quantiser.bits)


def _accuracy(
    prototypes: Prototypes,
    rows: npt.NDArray[Any],
    labels: npt.NDArray[Any],
    support: npt.NDArray[np.int64],
    query: npt.NDArray[np.int64],
) -> float:
    predicted = prototypes.fit(rows[support], labels[support]).predict(rows[query])
    return float((predicted == labels[query]).mean())


def _check(embeddings: Any, labels: npt.NDArray[Any], space: Space, quantiser: Quantiser | None) -> None:
    if getattr(embeddings, "ndim", 0) != 2:
        raise ValueError(f"embeddings has shape {np.shape(embeddings)}; pass a matrix [rows, {space.dim}].")
    if labels.shape != (len(embeddings),):
        raise ValueError(
            f"embeddings has {len(embeddings)} rows but labels of shape {labels.shape}; give each row one."
        )
    if quantiser is None:
        return
    # A grid that is fitted, as that of a sphere always is, does not wrap.
    if not isinstance(quantiser, GridCodes) or quantiser.minmax or quantiser.bits not in BITS:
        bits = ", ".join(map(str, BITS))
        raise ValueError(
            f"the quantiser is {quantiser}; prototypes of codes need GridCodes of a torus, of {bits} bits."
        )
    if quantiser.space != space:
        raise ValueError(
            f"the quantiser is for {quantiser.space}, the embeddings for {space}; make a quantiser for that space."
        )
