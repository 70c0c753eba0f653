"""The experiment on text; this file holds all of its settings."""

from __future__ import annotations

from hypertorus.paper.experiments.grid import DIMS, HEAD, NESTED, WARM, WIDEST, Case, grid
from hypertorus.paper.experiments.images.scales import ImageScale

PACKAGES = "packages_minilm.npz"
"""File of vectors of one-line descriptions of packages, by MiniLM, with the section of a package as its label."""
SEEDS = (0, 1, 2)

SMALL = ImageScale(
    cases=(
        *grid([PACKAGES], HEAD, dims=(*DIMS, WIDEST), weights=(0.001,), seeds=SEEDS),
        *grid([PACKAGES], HEAD, dims=(*DIMS, WIDEST), weights=(0.001,), seeds=SEEDS, spaces=(WARM,)),
        *(Case(PACKAGES, HEAD, NESTED, WIDEST, 0.001, seed) for seed in SEEDS),
    ),
    training={HEAD: {"encoder": "none", "epochs": 10}},
    seconds={HEAD: 30},
)
"""Heads in every space at five sizes, and one nested model for all sizes, in half an hour on two cores."""

SCALES = {"small": SMALL}
