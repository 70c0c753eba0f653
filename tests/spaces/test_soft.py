"""Soft pairs: torusN at 0, and above it short pairs that stay short, by a literal formula."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hypertorus import TorusN

TORUS = TorusN(8)
SOFT = (1e-30, 1e-6, 0.3, 1.0)


def literal(row, soft):
    """A pair of length r over sqrt(r^2 + soft m), m the mean of r^2, and the row over its norm; in Python's floats."""
    pairs = [(float(x), float(y)) for x, y in zip(row[0::2], row[1::2], strict=True)]
    mean = sum(x * x + y * y for x, y in pairs) / len(pairs)
    lengths = [math.sqrt(x * x + y * y + soft * mean) for x, y in pairs]
    numbers = [n / length for pair, length in zip(pairs, lengths, strict=True) for n in pair]
    norm = math.sqrt(sum(n * n for n in numbers))
    return [n / norm for n in numbers]


def raw_like(shape=(7, 8), dtype=np.float64):
    return np.random.default_rng(0).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("soft", SOFT)
def test_it_is_the_literal_formula_in_numpy_and_torch(soft):
    raw = raw_like()
    want = [literal(row, soft) for row in raw]
    np.testing.assert_allclose(TORUS.project(raw, soft=soft), want, atol=1e-12)
    torch.testing.assert_close(TORUS.project(torch.from_numpy(raw), soft=soft), torch.tensor(want, dtype=torch.float64))
    torch.testing.assert_close(
        TORUS.project(torch.from_numpy(raw), soft=torch.tensor(soft)), torch.tensor(want, dtype=torch.float64)
    )


@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy])
def test_at_zero_it_is_the_hard_projection_to_the_bit(kind):
    raw = kind(raw_like(dtype=np.float32))
    assert (TORUS.project(raw, soft=0.0) == TORUS.project(raw)).all()


def test_a_short_pair_stays_short_and_its_gradient_does_not_explode():
    raw = torch.tensor([[3.0, 0.0, 0.0, 4.0, 1e-6, 0.0, 1.0, 1.0]], requires_grad=True)
    steep = []
    for soft in (0.0, 1.0):
        point = TORUS.project(raw, soft=soft)
        steep.append(torch.autograd.grad(point[0, 5], raw)[0][0, 5].item())
    assert point[0, 4] < 1e-6
    assert steep[0] > 1e5
    assert steep[1] < 1


@given(
    raw=hnp.arrays(np.float32, (3, 8), elements=st.floats(width=32, allow_nan=False, allow_infinity=False)),
    soft=st.sampled_from(SOFT),
)
@settings(deadline=None)
def test_every_finite_input_has_unit_norm_and_finite_gradients(raw, soft):
    tensor = torch.tensor(raw, requires_grad=True)
    point = TORUS.project(tensor, soft=soft)
    np.testing.assert_allclose(np.linalg.norm(point.detach().double(), axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(point.detach(), TORUS.project(raw, soft=soft), atol=1e-5)
    point.sum().backward()
    assert tensor.grad.isfinite().all()


def test_rows_without_direction_are_those_of_the_hard_projection_without_gradient():
    raw = torch.zeros(2, 8)
    raw[1] = 1e-20
    raw.requires_grad_()
    point = TORUS.project(raw, soft=0.5)
    torch.testing.assert_close(point, TORUS.project(raw))
    point.sum().backward()
    assert (raw.grad == 0).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("scale", [0.0, 1e-7, 6e-5, 1.0, 6e4])
def test_half_precision_is_computed_in_float32(dtype, scale):
    raw = (torch.from_numpy(raw_like()).clamp(-1, 1) * scale).to(dtype).requires_grad_()
    with torch.autocast("cpu", dtype=dtype):
        point = TORUS.project(raw, soft=0.5)
    assert point.dtype == torch.float32
    point.sum().backward()
    assert raw.grad.dtype == dtype
    assert raw.grad.isfinite().all()


def test_first_and_second_derivatives_are_right():
    raw = torch.from_numpy(raw_like(shape=(2, 3, 8))).requires_grad_()

    def project(raw):
        return TORUS.project(raw, soft=0.4)

    assert torch.autograd.gradcheck(project, (raw,), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(project, (raw,))


def test_one_compiled_graph_serves_every_softness():
    soft, graphs = torch.tensor(1.0), []

    def count(graph, _):
        graphs.append(graph)
        return graph

    compiled = torch.compile(lambda raw: TORUS.project(raw, soft=soft, check=False), fullgraph=True, backend=count)
    raw = torch.from_numpy(raw_like(dtype=np.float32))
    raw[0, :2] = 0
    for now in (1.0, 0.5, 0.0):
        soft.fill_(now)
        torch.testing.assert_close(compiled(raw)[1:], TORUS.project(raw, soft=now)[1:])
        torch.testing.assert_close(compiled(raw)[0], TORUS.project(raw, soft=now)[0])
    assert len(graphs) == 1


def test_it_works_under_vmap():
    raw = torch.from_numpy(raw_like())
    mapped = torch.func.vmap(lambda row: TORUS.project(row, soft=0.3, check=False), in_dims=1)(raw.T)
    torch.testing.assert_close(mapped, TORUS.project(raw, soft=0.3))
