"""Opens the file of an index as a memory map, and checks it before it is used."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from hypertorus.codes import BITS
from hypertorus.files.names import RowNames
from hypertorus.files.tensors import ALIGNMENT, TensorFile, TensorFileError
from hypertorus.search._file import (
    FORMAT,
    FORMAT_VERSION,
    LAYOUT,
    Contents,
    IndexFileError,
    checksum_text,
    header_checksum,
    tensors_of,
)
from hypertorus.search._library import LARGEST_DIM, METRICS
from hypertorus.search._rows import Shape
from hypertorus.search._segment import Segment

_MOST_CODES = 2**40


def read_index(path: Path, *, verify: bool = True) -> Contents:
    """Return the contents of a file, with its arrays mapped; `verify` checks all of the file, not only the header."""
    try:
        file = TensorFile(path)
    except TensorFileError as error:
        raise IndexFileError(str(error)) from error
    _check_header(file)
    contents = _contents(file)
    if verify:
        for name in file:
            if checksum_text(zlib.crc32(file[name].data)) != file.metadata.get(f"checksum.{name}"):
                raise IndexFileError(f"{path} is damaged: the checksum of its {name} is wrong; save it anew.")
        for segment in contents.segments:
            _check_numbers(path, contents, segment)
        if contents.row_names is not None:
            try:
                contents.row_names.check()
            except ValueError as error:
                raise IndexFileError(f"{path} is damaged: {error}; build it anew.") from error
    return contents


def _check_header(file: TensorFile) -> None:
    path, metadata = file.path, file.metadata
    if metadata.get("format") != FORMAT:
        raise IndexFileError(f"{path} is a safetensors file but no index; make one with: hypertorus index build.")
    version, layout = metadata.get("format_version"), metadata.get("layout")
    if version != FORMAT_VERSION:
        raise IndexFileError(f"{path} has format version {version!r:.20}, not {FORMAT_VERSION!r}; update hypertorus.")
    if metadata.get("checksum.header") != header_checksum(file.header):
        raise IndexFileError(f"{path} is damaged: the checksum of its header is wrong; save it anew.")
    if file.start % ALIGNMENT:
        raise IndexFileError(f"{path} has tensors from byte {file.start}, no multiple of {ALIGNMENT}; save it anew.")
    if layout != LAYOUT:
        raise IndexFileError(f"{path} has layout {layout!r:.20}, not {LAYOUT!r}; update hypertorus.")


def _contents(file: TensorFile) -> Contents:
    dim, bits = _number(file, "dim", LARGEST_DIM), _number(file, "bits", max(BITS))
    count, next_id = _number(file, "count", _MOST_CODES), _number(file, "next_id", 2**63)
    metric, ascending = file.metadata.get("metric", ""), file.metadata.get("ascending")
    if dim < 1 or bits not in BITS or metric not in METRICS or ascending not in ("true", "false"):
        told = f"dim {dim}, bits {bits}, metric {metric!r:.20}, ascending {ascending!r:.20}"
        raise IndexFileError(f"{file.path} speaks of {told}, which no index has; it is damaged.")
    shape, labelled = Shape(dim, bits), "labels" in file
    row_names = RowNames(file["names"], file["name_ends"]) if {"names", "name_ends"} <= set(file) else None
    name_bytes = None if row_names is None else row_names.text.size
    expected = tensors_of(shape, count, labelled=labelled, name_bytes=name_bytes)
    found = {name: (file.header[name]["dtype"], file.header[name]["shape"]) for name in file}
    if found != expected:
        raise IndexFileError(f"{file.path} has tensors {_told(found)}, not {_told(expected)}; it is damaged.")
    names = _names(file, labelled=labelled)
    labels = file["labels"] if labelled else None
    segment = Segment(shape, file["codes"], file["ids"], labels, count, ascending == "true", live=count)
    segments = (segment,) if count else ()
    model = file.metadata.get("model")
    return Contents(shape, metric, segments, names, labelled, next_id, row_names, model)


def _number(file: TensorFile, name: str, largest: int) -> int:
    text = file.metadata.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= largest):
        raise IndexFileError(f"{file.path} has {name} {text!r:.30}, not a number from 0 to {largest}; it is damaged.")
    return int(text)


def _names(file: TensorFile, *, labelled: bool) -> list[str] | None:
    text = file.metadata.get("label_names")
    if text is None:
        return None
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        names = None
    if not labelled or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise IndexFileError(f"{file.path} has label names that are no list of strings; it is damaged.")
    return names


def _check_numbers(path: Path, contents: Contents, segment: Segment) -> None:
    """Check what holds for every valid file, whoever wrote it: ids and labels."""
    for begin in range(0, segment.count, _IDS_AT_ONCE):
        ids = segment.ids[begin : begin + _IDS_AT_ONCE + 1]
        if ids.min() < 0 or int(ids.max()) >= contents.next_id:
            raise IndexFileError(f"{path} has ids outside 0 to {contents.next_id - 1}; it is damaged.")
        if segment.ascending and not np.all(ids[1:] > ids[:-1]):
            raise IndexFileError(f"{path} has ids that do not ascend as it says; it is damaged.")
        if segment.labels is not None and contents.names is not None:
            labels = segment.labels[begin : begin + _IDS_AT_ONCE]
            if labels.min() < 0 or labels.max() >= len(contents.names):
                raise IndexFileError(f"{path} has labels without a name; it is damaged.")


_IDS_AT_ONCE = 2**20


def _told(tensors: dict[str, Any]) -> str:
    text = ", ".join(f"{name} {dtype} {shape}" for name, (dtype, shape) in tensors.items())
    return text if len(text) < 200 else text[:200] + "..."
