"""The paper's two tables, computed: what spaces are, and what quantisers cost."""

from __future__ import annotations

from hypertorus.codes import PAPER, quantiser
from hypertorus.spaces import SPACES, Torus, TorusN, space

SPACES_HEAD = ("space", "raw numbers", "point, unit norm", "turns", "free dimensions")
QUANTISERS_HEAD = ("quantiser", "codebook, numbers", "bits a vector", "possible values")


def spaces_table(dim: int) -> list[tuple[str, ...]]:
    """Every space made of so many raw numbers."""
    made = [space(name, dim) for name in SPACES]
    return [
        (
            each.name,
            str(each.dim),
            str(each.ambient_dim),
            str(each.flat_dim) if isinstance(each, Torus) else "-",
            str(each.intrinsic_dim),
        )
        for each in made
    ]


def quantisers_table(dim: int) -> list[tuple[str, ...]]:
    """The paper's quantisers, and grids between, of torusN with so many raw numbers."""
    made = [quantiser(name, TorusN(dim)) for name in ("8bit", "4bit", "2bit", *PAPER[1:])]
    return [(q.name, f"{q.codebook_size:,}", f"{q.bits_per_vector:,}", f"{float(q.possible_values):.2g}") for q in made]
