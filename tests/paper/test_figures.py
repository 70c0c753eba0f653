import subprocess
import sys
from pkgutil import resolve_name

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from hypertorus.cli.paper import app
from hypertorus.paper.all_experiments import KINDS
from hypertorus.paper.all_figures import FIGURES, figures_of
from hypertorus.paper.figures.spaces import broken_at_edges, walk
from hypertorus.paper.figures.steps import CLIP, RATE, moved, updated
from hypertorus.report.style import save
from hypertorus.spaces import TorusC, TorusN


@pytest.mark.parametrize("name", figures_of(None))
def test_figures_without_an_experiment_draw_themselves(name, tmp_path):
    path = tmp_path / f"{name}.png"
    save(FIGURES[name].draw(), path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size > 20_000


@pytest.mark.parametrize("name", FIGURES)
def test_the_table_of_figures_names_functions_and_experiments_that_there_are(name):
    figure = FIGURES[name]
    assert callable(resolve_name(f"hypertorus.paper.figures.{figure.function}"))
    assert figure.experiment in (None, *KINDS)
    assert figure.caption.endswith(".")


def test_drawing_distances_imports_no_torch():
    code = """
import sys
from hypertorus.paper.all_figures import FIGURES
FIGURES["distances"].draw()
print(*({"torch", "lightning"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_help_lists_every_figure():
    said = CliRunner().invoke(app, ["figure", "--help"], env={"COLUMNS": "300"}).stdout
    assert ", ".join(FIGURES) in said


def test_a_path_over_the_edge_is_drawn_with_a_gap():
    turns = walk([0.5, 0.5], [1.5, 0.5], steps=5) % 1
    broken = broken_at_edges(turns)
    assert np.isnan(broken).all(axis=1).tolist() == [False, False, True, False, False, False]


SIZES = st.lists(st.floats(1e-3, 1e4), min_size=1, max_size=5).map(np.array)


@given(sizes=SIZES, turn=st.floats(0, 1), length=st.floats(0.1, 10))
@settings(deadline=None)
def test_no_step_turns_a_pair_of_torus_n_by_a_quarter(sizes, turn, length):
    raw = length * np.array([np.cos(2 * np.pi * turn), np.sin(2 * np.pi * turn), 1, 0])
    turns = TorusN(4).turns(np.vstack([raw, updated("torusN", raw, sizes)]))[:, 0]
    ahead = (turns[1:] - turns[0]) % 1
    assert ahead.max() < 1 / 4
    np.testing.assert_allclose(ahead, np.arctan(sizes / length) / (2 * np.pi), atol=1e-9)


@given(sizes=SIZES, raw=st.floats(-3, 3))
@settings(deadline=None)
def test_a_step_of_torus_c_wraps_around(sizes, raw):
    after = updated("torusC", np.array([raw, 0.0]), sizes)
    difference = TorusC(2).turns(after)[:, 0] - raw - sizes
    np.testing.assert_allclose(difference - difference.round(), 0, atol=1e-9)


def test_a_clipped_step_of_torus_c_is_never_longer_than_rate_times_clip():
    sizes = np.array([0.01, 0.05, 0.099, 0.101, 1.2, 7.3, 1e4 + 0.5])
    np.testing.assert_allclose(moved("torusC", sizes, CLIP), np.minimum(sizes, RATE * CLIP), atol=1e-12)
    np.testing.assert_allclose(moved("torusC", sizes), sizes % 1, atol=1e-9)
