"""The bytes of saved words, as `hypertorus_pages.h` writes them to two pages of flash in turn."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

MAGIC, VERSION = b"HTW", 1
_HEADER = struct.Struct("<3sBHHHBBI")
_CHECKSUM = struct.Struct("<I")


class Shape(NamedTuple):
    """What pages and words must have in common: coordinates, bytes of a name, and the number of the model."""

    dim: int
    name_bytes: int
    model: int

    @property
    def record(self) -> int:
        """Bytes of the record of a word: its code, the number of examples, how alike they are, and the name."""
        return self.dim + 2 + self.name_bytes


class Page(NamedTuple):
    """What a page holds: the number of the save, and the records of the words."""

    save: int
    records: bytes


def page_bytes(shape: Shape, page: Page) -> bytes:
    """Return a page without what fills up its last unit.

    >>> page_bytes(Shape(2, 0, model=7), Page(3, bytes([10, 20, 5, 255]))).hex(" ")
    '48 54 57 01 03 00 01 00 02 00 00 00 07 00 00 00 0a 14 05 ff b4 e8 ac 94'
    """
    count = len(page.records) // shape.record
    header = _HEADER.pack(MAGIC, VERSION, page.save, count, shape.dim, shape.name_bytes, 0, shape.model)
    return header + page.records + _CHECKSUM.pack(zlib.crc32(header + page.records))


def read_page(shape: Shape, data: bytes, capacity: int) -> Page | None:
    """Return what a page of at least this many bytes holds, or None if it is damaged or of other words."""
    if len(data) < _HEADER.size:
        return None
    magic, version, save, count, dim, name_bytes, zero, model = _HEADER.unpack_from(data)
    end = _HEADER.size + count * shape.record
    known = (magic, version, zero) == (MAGIC, VERSION, 0) and (dim, name_bytes, model) == shape
    if not known or count > capacity or end + _CHECKSUM.size > len(data):
        return None
    (checksum,) = _CHECKSUM.unpack_from(data, end)
    return Page(save, data[_HEADER.size : end]) if zlib.crc32(data[:end]) == checksum else None


def newest(pages: Sequence[Page | None]) -> int | None:
    """Return the position of the newest of two pages; the number of a save wraps at 65,536.

    >>> newest([Page(65_535, b""), Page(0, b"")]), newest([Page(9, b""), None]), newest([None, None])
    (1, 0, None)
    """
    first, second = pages
    if second is None:
        return None if first is None else 0
    return 0 if first is not None and (first.save - second.save) % 65_536 < 32_768 else 1
