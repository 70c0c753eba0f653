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
from hypertorus.search._cells import CELL_ARRAYS, Cells
from hypertorus.search._coarse import Coarse, CoarseFacts, coarse_facts
from hypertorus.search._file import (
    FORMAT,
    LAYOUT,
    READ_VERSIONS,
    Contents,
    IndexFileError,
    Tensors,
    checksum_text,
    header_checksum,
)
from hypertorus.search._library import LARGEST_DIM, METRICS, TABLES
from hypertorus.search._lookup import Lookup
from hypertorus.search._names import LabelNames
from hypertorus.search._rows import Shape
from hypertorus.search._segment import Segment
from hypertorus.search._state import State

_MOST_CODES = 2**40


def open_tensors(path: Path, *, mmap: bool = True) -> TensorFile:
    """The file at this path, mapped or read; the header is not yet checked for that of an index."""
    try:
        return TensorFile(path, mmap=mmap)
    except TensorFileError as error:
        raise IndexFileError(str(error)) from error


def read_index(file: TensorFile, *, verify: bool = True) -> Contents:
    """Return the contents of a file, with its arrays mapped; `verify` checks all of the file, not only the header."""
    _check_header(file)
    contents = _contents(file)
    if verify:
        _verify(file, contents.state)
    return contents


def _verify(file: TensorFile, state: State) -> None:
    path = file.path
    for name in file:
        if checksum_text(zlib.crc32(file[name].data)) != file.metadata.get(f"checksum.{name}"):
            raise IndexFileError(f"{path} is damaged: the checksum of its {name} is wrong; save it anew.")
    for segment in state.segments:
        _check_numbers(path, state, segment)
        if segment.cells is not None:
            _check_cells(path, segment, segment.cells)
    for names in (_strings(file, "label_names", "label_name_ends"), _strings(file, "names", "name_ends")):
        try:
            if names is not None:
                names.check()
        except ValueError as error:
            raise IndexFileError(f"{path} is damaged: {error}; build it anew.") from error


def _check_header(file: TensorFile) -> None:
    path, metadata = file.path, file.metadata
    if metadata.get("format") != FORMAT:
        raise IndexFileError(f"{path} is a safetensors file but no index; make one with: hypertorus index build.")
    version, layout = metadata.get("format_version"), metadata.get("layout")
    if version not in READ_VERSIONS:
        told = " or ".join(map(repr, READ_VERSIONS))
        raise IndexFileError(f"{path} has format version {version!r:.20}, not {told}; update hypertorus.")
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
    if dim < 1 or bits not in BITS or metric not in (*METRICS, TABLES) or ascending not in ("true", "false"):
        told = f"dim {dim}, bits {bits}, metric {metric!r:.20}, ascending {ascending!r:.20}"
        raise IndexFileError(f"{file.path} speaks of {told}, which no index has; it is damaged.")
    shape, labelled = Shape(dim, bits), "labels" in file
    strings, names = _strings(file, "label_names", "label_name_ends"), _strings(file, "names", "name_ends")
    expected = Tensors(
        shape,
        count,
        labelled,
        None if strings is None else (len(strings), len(strings.text)),
        None if names is None else len(names.text),
        _cell_counts(file, count),
        coarse := _coarse(file, shape),
    ).entries
    found = {name: (file.header[name]["dtype"], file.header[name]["shape"]) for name in file}
    if found != expected or (strings is not None and not labelled):
        raise IndexFileError(f"{file.path} has tensors {_told(found)}, not {_told(expected)}; it is damaged.")
    if not all(file[name].flags.aligned for name in file):
        raise IndexFileError(f"{file.path} has numbers that are not aligned; save it anew.")
    label_names = _listed(file, labelled=labelled) if strings is None else LabelNames(strings)
    labels = file["labels"] if labelled else None
    cells = _cells(file) if "cells.ends" in file else None
    lookup = Lookup(cells.order) if cells is not None and cells.ascending else Lookup()
    segment = Segment(
        *(shape, file["codes"], file["ids"], labels, names, count, ascending == "true"),
        live=count,
        lookup=lookup,
        cells=cells,
        coarse=None if coarse is None else Coarse(coarse, file["coarse.codes"]),
    )
    segments = (segment,) if count else ()
    state = State(
        segments, labelled, label_names, next_id, names is not None, arranged=cells is not None, coarse=coarse
    )
    return Contents(shape, metric, state, file.metadata.get("model"))


def _cell_counts(file: TensorFile, count: int) -> tuple[int, int] | None:
    """How many cells there are, and how many codes lie in them, if the file has any."""
    if "cells.ends" not in file or "cells.order" not in file:
        return None
    shapes = [file.header[f"cells.{name}"]["shape"] for name in ("ends", "order")]
    if [len(shape) for shape in shapes] != [1, 1] or not 1 <= shapes[0][0] <= shapes[1][0] <= count:
        raise IndexFileError(f"{file.path} has cells of shape {shapes} for {count} codes; it is damaged.")
    return shapes[0][0], shapes[1][0]


