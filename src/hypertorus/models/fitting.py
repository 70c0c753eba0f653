"""How data are to be read so that they fit a model: sounds by its ear, images in folders of its size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypertorus.data.read import NAMES
from hypertorus.models.model import Model


def fitting(model: Model, source: str) -> dict[str, Any]:
    """What to tell `read_data` beside the source; data sets by name are as they are, whatever folder is called so."""
    if model.sound is not None:
        return {"sound": model.sound.as_dict()}
    if source not in NAMES and (Path(source).is_dir() or source.startswith("hf:")):
        return {"size": model.shape[-1]}
    return {}
