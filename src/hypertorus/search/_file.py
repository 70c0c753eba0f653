"""The format of the file of an index, and its checksums.

Format version 1 is one safetensors file. Tensors, in this order: `codes` (U8, the blocks of all vectors exactly as they
are scanned, so that a memory map is enough), `ids` (I64), in an index with labels `labels` (I64), and in one with names
`name_ends` (I64) and `names` (U8): all names one after the other as UTF-8, each up to its end. Metadata, all strings:
those of `Contents.metadata`, and a CRC-32 for each tensor and one for the header, which is taken over its canonical
JSON without that checksum itself.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hypertorus.files.names import RowNames
from hypertorus.files.tensors import TensorFileError
from hypertorus.search._rows import Shape
from hypertorus.search._segment import Segment

FORMAT = "hypertorus-index"
FORMAT_VERSION = "1"
LAYOUT = "1"
"""How blocks are laid out: eight vectors, a word of eight bytes of each in turn; see native/scan.h."""


class IndexFileError(TensorFileError):
    """A file that is no index, or one that is damaged."""


@dataclass(frozen=True)
class Contents:
    """Everything that a file holds."""

    shape: Shape
    metric: str
    segments: tuple[Segment, ...]
    names: list[str] | None
    labelled: bool
    next_id: int
    row_names: RowNames | None = None
    """The name of each vector, in the order of the ids."""
    model: str | None = None
    """The fingerprint of the model that made the codes."""

    @property
    def count(self) -> int:
        return sum(segment.live for segment in self.segments)

    @property
    def tensors(self) -> dict[str, tuple[str, list[int]]]:
        """Dtype and shape of each tensor by name."""
        name_bytes = None if self.row_names is None else len(self.row_names.text)
        return tensors_of(self.shape, self.count, labelled=self.labelled, name_bytes=name_bytes)

    @property
    def metadata(self) -> dict[str, str]:
        metadata = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "layout": LAYOUT,
            "dim": str(self.shape.dim),
            "bits": str(self.shape.bits),
            "metric": self.metric,
            "count": str(self.count),
            "next_id": str(self.next_id),
            "ascending": json.dumps(_ascending(self.segments)),
        }
        if self.names is not None:
            metadata["label_names"] = json.dumps(self.names)
        if self.model is not None:
            metadata["model"] = self.model
        return metadata


def tensors_of(
    shape: Shape, count: int, *, labelled: bool, name_bytes: int | None = None
) -> dict[str, tuple[str, list[int]]]:
    tensors = {"codes": ("U8", [shape.block_bytes(count)]), "ids": ("I64", [count])}
    if labelled:
        tensors["labels"] = ("I64", [count])
    if name_bytes is not None:
        tensors |= {"name_ends": ("I64", [count]), "names": ("U8", [name_bytes])}
    return tensors


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
