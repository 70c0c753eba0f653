import numpy as np
import pytest

from hypertorus.paper.figures import FIGURES
from hypertorus.paper.figures.spaces import _broken_at_edges, walk
from hypertorus.paper.report import CAPTIONS
from hypertorus.paper.style import save


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_draws_itself(name, tmp_path):
    path = tmp_path / f"{name}.png"
    save(FIGURES[name](), path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size > 20_000


def test_every_figure_has_a_caption():
    assert set(CAPTIONS) == set(FIGURES)


def test_a_path_over_the_edge_is_drawn_with_a_gap():
    turns = walk([0.5, 0.5], [1.5, 0.5], steps=5) % 1
    broken = _broken_at_edges(turns)
    assert np.isnan(broken).all(axis=1).tolist() == [False, False, True, False, False, False]
