"""Where a linear head begins: at the principal components of the features it stands on.

A head on a large network's features sees few examples. One drawn by chance throws away most of what those features
know of classes it is never shown; the components keep as much of it as a linear head can, and training adds to it.
"""

from __future__ import annotations

import torch
from torch import Tensor

from hypertorus.data import Part
from hypertorus.models.model import Model
from hypertorus.train.batches import generator

PRINCIPAL = "pca"
SPREAD = {"torusC": 0.2}
"""The deviation of raw numbers to begin with: on torusC in turns, where more would wrap neighbours apart; else 1."""


def start_head(model: Model, part: Part, seed: int) -> None:
    """Set a linear head to the components of `part`, turned by chance so that each raw number has its share."""
    features = torch.from_numpy(model.rows(model.features, part)).double()
    centred = features - features.mean(dim=0)
    rows = _components(centred, model.dim, seed)
    rows *= SPREAD.get(model.space_name, 1.0) / (centred @ rows.T).std()
    model.head[0].load_state_dict({"weight": rows, "bias": -rows @ features.mean(dim=0)})


def _components(centred: Tensor, dim: int, seed: int) -> Tensor:
    """As many as there are, up to `dim`, in `dim` rows."""
    components = torch.linalg.svd(centred, full_matrices=False).Vh[:dim]
    turn = torch.linalg.qr(torch.randn(dim, dim, dtype=centred.dtype, generator=generator(seed))).Q
    return turn[:, : len(components)] @ components
