"""Embeddings to search and embeddings to search for, as a file names them or by chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hypertorus.evaluate.labelled import Split, read_labelled


def read_split(file: Path, labels: Path | None, share: float, seed: int) -> Split:
    """A train and a test part: as the file names them, or a random share of its rows set aside for testing."""
    found = read_labelled(file, labels)
    if isinstance(found, Split):
        return found
    if not 0 < share < 1:
        raise ValueError(f"--test-share is {share}; it must be between 0 and 1.")
    order = np.random.default_rng(seed).permutation(len(found.rows))
    cut = max(1, round(share * len(order)))
    test, train = np.sort(order[:cut]), np.sort(order[cut:])
    return Split(found.rows[train], found.labels[train], found.rows[test], found.labels[test])
