"""What nearest neighbours do without training: on the inputs as they are, and on their principal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from hypertorus.datasets import Data, Part
from hypertorus.evaluation.row import evaluate_split
from hypertorus.files.cache import cache_folder
from hypertorus.files.progress import Progress
from hypertorus.models.model import Model
from hypertorus.spaces import Sphere
from hypertorus.training.batches import generator
from hypertorus.training.frozen import features_of

QUERIES = 2000
"""The most test inputs that are searched for."""
NUMBERS = 2**28
"""The most numbers of training inputs that are searched among, a gigabyte."""
BATCH = 512


@dataclass(frozen=True)
class Baselines:
    """Precision at 1 by cosine, of test inputs among training inputs; of large data, both are sampled."""

    inputs: float
    """The inputs as they are."""
    pca: float
    """As many principal components of the inputs as the model has raw numbers."""
    queries: int
    references: int


def baselines(data: Data, dim: int, progress: Progress | None = None) -> Baselines:
    """Measure what a model of `dim` raw numbers has to beat."""
    width = int(np.prod(data.train.shape))
    references = _sample(data.train, max(1, NUMBERS // width))
    queries = _sample(data.test, QUERIES)
    total = len(references) + len(queries)
    train = _rows(data.train, references, progress, 0, total)
    test = _rows(data.test, queries, progress, len(references), total)
    labels = data.train.labels[references].numpy(), data.test.labels[queries].numpy()

    def precision(rows: npt.NDArray[Any], asked: npt.NDArray[Any]) -> float:
        row = evaluate_split(rows, labels[0], asked, labels[1], Sphere(rows.shape[1]), k=1, agreement=False)
        return float(row.precision_at_1)

    mean, components = _principal(train, dim)
    inputs, pca = precision(train, test), precision((train - mean) @ components.T, (test - mean) @ components.T)
    return Baselines(inputs, pca, len(queries), len(references))


def features_as_data(data: Data, model: Model) -> Data:
    """Return the features that a frozen encoder makes of the data, which training has cached."""
    train, test = (features_of(model, part, cache_folder("features")) for part in (data.train, data.test))
    return Data(data.name, train, test, data.classes)


def _sample(part: Part, most: int) -> torch.Tensor:
    return torch.randperm(len(part), generator=generator(0))[:most].sort().values


def _rows(
    part: Part, numbers: torch.Tensor, progress: Progress | None, done: int, total: int
) -> npt.NDArray[np.float32]:
    """Return these inputs as rows of floats, in which a row of zeros, which has no direction, is a row of ones."""
    rows = np.empty((len(numbers), int(np.prod(part.shape))), np.float32)
    for begin in range(0, len(numbers), BATCH):
        chosen = numbers[begin : begin + BATCH]
        rows[begin : begin + BATCH] = part.__getitems__(chosen).flatten(1).numpy()
        if progress:
            progress(done + begin + len(chosen), total)
    rows[~rows.any(axis=1)] = 1
    return rows


def _principal(rows: npt.NDArray[np.float32], dim: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return the mean of rows [n, width] and their first principal components, at most `dim` and at least two."""
    mean = rows.mean(axis=0, dtype=np.float32)
    centred = torch.from_numpy(rows[:: max(1, len(rows) // 10_000)] - mean)
    most = min(max(dim, 2), *centred.shape)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        components = torch.pca_lowrank(centred, q=most, center=False, niter=4)[2].T
    return mean, components.numpy()
