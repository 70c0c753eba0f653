"""Embeddings on the torus: train them, store them as overflowing integers, search them exactly."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypertorus.spaces import Space as Space
from hypertorus.spaces import Sphere as Sphere
from hypertorus.spaces import TorusC as TorusC
from hypertorus.spaces import TorusN as TorusN
from hypertorus.spaces import circular_variance as circular_variance
from hypertorus.spaces import mean_direction as mean_direction
from hypertorus.spaces import space as space

if TYPE_CHECKING:
    from hypertorus.models import Model

__version__ = "0.1.0"

from hypertorus.embeddings import Embeddings as Embeddings
from hypertorus.embeddings import read_embeddings as read_embeddings


def load(folder: str | os.PathLike[str]) -> Model:
    """The model that was saved into this folder, ready to embed; needs torch."""
    from hypertorus.models import load as load_model

    return load_model(folder)
