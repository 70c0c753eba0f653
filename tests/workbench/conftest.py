"""An index with a rare class in a few recordings, and answers to its items."""

import numpy as np
import pytest

from hypertorus.search import Index
from hypertorus.workbench import Answers, Items

DIM = 16


def archive(bits=8, seed=0, calls=30, others=600):
    """Return an index with names, and which of its codes are calls: they agree in half of the coordinates.

    There are two kinds of calls, half a turn apart. Clips `r_k.wav` with one r are of one recording.
    """
    rng = np.random.default_rng(seed)
    turns = rng.random((calls + others, DIM))
    kind = (np.arange(calls) % 2) / 2
    turns[:calls, : DIM // 2] = (0.3 + kind[:, None] + 0.05 * rng.normal(size=(calls, DIM // 2))) % 1
    order = rng.permutation(len(turns))
    names = [f"{'call' if number < calls else 'other'}{number // 3}_{number % 3}.wav" for number in order]
    index = Index(DIM, bits=bits, model="f" * 64)
    index.add(turns[order], names=names)
    return index, order < calls


@pytest.fixture(name="archive")
def _archive():
    return archive


@pytest.fixture
def place(tmp_path):
    index, is_call = archive()
    return index, Items.of(index), is_call, tmp_path / "index.answers.sqlite"


@pytest.fixture
def answers(place):
    _, items, _, path = place
    with Answers.open(path, items) as opened:
        yield opened
