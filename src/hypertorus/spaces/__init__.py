"""Where embeddings live: the sphere and the two tori, over numpy arrays and torch tensors alike."""

from hypertorus.spaces.protocol import Space as Space
from hypertorus.spaces.sphere import Sphere as Sphere
from hypertorus.spaces.statistics import circular_variance as circular_variance
from hypertorus.spaces.statistics import mean_direction as mean_direction
from hypertorus.spaces.torus import Torus as Torus
from hypertorus.spaces.torus_c import TorusC as TorusC
from hypertorus.spaces.torus_n import TorusN as TorusN

SPACES: dict[str, type[Space]] = {kind.name: kind for kind in (Sphere, TorusN, TorusC)}
"""The spaces of the paper by name."""


def space(name: str, dim: int) -> Space:
    """A space by its name.

    >>> space("torusN", dim=64)
    TorusN(dim=64)
    """
    if name not in SPACES:
        raise ValueError(f"space is {name!r}; there are {', '.join(map(repr, SPACES))}.")
    return SPACES[name](dim)
