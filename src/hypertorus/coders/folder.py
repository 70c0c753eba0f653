"""The folder of a coder: `coder.safetensors`, and `config.json` with the checksum of the numbers.

`files/tensor_folder.py` writes and opens it; here is what it holds for a coder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.coders.coder import Coder
from hypertorus.coders.plain import PlainCoder
from hypertorus.coders.torus import TorusCoder
from hypertorus.files.tensor_folder import TensorFolder, is_a

_KINDS: dict[str, type[PlainCoder | TorusCoder]] = {"plain": PlainCoder, "torus": TorusCoder}


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0


CODER = TensorFolder(
    kind="coder",
    version=1,
    fix="fit the coder again",
    keys={"kind": is_a(str), "numbers": _is_count, "bytes": _is_count, "facts": is_a(dict)},
    library="np",
)


def write_coder(coder: Coder, folder: Path) -> None:
    config = {"kind": coder.kind, "numbers": coder.numbers, "bytes": coder.bytes, "facts": coder.facts}
    CODER.write(folder, config, coder.weights)


def load_coder(folder: str | os.PathLike[str]) -> Coder:
    """Return the coder that was saved in this folder; it needs numpy alone.

    >>> import tempfile
    >>> coder = TorusCoder({"mean": np.zeros(3, np.float32), "encode": np.ones((3, 2), np.float32)}, bytes=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     coder.save(folder)
    ...     load_coder(folder)
    TorusCoder(3 numbers, 1 bytes)
    """
    folder = Path(folder)
    config, file = CODER.open(folder)
    if config["kind"] not in _KINDS:
        raise ValueError(
            f"{folder} has kind {config['kind']!r}, and this hypertorus reads {', '.join(_KINDS)}; update hypertorus."
        )
    weights = {name: np.array(file[name]) for name in file}
    _check(folder, config, weights)
    return _KINDS[config["kind"]](weights, config["bytes"], config["facts"])


def is_coder(folder: str | os.PathLike[str]) -> bool:
    """Whether a path is the folder of a coder, whole or not."""
    return CODER.is_in(Path(folder))


def _check(folder: Path, config: dict[str, Any], weights: dict[str, npt.NDArray[Any]]) -> None:
    """Raise a ValueError unless the numbers are finite and have the shapes that the configuration asks for."""
    numbers, columns = config["numbers"], 2 * config["bytes"]
    shapes: dict[str, tuple[int, ...]] = {"mean": (numbers,), "encode": (numbers, columns)}
    if config["kind"] == "plain":
        count = len(weights["bits"]) if weights.get("bits", np.empty(0)).ndim == 1 and "bits" in weights else 0
        shapes = {
            "mean": (numbers,),
            "encode": (numbers, count),
            "query": (numbers, count),
            "penalty": (count,),
            "bits": (count,),
        }
    for name, shape in shapes.items():
        array = weights.get(name)
        dtype = np.dtype(np.uint8 if name == "bits" else np.float32)
        if array is None or array.shape != shape or array.dtype != dtype or not np.isfinite(array).all():
            raise ValueError(f"{folder} has no valid {name} of shape {shape}; it was changed: fit the coder again.")
    if config["kind"] == "plain":
        from hypertorus.coders.bits import MOST, places

        bits = weights["bits"]
        if not len(bits) or bits.min() < 1 or bits.max() > MOST or places(bits)[0].max() >= columns:
            raise ValueError(
                f"{folder} has coordinates that do not fit into {config['bytes']} bytes; it was changed: fit the coder "
                "again."
            )
