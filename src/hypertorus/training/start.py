"""Initialises heads: a linear one by principal components or by a teacher, and any on torusC without wrapping.

A head on a large network's features sees few examples. Random weights lose most of what those features know about
classes outside the training set; the principal components keep as much of it as a linear head can, and training
improves on them. A teacher knows more: the head begins as the ridge regression from features to the principal
components of the teacher's vectors, which needs few examples as well.
"""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn

from hypertorus.datasets import Part
from hypertorus.models.model import Model
from hypertorus.spaces import TorusC, TorusN
from hypertorus.training.batches import generator
from hypertorus.training.prepare import sample

RANDOM, PRINCIPAL = "random", "pca"
RIDGE = 0.3
"""Penalty on the squared weights of a regression, for each input, of features that are standardised."""
SPREAD = {TorusC.name: 0.2}
"""Initial standard deviation of the raw numbers, 1 unless given; on torusC they are turns, and more would wrap."""
QUARTER = 0.25
"""Standard deviation in turns above which raw numbers of torusC wrap so often that training begins at chance."""
BATCH = 500


def start_head(model: Model, part: Part, start: str, seed: int) -> None:
    """Set a linear head to principal components of `part`, rotated at random to share the variance evenly.

    They are those of the features, or what the features tell of those of the teacher's vectors.
    """
    features = torch.from_numpy(model.rows(model.features, part)).double()
    centred = features - features.mean(dim=0)
    if start == PRINCIPAL:
        rows = _turned(torch.linalg.svd(centred, full_matrices=False).Vh[: model.dim], model.dim, seed)
    else:
        assert part.columns.teacher is not None
        count = model.dim // 2 if model.space_name == TorusN.name else model.dim  # as many as there are angles
        rows = _turned(_regression(centred, part.columns.teacher.double(), count), model.dim, seed)
    rows *= SPREAD.get(model.space_name, 1.0) / (centred @ rows.T).std()
    model.head[0].load_state_dict({"weight": rows, "bias": -rows @ features.mean(dim=0)})


def unwrap_start(model: Model, part: Part) -> None:
    """Make the weights of the last layer of a torusC head smaller if its raw numbers begin with too large a spread."""
    if model.space_name != TorusC.name:
        return
    spread = _spread(model, part)
    if spread <= QUARTER:
        return
    layer = model.head[-2] if len(model.head) > 1 else None
    if isinstance(layer, nn.Linear):
        with torch.no_grad():
            layer.weight.mul_(SPREAD[TorusC.name] / spread)
        return
    warnings.warn(
        f"raw numbers on torusC begin with a standard deviation of {spread:.2f} turns, so they wrap around and "
        "training may begin at chance; choose --head linear, which begins with smaller numbers, or --space torusN.",
        stacklevel=3,
    )


def _spread(model: Model, part: Part) -> float:
    """Return the standard deviation of the raw numbers of a batch, as the first training step computes them."""
    inputs = part.__getitems__(sample(part, seed=1)[:BATCH].tolist())
    buffers = {name: tensor.clone() for name, tensor in model.named_buffers()}
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        raw = model.train().raw(inputs.to(model.mean.device))
    for name, tensor in model.named_buffers():  # batch normalisation has counted this batch
        tensor.copy_(buffers[name])
    return float(raw.double().var(dim=0).mean().sqrt())


def _regression(centred: Tensor, teacher: Tensor, count: int) -> Tensor:
    """Return the rows that turn features into the first principal components of the teacher's directions."""
    deviations = centred.std(dim=0)
    scales = torch.where(deviations > 0, 1 / deviations, 0.0)
    inputs, directions = centred * scales, nn.functional.normalize(teacher, dim=1)
    directions = directions - directions.mean(dim=0)
    targets = directions @ torch.linalg.svd(directions, full_matrices=False).Vh[:count].T
    penalty = RIDGE * len(inputs) * torch.eye(inputs.shape[1], dtype=inputs.dtype)
    return torch.linalg.solve(inputs.T @ inputs + penalty, inputs.T @ targets).T * scales


def _turned(components: Tensor, dim: int, seed: int) -> Tensor:
    """Return components rotated at random into `dim` rows."""
    turn = torch.linalg.qr(torch.randn(dim, dim, dtype=components.dtype, generator=generator(seed))).Q
    return turn[:, : len(components)] @ components
