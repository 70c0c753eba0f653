"""Embeddings on the torus: train them, store them as overflowing integers, search them exactly."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypertorus.embeddings import Embeddings as Embeddings
    from hypertorus.embeddings import read_embeddings as read_embeddings
    from hypertorus.models import Model
    from hypertorus.spaces import Space as Space
    from hypertorus.spaces import Sphere as Sphere
    from hypertorus.spaces import TorusC as TorusC
    from hypertorus.spaces import TorusN as TorusN
    from hypertorus.spaces import circular_variance as circular_variance
    from hypertorus.spaces import mean_direction as mean_direction
    from hypertorus.spaces import space as space

__version__ = "0.1.0"
__all__ = [
    "Embeddings",
    "Space",
    "Sphere",
    "TorusC",
    "TorusN",
    "circular_variance",
    "load",
    "mean_direction",
    "read_embeddings",
    "space",
]


def load(folder: str | os.PathLike[str]) -> Model:
    """The model that was saved into this folder, ready to embed; needs torch."""
    from hypertorus.models import load as load_model

    return load_model(folder)


def __getattr__(name: str) -> Any:
    """What is named above comes from `spaces`, with numpy, once it is asked for: `hypertorus --help` asks for none."""
    if name not in __all__:
        raise AttributeError(f"module 'hypertorus' has no attribute {name!r}")
    import hypertorus.embeddings
    import hypertorus.spaces

    return getattr(hypertorus.embeddings if "mbeddings" in name else hypertorus.spaces, name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