def _cells(file: TensorFile) -> Cells:
    """The cells of a file, whose ends are always checked: beyond them lies other memory."""
    ends = file["cells.ends"]
    if np.any(ends[1:] <= ends[:-1]) or ends[0] == 0 or int(ends[-1]) != len(file["cells.order"]):
        raise IndexFileError(f"{file.path} has cells that do not end one after the other; it is damaged.")
    try:
        ascending, share, recalls = (
            json.loads(file.metadata[f"cells.{name}"]) for name in ("ascending", "share", "recalls")
        )
        valid = isinstance(ascending, bool) and all(0 <= float(number) <= 1 for number in (share, *recalls))
    except (KeyError, TypeError, ValueError, RecursionError):
        valid = False
    if not valid:
        raise IndexFileError(f"{file.path} has cells whose worth is no number; it is damaged.")
    arrays: dict[str, Any] = {name: file[f"cells.{name}"] for name in CELL_ARRAYS}
    return Cells(**arrays, ascending=ascending, share=float(share), recalls=tuple(map(float, recalls)))


def _coarse(file: TensorFile, shape: Shape) -> CoarseFacts | None:
    """What the file says of its coarse part, if it has one."""
    if "coarse.codes" not in file:
        return None
    coordinates, bits = _number(file, "coarse.coordinates", LARGEST_DIM), _number(file, "coarse.bits", max(BITS))
    try:
        facts = coarse_facts(shape, coordinates, bits)
        share, recalls = (json.loads(file.metadata[f"coarse.{name}"]) for name in ("share", "recalls"))
        numbers = [float(number) for number in (share, *recalls)]
        valid = all(0 <= number <= 1 for number in numbers)
    except (KeyError, TypeError, ValueError, RecursionError):
        valid = False
    if not valid:
        raise IndexFileError(f"{file.path} has a coarse part that no index has; it is damaged.")
    return CoarseFacts(facts.coordinates, facts.bits, numbers[0], tuple(numbers[1:]))


def _check_cells(path: Path, segment: Segment, cells: Cells) -> None:
    """Check that the order is one, and that it is that of the ids if the file says so."""
    order = cells.order
    if order.max() >= len(order) or np.any(np.bincount(order, minlength=len(order)) != 1):
        raise IndexFileError(f"{path} has cells whose order is none; it is damaged.")
    ids = segment.ids[order]
    if cells.ascending and np.any(ids[1:] <= ids[:-1]):
        raise IndexFileError(f"{path} has ids that do not ascend as its cells say; it is damaged.")


def _strings(file: TensorFile, text: str, ends: str) -> RowNames | None:
    if text not in file or ends not in file:
        return None
    kinds = [(file.header[name]["dtype"], len(file.header[name]["shape"])) for name in (text, ends)]
    if kinds != [("U8", 1), ("I64", 1)]:
        raise IndexFileError(f"{file.path} has {text} that are no text; it is damaged.")
    return RowNames(file[text], file[ends])


def _number(file: TensorFile, name: str, largest: int) -> int:
    text = file.metadata.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= largest):
        raise IndexFileError(f"{file.path} has {name} {text!r:.30}, not a number from 0 to {largest}; it is damaged.")
    return int(text)


def _listed(file: TensorFile, *, labelled: bool) -> LabelNames | None:
    """The names of labels as version 1 has them."""
    text = file.metadata.get("label_names")
    if text is None:
        return None
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        names = None
    if not labelled or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise IndexFileError(f"{file.path} has label names that are no list of strings; it is damaged.")
    return LabelNames(names)


def _check_numbers(path: Path, state: State, segment: Segment) -> None:
    """Check what holds for every valid file, whoever wrote it: ids and labels."""
    for begin in range(0, segment.count, _IDS_AT_ONCE):
        ids = segment.ids[begin : begin + _IDS_AT_ONCE + 1]
        if ids.min() < 0 or int(ids.max()) >= state.next_id:
            raise IndexFileError(f"{path} has ids outside 0 to {state.next_id - 1}; it is damaged.")
        if segment.ascending and not np.all(ids[1:] > ids[:-1]):
            raise IndexFileError(f"{path} has ids that do not ascend as it says; it is damaged.")
        if segment.labels is not None and state.label_names is not None:
            labels = segment.labels[begin : begin + _IDS_AT_ONCE]
            if labels.min() < 0 or labels.max() >= len(state.label_names):
                raise IndexFileError(f"{path} has labels without a name; it is damaged.")


_IDS_AT_ONCE = 2**20


def _told(tensors: dict[str, Any]) -> str:
    text = ", ".join(f"{name} {dtype} {shape}" for name, (dtype, shape) in tensors.items())
    return text if len(text) < 200 else text[:200] + "..."
