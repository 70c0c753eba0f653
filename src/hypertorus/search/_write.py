"""The file of an index, written in bounded memory; it appears under its name when it is whole."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from hypertorus.files.atomic import replacing
from hypertorus.files.progress import Progress
from hypertorus.files.tensors import header_bytes, header_of
from hypertorus.search._file import Contents, checksum_text, header_checksum
from hypertorus.search._segment import Segment, live_pieces


def write_index(path: Path, contents: Contents, progress: Progress | None = None) -> None:
    """Write the vectors that count; checksums are known at the end, so the header is written twice."""
    with replacing(path) as file:
        file.write(_header(contents, dict.fromkeys(contents.tensors, 0)))
        checksums = {name: _write(file, pieces) for name, pieces in _data(contents, progress).items()}
        file.seek(0)
        file.write(_header(contents, checksums))


def _header(contents: Contents, checksums: dict[str, int]) -> bytes:
    metadata = contents.metadata
    metadata |= {f"checksum.{name}": checksum_text(checksum) for name, checksum in checksums.items()}
    checksum = header_checksum(header_of(contents.tensors, metadata))
    return header_bytes(contents.tensors, {**metadata, "checksum.header": checksum})


def _data(contents: Contents, progress: Progress | None) -> dict[str, Iterator[npt.NDArray[Any]]]:
    """Return the content of each tensor, piece by piece."""
    data: dict[str, Iterator[npt.NDArray[Any]]] = {
        "codes": _blocks(contents, progress),
        "ids": (segment.chosen(segment.ids) for segment in contents.segments),
    }
    if contents.labelled:
        data["labels"] = (s.chosen(s.labels) for s in contents.segments if s.labels is not None)
    if contents.row_names is not None:
        data |= {"name_ends": iter([contents.row_names.ends]), "names": iter([contents.row_names.text])}
    return data


def _blocks(contents: Contents, progress: Progress | None) -> Iterator[npt.NDArray[np.uint8]]:
    """The vectors that count of all segments, laid out without a gap."""
    shape, filled, done = contents.shape, 0, 0
    step = max(8, _BYTES_AT_ONCE // shape.block_bytes(8) * 8)
    buffer = Segment.empty(shape, step, labelled=False)
    buffer.blocks[:] = 0
    for segment in contents.segments:
        for rows, _, _ in live_pieces(segment, step):
            begin = 0
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
                progress(done, contents.count)
    yield buffer.blocks[: shape.block_bytes(filled)]


_BYTES_AT_ONCE = 2**22


def _write(file: BinaryIO, pieces: Iterator[npt.NDArray[Any]]) -> int:
    checksum = 0
    for piece in pieces:
        contiguous = np.ascontiguousarray(piece)
        file.write(contiguous.data)
        checksum = zlib.crc32(contiguous.data, checksum)
    return checksum
