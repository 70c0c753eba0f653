"""torusC: the Clifford projection, the torus whose overflow is its only activation."""

from __future__ import annotations

from hypertorus.spaces._arrays import Array, enter
from hypertorus.spaces._pairs import clifford, wrap
from hypertorus.spaces.torus import Torus


class TorusC(Torus):
    """The torus of `dim` circles on which each raw number is an angle in turns.

    >>> import numpy as np
    >>> torus = TorusC(2)
    >>> raw = np.array([[1.25, -0.5]])
    >>> torus.turns(raw)
    array([[0.25, 0.5 ]])
    >>> torus.project(raw).round(3) + 0.0
    array([[ 0.   ,  0.707, -0.707,  0.   ]])
    """

    name = "torusC"

    @property
    def flat_dim(self) -> int:
        return self.dim

    def project(self, raw: Array, *, check: bool = True) -> Array:
        """The cosine and sine of each raw number, the paper's equation 2: [..., dim] to points [..., 2 dim]."""
        xp, wide = enter(raw, self.dim, "raw", check=check)
        return clifford(xp, wide)

    def turns(self, raw: Array, *, check: bool = True) -> Array:
        xp, wide = enter(raw, self.dim, "raw", check=check)
        return wrap(xp, wide)
