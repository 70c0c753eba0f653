"""Initialises a linear head with the principal components of its features.

A head on a large network's features sees few examples. Random weights lose most of what those features know about
classes outside the training set; the principal components keep as much of it as a linear head can, and training
improves on them.
"""

from __future__ import annotations

import torch
from torch import Tensor

from hypertorus.datasets import Part
from hypertorus.models.model import Model
from hypertorus.training.batches import generator

PRINCIPAL = "pca"
SPREAD = {"torusC": 0.2}
"""Initial standard deviation of the raw numbers, 1 unless given; on torusC they are turns, and more would wrap."""


def start_head(model: Model, part: Part, seed: int) -> None:
    """Set a linear head to the principal components of `part`, rotated at random to share the variance evenly."""
    features = torch.from_numpy(model.rows(model.features, part)).double()
    centred = features - features.mean(dim=0)
    rows = _components(centred, model.dim, seed)
    rows *= SPREAD.get(model.space_name, 1.0) / (centred @ rows.T).std()
    model.head[0].load_state_dict({"weight": rows, "bias": -rows @ features.mean(dim=0)})


def _components(centred: Tensor, dim: int, seed: int) -> Tensor:
    """Return up to `dim` principal components, rotated at random into `dim` rows."""
    components = torch.linalg.svd(centred, full_matrices=False).Vh[:dim]
    turn = torch.linalg.qr(torch.randn(dim, dim, dtype=centred.dtype, generator=generator(seed))).Q
    return turn[:, : len(components)] @ components
