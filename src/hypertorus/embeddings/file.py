"""Embeddings on disk: one safetensors file that says what it holds, with a checksum for each tensor.

Format version 1. The rows are the tensor named after their kind (`raw`, `points`, `turns` or `codes`); beside them,
where they are known, `labels` and `groups` (I64), `starts` (F64), `parts` (U8, numbers of `part_names`), and `names`,
all of them one after the other as UTF-8 bytes (U8), which end at `name_ends` (I64). Metadata, all strings: format,
version, kind, space, dim, and where they are known bits, metric, model, `classes` and `part_names` (JSON lists), and
`checksum.NAME`, the CRC-32 of each tensor.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings.record import KINDS, Embeddings
from hypertorus.files.arrays import Arrays
from hypertorus.files.atomic import replacing
from hypertorus.files.names import RowNames
from hypertorus.files.tensors import TensorFileError, tensor_bytes

FORMAT = "hypertorus-embeddings"
FORMAT_VERSION = "1"


def write_embeddings(record: Embeddings, path: str | os.PathLike[str]) -> None:
    """Write a record; until it is complete, and after a crash, the path still holds the old file."""
    path = Path(path)
    if path.suffix != ".safetensors":
        raise ValueError(f"the file is {path}; embeddings are written as .safetensors.")
    tensors: dict[str, npt.NDArray[Any]] = {record.kind: np.ascontiguousarray(record.rows)}
    metadata = {"format": FORMAT, "format_version": FORMAT_VERSION, "kind": record.kind, "space": record.space}
    metadata["dim"] = str(record.dim)
    for name in ("bits", "metric", "model"):
        if (value := getattr(record, name)) is not None:
            metadata[name] = str(value)
    if record.classes:
        metadata["classes"] = json.dumps(record.classes)
    for name in ("labels", "groups", "starts"):
        if (column := getattr(record, name)) is not None:
            tensors[name] = column
    if record.parts is not None:
        part_names, tensors["parts"] = _numbered_parts(record.parts)
        metadata["part_names"] = json.dumps(part_names)
    if record.names is not None:
        names = RowNames.of(record.names.tolist())
        tensors |= {"names": names.text, "name_ends": names.ends}
    metadata |= {f"checksum.{name}": _checksum(tensor) for name, tensor in tensors.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.writelines(tensor_bytes(tensors, metadata))


def is_record(arrays: Arrays) -> bool:
    """Return whether these arrays are those of a record."""
    return arrays.metadata.get("format") == FORMAT


def record_of(arrays: Arrays) -> Embeddings:
    """Return the record in a file, checked against its checksums, with its rows mapped into memory."""
    path, metadata = arrays.path, arrays.metadata
    version = metadata.get("format_version")
    if version != FORMAT_VERSION:
        raise TensorFileError(f"{path} has format version {version!r:.20}, not {FORMAT_VERSION!r}; update hypertorus.")
    for name in arrays:
        if metadata.get(f"checksum.{name}") != _checksum(arrays[name]):
            raise TensorFileError(f"{path} is damaged: the checksum of its {name} is wrong; embed the data again.")
    kind = metadata.get("kind")
    if kind not in KINDS or kind not in arrays:
        raise TensorFileError(f"{path} is damaged: it has no rows of the kind {kind!r:.20}; embed the data again.")
    try:
        return Embeddings(
            arrays[kind],
            kind,
            metadata.get("space", ""),
            int(metadata["dim"]),
            int(metadata["bits"]) if "bits" in metadata else None,
            metadata.get("metric"),
            arrays.get("labels"),
            tuple(_strings(metadata.get("classes", "[]"))),
            _parts(arrays),
            arrays.get("groups"),
            _names(arrays),
            arrays.get("starts"),
            metadata.get("model"),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise TensorFileError(f"{path} is damaged: {error}; embed the data again.") from error


def _numbered_parts(parts: npt.NDArray[np.str_]) -> tuple[list[str], npt.NDArray[np.uint8]]:
    names, numbers = np.unique(parts, return_inverse=True)
    return names.tolist(), numbers.astype(np.uint8)


def _parts(arrays: Arrays) -> npt.NDArray[np.str_] | None:
    if "parts" not in arrays:
        return None
    return np.array(_strings(arrays.metadata["part_names"]), np.str_)[arrays["parts"]]


def _names(arrays: Arrays) -> npt.NDArray[np.str_] | None:
    if "names" not in arrays:
        return None
    names = RowNames(arrays["names"], arrays["name_ends"])
    names.check()
    return np.array(names.tolist(), np.str_)


def _strings(text: str) -> list[str]:
    strings = json.loads(text)
    if not isinstance(strings, list) or not all(isinstance(each, str) for each in strings):
        raise ValueError("`classes` or `part_names` is not a list of strings")
    return strings


def _checksum(tensor: npt.NDArray[Any]) -> str:
    return f"{zlib.crc32(np.ascontiguousarray(tensor).reshape(-1).view(np.uint8).data):08x}"
