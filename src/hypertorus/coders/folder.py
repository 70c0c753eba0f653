"""The folder of a coder: `coder.safetensors`, and `config.json` with the checksum of the numbers.

As for models, the numbers are written first and the configuration last, each atomically, and a mixture of two coders
does not load.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus import __version__
from hypertorus.coders.coder import Coder
from hypertorus.coders.plain import PlainCoder
from hypertorus.coders.torus import TorusCoder
from hypertorus.files.atomic import replacing
from hypertorus.files.tensors import TensorFile, tensor_bytes

FORMAT, FORMAT_VERSION = "hypertorus-coder", 1
WEIGHTS, CONFIG = "coder.safetensors", "config.json"
_KINDS: dict[str, type[PlainCoder | TorusCoder]] = {"plain": PlainCoder, "torus": TorusCoder}


def write_coder(coder: Coder, folder: Path) -> None:
    config = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "hypertorus": __version__,
        "kind": coder.kind,
        "numbers": coder.numbers,
        "bytes": coder.bytes,
        "facts": coder.facts,
    }
    json.dumps(config, allow_nan=False)  # an error here must come before anything is written
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with replacing(folder / WEIGHTS) as file:
        for piece in tensor_bytes(coder.weights, {}):
            file.write(piece)
            digest.update(piece)
    with replacing(folder / CONFIG) as file:
        file.write(json.dumps({**config, "sha256": digest.hexdigest()}, indent=2).encode() + b"\n")


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
    config = _config(folder)
    if not (folder / WEIGHTS).is_file():
        raise FileNotFoundError(f"{folder} has no {WEIGHTS}; its save was cut short, so fit or copy the coder again.")
    file = TensorFile(folder / WEIGHTS)
    if file.sha256() != config["sha256"]:
        raise ValueError(
            f"{folder / WEIGHTS} does not match the checksum in {CONFIG}; it was changed, or its save was cut short: "
            "fit or copy the coder again."
        )
    weights = {name: np.array(file[name]) for name in file}
    _check(folder, config, weights)
    return _KINDS[config["kind"]](weights, config["bytes"], config["facts"])


def is_coder(folder: str | os.PathLike[str]) -> bool:
    """Whether a path is the folder of a coder, whole or not."""
    try:
        return json.loads((Path(folder) / CONFIG).read_bytes()).get("format") == FORMAT
    except (OSError, ValueError, AttributeError, RecursionError):
        return False


def _config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    if not path.is_file():
        raise FileNotFoundError(f"there is no {path}; pass the folder that `hypertorus fit-codes` or save wrote.")
    try:
        config = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not valid JSON; it was changed, or is damaged: fit the coder again.") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise ValueError(f"{path} is not the config of a hypertorus coder; pass the folder of a coder.")
    if config.get("format_version") != FORMAT_VERSION:
        version = config.get("format_version")
        raise ValueError(
            f"{path} has format version {version!r}, and this hypertorus reads {FORMAT_VERSION}; update hypertorus."
        )
    for key, kind in {"kind": str, "numbers": int, "bytes": int, "facts": dict, "sha256": str}.items():
        if type(config.get(key)) is not kind or (kind is int and config[key] < 1):
            raise ValueError(f"{path} has no valid {key!r}; it was changed, or is damaged: fit the coder again.")
    if config["kind"] not in _KINDS:
        raise ValueError(
            f"{path} has kind {config['kind']!r}, and this hypertorus reads {', '.join(_KINDS)}; update it."
        )
    return config


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
