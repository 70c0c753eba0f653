"""Initialises heads: a linear one with the principal components of its features, and any on torusC without wrapping.

A head on a large network's features sees few examples. Random weights lose most of what those features know about
classes outside the training set; the principal components keep as much of it as a linear head can, and training
improves on them.
"""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn

from hypertorus.datasets import Part
from hypertorus.models.model import Model
from hypertorus.spaces import TorusC
from hypertorus.training.batches import generator
from hypertorus.training.prepare import sample

PRINCIPAL = "pca"
SPREAD = {TorusC.name: 0.2}
"""Initial standard deviation of the raw numbers, 1 unless given; on torusC they are turns, and more would wrap."""
QUARTER = 0.25
"""Standard deviation in turns above which raw numbers of torusC wrap so often that training begins at chance."""
BATCH = 500


def start_head(model: Model, part: Part, seed: int) -> None:
    """Set a linear head to the principal components of `part`, rotated at random to share the variance evenly."""
    features = torch.from_numpy(model.rows(model.features, part)).double()
    centred = features - features.mean(dim=0)
    rows = _components(centred, model.dim, seed)
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


def _components(centred: Tensor, dim: int, seed: int) -> Tensor:
    """Return up to `dim` principal components, rotated at random into `dim` rows."""
    components = torch.linalg.svd(centred, full_matrices=False).Vh[:dim]
    turn = torch.linalg.qr(torch.randn(dim, dim, dtype=centred.dtype, generator=generator(seed))).Q
    return turn[:, : len(components)] @ components
