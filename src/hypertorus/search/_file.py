"""The format of the file of an index, and its checksums.

Format version 2 is one safetensors file. Tensors, in this order: `codes` (U8, the blocks of all vectors exactly as they
are scanned, so that a memory map is enough), `ids` (I64), in an index with labels `labels` (I64), and then strings, all
of them one after the other as UTF-8, each up to its end: in an index whose labels are strings those that are in use, in
`label_name_ends` (I64) and `label_names` (U8), and in one with names a name for each code, in `name_ends` and `names`.
An index that is arranged has `cells.centres` (U8, blocks like those of the codes), `cells.ends` (U64), `cells.order`
(U32), `cells.reaches` (U32) and `cells.samples` (U32); see `Cells`. Its codes, ids, labels and names are stored in the
order of the cells. An index with a coarse part has it in `coarse.codes` (U8, in the layout of native/coarse.h). U8 of
strings come last, so that all that is mapped as I64 is aligned. Metadata, all strings: those of `Contents.metadata`,
`Cells.metadata` and `CoarseFacts.metadata`, and a CRC-32 for each tensor and one for the header, which is taken over
its canonical JSON without that checksum itself.

Version 1, which is read and no longer written, has strings of labels in the metadata, as the JSON list `label_names`.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hypertorus.files.tensors import TensorFileError
from hypertorus.search._cells import SAMPLED
from hypertorus.search._coarse import CoarseFacts
from hypertorus.search._rows import Shape
from hypertorus.search._segment import Segment
from hypertorus.search._state import State

FORMAT = "hypertorus-index"
FORMAT_VERSION = "2"
READ_VERSIONS = ("1", "2")
LAYOUT = "1"
"""How blocks are laid out: eight vectors, a word of eight bytes of each in turn; see native/scan.h."""


class IndexFileError(TensorFileError):
    """A file that is no index, or one that is damaged."""


@dataclass(frozen=True)
class Contents:
    """Everything that a file holds."""

    shape: Shape
    metric: str
    state: State
    model: str | None = None
    """The fingerprint of the model that made the codes."""

    @property
    def metadata(self) -> dict[str, str]:
        metadata = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "layout": LAYOUT,
            "dim": str(self.shape.dim),
            "bits": str(self.shape.bits),
            "metric": self.metric,
            "count": str(self.state.live),
            "next_id": str(self.state.next_id),
            "ascending": json.dumps(_ascending(self.state.segments)),
        }
        if self.model is not None:
            metadata["model"] = self.model
        return metadata


@dataclass(frozen=True)
class Tensors:
    """Which tensors a file has, and how long they are."""

    shape: Shape
    count: int
    labelled: bool
    label_names: tuple[int, int] | None
    """How many strings labels have, and how many bytes these take."""
    name_bytes: int | None
    cells: tuple[int, int] | None = None
    """How many cells there are, and how many codes lie in them."""
    coarse: CoarseFacts | None = None

    @property
    def entries(self) -> dict[str, tuple[str, list[int]]]:
        """Dtype and shape of each tensor by name, in the order of the file."""
        numbers = {"codes": ("U8", [self.shape.block_bytes(self.count)]), "ids": ("I64", [self.count])}
        texts: dict[str, tuple[str, list[int]]] = {}
        if self.labelled:
            numbers["labels"] = ("I64", [self.count])
        if self.label_names is not None:
            numbers["label_name_ends"] = ("I64", [self.label_names[0]])
            texts["label_names"] = ("U8", [self.label_names[1]])
        if self.name_bytes is not None:
            numbers["name_ends"] = ("I64", [self.count])
            texts["names"] = ("U8", [self.name_bytes])
        if self.coarse is not None:
            texts = {"coarse.codes": ("U8", [self.coarse.block_bytes(self.count)]), **texts}
        return {**numbers, **self._cell_entries, **texts}

    @property
    def _cell_entries(self) -> dict[str, tuple[str, list[int]]]:
        if self.cells is None:
            return {}
        cells, count = self.cells
        return {
            "cells.centres": ("U8", [self.shape.block_bytes(cells)]),
            "cells.ends": ("U64", [cells]),
            "cells.order": ("U32" if count < 2**32 else "I64", [count]),
            "cells.reaches": ("U32", [cells]),
            "cells.samples": ("U32", [-(-count // SAMPLED)]),
        }


def header_checksum(header: dict[str, Any]) -> str:
    metadata = {name: value for name, value in header["__metadata__"].items() if name != "checksum.header"}
    canonical = json.dumps({**header, "__metadata__": metadata}, sort_keys=True, separators=(",", ":"))
    return checksum_text(zlib.crc32(canonical.encode()))


def checksum_text(checksum: int) -> str:
    return f"{checksum:08x}"


def _ascending(segments: tuple[Segment, ...]) -> bool:
    """Whether ids ascend from the first vector of the first segment to the last of the last."""
    ids = [segment.chosen(segment.ids) for segment in segments]
    inside = all(segment.ascending for segment in segments)
    return inside and all(bool(before[-1] < after[0]) for before, after in pairwise(ids))
