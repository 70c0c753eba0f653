"""Which positions of a segment count: one bit for each, in pages, of which a change copies only those it touches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hypertorus.search._library import address, call
from hypertorus.search._lookup import Ids

PAGE_BYTES = 8192  # as HT_PAGE in the native core
PAGE = 8 * PAGE_BYTES
"""Positions of a page."""

Page = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Pages:
    """Pages of bits, lowest first, that never change for those who hold them; of a page that is None all bits are set.

    The native core reads the addresses.
    """

    pages: tuple[Page | None, ...]
    addresses: npt.NDArray[np.uintp]  # [pages], 0 for None

    @classmethod
    def full(cls, count: int) -> Pages:
        """Pages for this many positions, all of which count."""
        pages = -(-count // PAGE)
        return cls((None,) * pages, np.zeros(pages, np.uintp))

    @classmethod
    def of(cls, mask: npt.NDArray[np.bool_]) -> Pages:
        """Pages in which exactly the positions of this mask count."""
        bits = np.packbits(mask, bitorder="little")
        begins = range(0, len(bits), PAGE_BYTES)
        return cls(
            tuple(bits[begin : begin + PAGE_BYTES] for begin in begins), bits.ctypes.data + np.array(begins, np.uintp)
        )

    def without(self, positions: Ids) -> Pages:
        """The same without these positions; pages without any of them are shared."""
        pages, addresses = list(self.pages), self.addresses.copy()
        for number, inside in _by_page(positions):
            old = pages[number]
            page = np.full(PAGE_BYTES, 255, np.uint8) if old is None else old.copy()
            np.bitwise_and.at(page, inside >> 3, ~(np.uint8(1) << (inside & 7).astype(np.uint8)))
            pages[number], addresses[number] = page, page.ctypes.data
        return Pages(tuple(pages), addresses)

    def extended(self, count: int) -> Pages:
        """The same for this many positions, of which all new ones count."""
        more = Pages.full(count - len(self.pages) * PAGE)
        if not more.pages:
            return self
        return Pages(self.pages + more.pages, np.concatenate([self.addresses, more.addresses]))

    def at(self, positions: Ids) -> npt.NDArray[np.bool_]:
        """Whether each position counts; those below 0 do not."""
        counts = np.empty(len(positions), np.uint8)
        call("ht_counting_at", address(self.addresses), positions, len(positions), counts)
        return counts.view(bool)

    def mask(self, count: int) -> npt.NDArray[np.bool_]:
        """Whether each of the first `count` positions counts."""
        mask = np.ones(count, bool)
        for number, page in enumerate(self.pages):
            part = mask[number * PAGE : (number + 1) * PAGE]
            if page is not None:
                part[:] = np.unpackbits(page, count=len(part), bitorder="little").view(bool)
        return mask


def _by_page(positions: Ids) -> Iterator[tuple[int, Ids]]:
    """The positions of each page that has any, as positions within it."""
    ordered = np.sort(positions)
    begin = 0
    while begin < len(ordered):
        number = int(ordered[begin]) // PAGE
        end = int(np.searchsorted(ordered, (number + 1) * PAGE))
        yield number, ordered[begin:end] - number * PAGE
        begin = end
