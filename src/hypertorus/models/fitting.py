"""Options for reading data so that they fit a model: its sound settings, or its image size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypertorus.data.read import NAMES
from hypertorus.models.model import Model


def fitting(model: Model, source: str) -> dict[str, Any]:
    """Return the options of `read_data` that fit `source` to the model; published data sets need none."""
    if model.sound is not None:
        return {"sound": model.sound.as_dict()}
    if source not in NAMES and (Path(source).is_dir() or source.startswith("hf:")):
        return {"size": model.shape[-1]}
    return {}
