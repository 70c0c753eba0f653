"""torusN: pairwise L2 normalisation, the torus that trains as well as the sphere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypertorus.spaces._arrays import Array, enter_raw
from hypertorus.spaces._pairs import turns_of_pairs
from hypertorus.spaces._soft import soften_pairs
from hypertorus.spaces.torus import Torus

if TYPE_CHECKING:
    import torch


class TorusN(Torus):
    """The torus of `dim`/2 circles on which each adjacent pair of raw numbers is one direction.

    >>> import numpy as np
    >>> torus = TorusN(4)
    >>> raw = np.array([[3.0, 0.0, 0.0, -2.0]])
    >>> torus.project(raw).round(3)
    array([[ 0.707,  0.   ,  0.   , -0.707]])
    >>> torus.turns(raw)
    array([[0.  , 0.75]])
    """

    name = "torusN"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dim % 2:
            raise ValueError(f"dim is {self.dim}, which is odd; torusN takes numbers in pairs, so make it even.")

    @property
    def flat_dim(self) -> int:
        return self.dim // 2

    def project(self, raw: Array, *, soft: float | torch.Tensor = 0.0, check: bool = True) -> Array:
        """Each pair of raw numbers over its norm, the paper's equation 3: [..., dim] to points [..., dim].

        A pair without direction goes to angle zero, without gradient. With `soft` above 0, up to 1, short pairs stay
        short, for training: the result has unit norm, but is on the torus only at 0. A tensor of one number lets
        `torch.compile` make one graph for all values.

        >>> import numpy as np
        >>> TorusN(4).project(np.array([3.0, 0.0, 0.0, -0.3]), soft=1.0).round(3)
        array([ 0.986,  0.   ,  0.   , -0.169])
        """
        xp, wide, shortest = enter_raw(raw, self.dim, check=check)
        return soften_pairs(xp, wide, soft, shortest)

    def turns(self, raw: Array, *, check: bool = True) -> Array:
        xp, wide, shortest = enter_raw(raw, self.dim, check=check)
        return turns_of_pairs(xp, wide, shortest)
