"""The file of an index, written in bounded memory; it appears under its name when it is whole."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from hypertorus.files.names import RowNames
from hypertorus.files.progress import Progress
from hypertorus.files.tensors import header_bytes, header_of
from hypertorus.search._cells import CELL_ARRAYS
from hypertorus.search._coarse import Coarse
from hypertorus.search._file import Contents, Tensors, checksum_text, header_checksum
from hypertorus.search._kept import kept_cells
from hypertorus.search._library import METRICS
from hypertorus.search._segment import Segment
from hypertorus.search._state import used_labels

Pieces = Iterator[npt.NDArray[Any]]


def write_index(file: BinaryIO, contents: Contents, progress: Progress | None = None) -> bytes:
    """Write the vectors that count, and return the header; it has checksums of all, so it is written twice."""
    data = _Data(contents)
    coarse = contents.state.coarse
    metadata = contents.metadata | ({} if data.cells is None else data.cells.metadata)
    metadata |= {} if coarse is None else coarse.metadata
    file.write(_header(metadata, data.tensors, dict.fromkeys(data.tensors, 0)))
    pieces = data.pieces(progress)
    checksums = {name: _write(file, pieces[name]) for name in data.tensors}
    header = _header(metadata, data.tensors, checksums)
    file.seek(0)
    file.write(header)
    return header


def _header(facts: dict[str, str], tensors: dict[str, tuple[str, list[int]]], checksums: dict[str, int]) -> bytes:
    metadata = facts | {f"checksum.{name}": checksum_text(checksum) for name, checksum in checksums.items()}
    checksum = header_checksum(header_of(tensors, metadata))
    return header_bytes(tensors, {**metadata, "checksum.header": checksum})


class _Data:
    """What is written of an index: its vectors that count, and of the names of labels those that are in use."""

    def __init__(self, contents: Contents) -> None:
        self.shape, state = contents.shape, contents.state
        self.state, self.segments = state, state.segments
        self.label_names: RowNames | None = None
        if state.labelled and state.label_names is not None:
            used = used_labels(state.segments, len(state.label_names))
            self.new_numbers = np.cumsum(used) - 1
            self.label_names = state.label_names.take(np.flatnonzero(used))
        self.name_ends = _name_ends(state.segments) if state.named else None
        # Codes that are no angles have no cells.
        self.cells = kept_cells(state.segments[0], METRICS.get(contents.metric, 0)) if state.segments else None
        self.tensors = Tensors(
            self.shape,
            state.live,
            state.labelled,
            None if self.label_names is None else (len(self.label_names), len(self.label_names.text)),
            None if self.name_ends is None else int(self.name_ends[-1]) if len(self.name_ends) else 0,
            None if self.cells is None else (len(self.cells), self.cells.count),
            state.coarse,
        ).entries

    def pieces(self, progress: Progress | None) -> dict[str, Pieces]:
        """Return the content of each tensor, piece by piece."""
        pieces: dict[str, Pieces] = {
            "codes": self._blocks(progress),
            "coarse.codes": self._strips(),
            "ids": (s.ids[positions] for s in self.segments for positions in s.pieces(_NUMBERS_AT_ONCE)),
            "labels": self._labels(),
            "names": _name_texts(self.segments),
        }
        if self.label_names is not None:
            pieces["label_name_ends"] = iter([self.label_names.ends])
            pieces["label_names"] = iter([self.label_names.text])
        if self.name_ends is not None:
            pieces["name_ends"] = iter([self.name_ends])
        if self.cells is not None:
            pieces |= {f"cells.{name}": iter([getattr(self.cells, name)]) for name in CELL_ARRAYS}
        return pieces

    def _labels(self) -> Pieces:
        for segment in self.segments:
            for positions in segment.pieces(_NUMBERS_AT_ONCE):
                if segment.labels is not None:
                    labels = segment.labels[positions]
                    yield labels if self.label_names is None else self.new_numbers[labels]

    def _strips(self) -> Pieces:
        """The coarse part of the vectors that count, laid out without a gap."""
        facts, filled, step = self.state.coarse, 0, _NUMBERS_AT_ONCE
        if facts is None:
            return
        part = Coarse.empty(facts, step)
        for segment in self.segments:
            for positions in segment.pieces(step):
                rows = segment.rows(positions)
                fits = step - filled
                part.put(self.shape, filled, rows[:fits])
                filled += min(len(rows), fits)
                if filled == step:
                    yield part.strips
                    part = Coarse.empty(facts, step)
                    part.put(self.shape, 0, rows[fits:])
                    filled = len(rows) - fits
        yield part.strips[: facts.block_bytes(filled)]

    def _blocks(self, progress: Progress | None) -> Pieces:
        """The vectors that count of all segments, laid out without a gap."""
        shape, filled, done = self.shape, 0, 0
        step = max(8, _BYTES_AT_ONCE // shape.block_bytes(8) * 8)
        buffer = Segment.empty(shape, step, labelled=False)
        buffer.blocks[:] = 0
        for segment in self.segments:
            for positions in segment.pieces(step):
                rows, begin = segment.rows(positions), 0
                while begin < len(rows):
                    part = rows[begin : begin + step - filled]
                    buffer.put(filled, part)
                    begin, filled = begin + len(part), filled + len(part)
                    if filled == step:
                        yield buffer.blocks
                        filled = 0
                        buffer.blocks[:] = 0
                done += len(rows)
                if progress:
                    progress(done, self.state.live)
        yield buffer.blocks[: shape.block_bytes(filled)]


_BYTES_AT_ONCE = 2**22
_NUMBERS_AT_ONCE = 2**16


def _name_ends(segments: tuple[Segment, ...]) -> npt.NDArray[np.int64]:
    """Where the name of each vector that counts ends in the text of all of them."""
    lengths = [
        np.diff(segment.names.take(positions).ends, prepend=0)
        for segment in segments
        for positions in segment.pieces(_NUMBERS_AT_ONCE)
        if segment.names is not None
    ]
    return np.cumsum(np.concatenate([np.empty(0, np.int64), *lengths]), dtype=np.int64)


def _name_texts(segments: tuple[Segment, ...]) -> Pieces:
    for segment in segments:
        for positions in segment.pieces(_NUMBERS_AT_ONCE):
            if segment.names is not None:
                yield segment.names.take(positions).text


def _write(file: BinaryIO, pieces: Pieces) -> int:
    checksum = 0
    for piece in pieces:
        contiguous = np.ascontiguousarray(piece)
        file.write(contiguous.data)
        checksum = zlib.crc32(contiguous.data, checksum)
    return checksum
