"""Reads waves from .pt files, in the layout of the ProtoCLR benchmark, without running any code in them."""

from __future__ import annotations

import zipfile
from functools import lru_cache
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

RATE = 16_000
"""Sampling rate of the published tensors, which do not record it."""


def read_tensor(path: str | Path) -> Tensor:
    """Return the wave of a file with one wave [time] or [channels, time]: float32 [time]."""
    return _mono(_load(path), path)


def read_tensors(path: str | Path) -> tuple[list[Tensor] | Tensor, npt.NDArray[Any]]:
    """Return the `data` of a file with many waves, memory-mapped, and the `label` of each."""
    return _opened(str(path), Path(path).stat().st_mtime_ns)


@lru_cache(maxsize=2)
def _opened(path: str, written: int) -> tuple[list[Tensor] | Tensor, npt.NDArray[Any]]:
    del written  # only part of the cache key, so that a changed file is read again
    content = _load(path)
    if not isinstance(content, dict) or not {"data", "label"} <= content.keys():
        raise ValueError(f"{path} has no `data` and `label`; save a dict with a wave and a label for each clip.")
    data, labels = content["data"], np.asarray(content["label"])
    if not isinstance(data, Tensor | list) or len(data) == 0 or labels.shape != (len(data),):
        raise ValueError(f"{path} has labels of shape {labels.shape} for its `data`; give each of its waves one.")
    return data, labels


def read_row(path: str | Path, row: int) -> Tensor:
    """Return one wave of a file with many: float32 [time]."""
    return _mono(read_tensors(path)[0][row], f"row {row} of {path}")


def _mono(wave: Any, place: str | Path) -> Tensor:
    if not isinstance(wave, Tensor) or wave.ndim not in (1, 2) or wave.is_complex():
        raise ValueError(f"{place} holds no wave; save a tensor [time] or [channels, time].")
    return wave.float() if wave.ndim == 1 else wave.float().mean(dim=0)


def _load(path: str | Path) -> Any:
    try:
        # Only torch's zip format can be memory-mapped.
        return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except (UnpicklingError, RuntimeError, EOFError, OSError, ValueError, KeyError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"{path} is not a file of tensors alone ({reason}); save it again with torch.save.") from error
