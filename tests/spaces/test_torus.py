"""What holds on the tori alone: turns and points are one place, and the paper's formulas come out."""

import math
import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hypertorus import TorusC, TorusN
from hypertorus.spaces import Torus

TORI = (TorusN(8), TorusC(4))


@pytest.fixture(params=TORI, ids=lambda torus: torus.name)
def torus(request) -> Torus:
    return request.param


def literal_distance(a, b, metric):
    """The paper's min(a - b, b - a), one coordinate at a time."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        d = min((x - y) % 1, (y - x) % 1)
        total += {"l1": d, "l2": d * d, "cosine": (1 - math.cos(2 * math.pi * d)) / len(a)}[metric]
    return total


@given(hnp.arrays(np.float64, 4, elements=st.floats(0, 1, exclude_max=True)))
def test_turns_survive_the_round_trip(turns):
    for torus in TORI:
        back = torus.turns_of_point(torus.point(turns))
        assert ((back >= 0) & (back < 1)).all()
        np.testing.assert_allclose(torus.distance(back, turns, "l1"), 0, atol=1e-14)


@given(hnp.arrays(np.float32, (2, 8), elements=st.floats(width=32, allow_nan=False, allow_infinity=False)))
def test_turns_of_raw_are_the_turns_of_its_point(raw):
    for torus in (TorusN(8), TorusC(8)):
        point = torus.project(raw)
        np.testing.assert_allclose(point, torus.point(torus.turns(raw)), atol=2e-6)
        turns = torus.turns(raw)
        assert ((turns >= 0) & (turns < 1)).all()
        np.testing.assert_allclose(turns, torus.turns(torch.from_numpy(raw)), atol=1e-6)


def test_pairwise_normalisation_is_the_identity_on_points(torus):
    points = torus.random(100, seed=0)
    again = TorusN(torus.ambient_dim).project(points)
    np.testing.assert_allclose(again, points, atol=1e-15)
    torch.testing.assert_close(TorusN(torus.ambient_dim).project(torch.from_numpy(points)), torch.from_numpy(points))


def test_projections_are_the_equations_of_the_paper():
    raw = np.random.default_rng(0).normal(size=6)
    pairs = [raw[i : i + 2] / math.hypot(*raw[i : i + 2]) for i in (0, 2, 4)]
    np.testing.assert_allclose(TorusN(6).project(raw), np.concatenate(pairs) / math.sqrt(3))
    circles = [(math.cos(math.tau * x), math.sin(math.tau * x)) for x in raw]
    np.testing.assert_allclose(TorusC(6).project(raw), np.concatenate(circles) / math.sqrt(6))


@pytest.mark.parametrize("metric", ["l1", "l2", "cosine"])
def test_distances_are_the_literal_formulas(torus, metric):
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 20, torus.flat_dim))
    want = [literal_distance(x, y, metric) for x, y in zip(a, b, strict=True)]
    for left, right in ((a, b), (torus.point(a), b), (a, torus.point(b)), (torus.point(a), torus.point(b))):
        np.testing.assert_allclose(torus.distance(left, right, metric), want)
        np.testing.assert_allclose(np.diag(torus.distances(left, right, metric)), want)


def test_clifford_cosine_is_one_minus_the_dot_product(torus):
    a, b = torus.random(50, seed=1), torus.random(50, seed=2)
    np.testing.assert_allclose(torus.distance(a, b), 1 - (a * b).sum(axis=1))


def test_small_cosine_distances_behave_as_l2_squared(torus):
    """The appendix, around the origin: 1 - cos x = x^2/2 - x^4/24 + ..."""
    step = np.random.default_rng(0).uniform(-1, 1, (100, torus.flat_dim)) * 1e-3
    origin = np.zeros_like(step)
    leading = math.tau**2 / 2 * torus.distance(origin, step, "l2") / torus.flat_dim
    next_term = math.tau**4 / 24 * (step**4).mean(axis=1)
    np.testing.assert_allclose(torus.distance(origin, step), leading, rtol=1e-5)
    np.testing.assert_allclose(torus.distance(origin, step), leading - next_term, rtol=1e-9)


def test_cosine_distances_around_a_quarter_turn_behave_as_l1(torus):
    """The appendix, around the midpoint: 1 - cos(pi/2 + x) = 1 + x - x^3/6 + ..."""
    step = np.random.default_rng(0).uniform(-1, 1, (100, torus.flat_dim)) * 1e-3
    origin = np.zeros_like(step)
    leading = 1 + math.tau * (torus.distance(origin, 0.25 + step, "l1") / torus.flat_dim - 0.25)
    next_term = math.tau**3 / 6 * (step**3).mean(axis=1)
    np.testing.assert_allclose(torus.distance(origin, 0.25 + step), leading, atol=1e-7)
    np.testing.assert_allclose(torus.distance(origin, 0.25 + step), leading - next_term, atol=1e-13)


def test_tiny_float32_distances_keep_their_digits(torus):
    a = torus.point(np.full((1, torus.flat_dim), 0.3, np.float32))
    b = torus.point(np.full((1, torus.flat_dim), 0.3 + 1e-5, np.float32))
    want = torus.distance(torus.turns_of_point(a).astype(np.float64), torus.turns_of_point(b).astype(np.float64))
    np.testing.assert_allclose(torus.distance(a, b), want, rtol=0.02)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_turns_that_round_to_one_wrap_to_zero(dtype):
    tiny = np.array([[-1e-30, -1e-12, 1 - 1e-18, -0.0]], dtype)
    assert ((TorusC(4).turns(tiny) >= 0) & (TorusC(4).turns(tiny) < 1)).all()
    just_below = np.array([[1.0, -1e-30, 1.0, -1e-12]], dtype)
    assert ((TorusN(4).turns(just_below) >= 0) & (TorusN(4).turns(just_below) < 1)).all()
    tensor = torch.from_numpy(tiny)
    assert ((TorusC(4).turns(tensor) >= 0) & (TorusC(4).turns(tensor) < 1)).all()


def test_turns_have_right_and_finite_gradients():
    raw = torch.randn(3, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    for torus in (TorusN(8), TorusC(8)):
        assert torch.autograd.gradcheck(torus.turns, (raw,))
    hard = torch.tensor([[0.0, 0.0, 1e-45, 0.0, 1e30, -1e30, 3e38, 3e38]], requires_grad=True)
    TorusN(8).turns(hard).sum().backward()
    assert hard.grad.isfinite().all()


def test_a_pair_without_direction_goes_to_angle_zero():
    raw = np.array([[0.0, 0.0, 0.0, 3.0, 1e-20, -1e-20, -2.0, 0.0]], np.float32)
    np.testing.assert_array_equal(TorusN(8).turns(raw), [[0, 0.25, 0, 0.5]])
    for point in (TorusN(8).project(raw), TorusN(8).project(torch.from_numpy(raw)).numpy()):
        np.testing.assert_allclose(point, [[0.5, 0, 0, 0.5, 0.5, 0, -0.5, 0]], atol=1e-7)


def test_torusn_refuses_odd_dims():
    with pytest.raises(ValueError, match="dim is 7, which is odd; torusN takes numbers in pairs, so make it even"):
        TorusN(7)


def test_neither_turns_nor_points_are_refused(torus):
    wrong = np.ones((2, torus.flat_dim + 1))
    with pytest.raises(ValueError, match=rf"must hold {torus.flat_dim} numbers \(turns\) or {torus.ambient_dim} \(a p"):
        torus.distance(wrong, wrong)
    with pytest.raises(TypeError, match="b is a list"):
        torus.distance(np.ones(torus.flat_dim), [1.0])


def test_check_finds_an_unequal_pair(torus):
    points = torus.random(3, seed=0)
    points[1] = [0.5, 0, 0.7, 0, 0.1, 0, 0.5, 0]
    assert torus.check(points) == (False, "row 1 has a pair of length 0.1 at 4, not 0.5.")


def test_pairwise_normalisation_makes_no_copy_of_its_input():
    """Pairs are a view: the result and what leads to it peak at 3.6 times the input; a copy would make it 4.6."""
    raw = np.random.default_rng(0).normal(size=(2000, 512)).astype(np.float32)
    tracemalloc.start()
    TorusN(512).project(raw, check=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * raw.nbytes
