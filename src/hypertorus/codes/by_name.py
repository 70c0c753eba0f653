"""Quantisers by the short names that tables and command lines use."""

from __future__ import annotations

import re

from hypertorus.codes.grid_codes import GridCodes
from hypertorus.codes.plain_product_codes import PlainProductCodes
from hypertorus.codes.product_codes import ProductCodes
from hypertorus.codes.protocol import Quantiser
from hypertorus.codes.sign_codes import SignCodes
from hypertorus.spaces import Space

PAPER = ("8bit", "1bit", "pq8x16", "pq8x4", "pq8x2", "pq8x1", "pq4x4", "pq4x2")
"""The quantisers of the paper's second experiment, in its order."""


def quantiser(name: str, space: Space) -> Quantiser:
    """A quantiser for a space: `8bit` down to `1bit`, `sign`, `pq8x4` for 8 bits x 4 pieces.

    As the paper has them: grids `-minmax`, product codes of a torus `-plain`, blind to the wrap, and `-published`.
    `4bit-sigma` is the sphere's grid around the mean.

    >>> from hypertorus import TorusN
    >>> quantiser("pq8x4", TorusN(64))
    ProductCodes(TorusN(dim=64), bits=8, subspaces=4, on='codes')
    """
    fitted = name.endswith("-minmax") or None
    plain = name.removesuffix("-minmax")
    if grid := re.fullmatch(r"([1-8])bit", plain):
        return GridCodes(space, int(grid[1]), minmax=fitted)
    if grid := re.fullmatch(r"([1-8])bit-sigma", name):
        return GridCodes(space, int(grid[1]), sigma=True)
    if plain == "sign":
        return SignCodes(space, minmax=bool(fitted))
    if product := re.fullmatch(r"pq([1-8])x(\d+)(-plain|-published)?", name):
        bits, pieces = int(product[1]), int(product[2])
        if product[3]:
            return PlainProductCodes(space, bits, pieces, published=product[3] == "-published")
        return ProductCodes(space, bits, pieces)
    raise ValueError(
        f"quantiser is {name!r}; there are 8bit to 1bit, sign, pq<bits>x<pieces>, <grid>-minmax, <grid>-sigma for the "
        "sphere, and pq...-plain."
    )
