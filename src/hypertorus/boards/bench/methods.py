"""The methods to compare a query with stored vectors, and the bytes they take by arithmetic."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """A method, called `c` in methods.h.

    Flash holds `stored` bytes for each class and `constants` for all classes together; `ram` holds the query and its
    tables.

    >>> METHODS["int8 dot 128"].flash(classes=100)
    12800
    """

    name: str
    c: str
    dim: int
    stored: int
    ram: int
    constants: int = 0

    def flash(self, classes: int) -> int:
        """Return the bytes of constants, without the machine code."""
        return classes * self.stored + self.constants


def _torus(name: str, c: str, bits: int) -> Method:
    size = 64 * bits // 8
    return Method(f"torus {name}", c, 64, stored=size, ram=size)


METHODS = {
    method.name: method
    for method in (
        _torus("8 bits, plain", "TORUS_PLAIN", 8),
        _torus("8 bits", "TORUS_8", 8),
        _torus("4 bits", "TORUS_4", 4),
        _torus("2 bits", "TORUS_2", 2),
        _torus("1 bit", "TORUS_1", 1),
        *(
            Method(f"int8 dot {dim}{how}", c, dim, stored=dim, ram=dim)
            for dim in (64, 128)
            for c, how in (("INT8_PLAIN", ", plain"), ("INT8_BEST", ""))
        ),
        *(Method(f"float dot {dim}", "FLOAT", dim, stored=4 * dim, ram=4 * dim) for dim in (64, 128)),
        Method("product codes", "PRODUCT", 128, stored=8, ram=128 + 2 * 256, constants=16 * 128),
    )
}
"""64 coordinates of a torus (of 128 raw numbers for torusN, of 64 for torusC), and the sphere of 64 and 128 numbers."""
