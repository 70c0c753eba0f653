"""One suite for the three spaces: what must hold wherever an embedding lives."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hypertorus import Space, space

NAMES = ("sphere", "torusN", "torusC")
HARD = (0.0, 1e-45, 1e-38, 1e-13, 1e-12, 1e19, 1e30, 3e38)


@pytest.fixture(params=NAMES)
def any_space(request) -> Space:
    return space(request.param, dim=8)


def raw_like(seed: int = 0, shape=(7, 8), dtype=np.float64):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


@given(
    name=st.sampled_from(NAMES),
    raw=hnp.arrays(np.float32, (3, 8), elements=st.floats(width=32, allow_nan=False, allow_infinity=False)),
)
def test_every_finite_input_becomes_a_point(name, raw):
    assert space(name, 8).check(space(name, 8).project(raw)) == (True, "")


@given(
    name=st.sampled_from(NAMES),
    raw=hnp.arrays(np.float32, (3, 8), elements=st.floats(width=32, allow_nan=False, allow_infinity=False)),
)
@settings(deadline=None)
def test_numpy_and_torch_agree_and_gradients_are_finite(name, raw):
    tensor = torch.tensor(raw, requires_grad=True)
    point = space(name, 8).project(tensor)
    np.testing.assert_allclose(point.detach(), space(name, 8).project(raw), atol=1e-6)
    point.sum().backward()
    assert tensor.grad.isfinite().all()


@pytest.mark.parametrize("magnitude", HARD)
@pytest.mark.parametrize("pattern", [(1, 1), (1, 0), (0, 1), (-1, 1e-3)])
def test_hard_numbers_have_a_point_and_finite_gradients(any_space, magnitude, pattern):
    raw = torch.tensor([[magnitude * p for p in pattern] * 4], requires_grad=True)
    point = any_space.project(raw)
    assert any_space.check(point) == (True, "")
    point[0, 1].backward()
    assert raw.grad.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("scale", [0.0, 1e-7, 6e-5, 1.0, 6e4])
def test_half_precision_is_computed_in_float32(any_space, dtype, scale):
    raw = (torch.from_numpy(raw_like()).clamp(-1, 1) * scale).to(dtype).requires_grad_()
    with torch.autocast("cpu", dtype=dtype):
        point = any_space.project(raw)
    assert point.dtype == torch.float32
    assert any_space.check(point) == (True, "")
    point.square().mul(torch.arange(point.shape[1])).sum().backward()
    assert raw.grad.dtype == dtype
    assert raw.grad.isfinite().all()


def test_first_and_second_derivatives_are_right(any_space):
    raw = torch.from_numpy(raw_like(shape=(2, 3, 8))).requires_grad_()
    assert torch.autograd.gradcheck(any_space.project, (raw,), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(any_space.project, (raw,))


def test_compiled_project_gives_the_same_values_and_gradients():
    """In one graph without breaks; of all spaces at once, for the compiler takes as long for one as for three."""
    spaces = [space(name, dim=8) for name in NAMES]

    def project(raws):
        return [each.project(raw, check=False) for each, raw in zip(spaces, raws, strict=True)]

    values, gradients = [], []
    for run in (project, torch.compile(project, fullgraph=True)):
        raws = [torch.from_numpy(raw_like(dtype=np.float32)) for _ in spaces]
        for raw in raws:
            raw[0, :2] = 0
            raw.requires_grad_()
        points = run(raws)
        sum((each * torch.arange(each.shape[1])).sum() for each in points).backward()
        values.append([each.detach() for each in points])
        gradients.append([raw.grad for raw in raws])
    torch.testing.assert_close(values[1], values[0])
    torch.testing.assert_close(gradients[1], gradients[0])


def test_exported_project_gives_the_same_values(any_space):
    class Layer(torch.nn.Module):
        def forward(self, raw):
            return any_space.project(raw, check=False)

    raw = torch.from_numpy(raw_like(dtype=np.float32))
    exported = torch.export.export(Layer(), (raw,)).module()
    torch.testing.assert_close(exported(raw), any_space.project(raw))


def test_project_works_under_vmap(any_space):
    raw = torch.from_numpy(raw_like())
    mapped = torch.func.vmap(lambda row: any_space.project(row, check=False), in_dims=1)(raw.T)
    torch.testing.assert_close(mapped, any_space.project(raw))


def test_strided_and_one_row_inputs(any_space):
    raw = raw_like(shape=(8, 7))
    want = any_space.project(np.ascontiguousarray(raw.T))
    np.testing.assert_allclose(any_space.project(raw.T), want, atol=1e-15)
    torch.testing.assert_close(any_space.project(torch.from_numpy(raw).T), torch.from_numpy(want))
    np.testing.assert_allclose(any_space.project(raw.T[0]), want[0])


def test_project_does_not_change_its_input(any_space):
    raw = raw_like()
    kept = raw.copy()
    any_space.project(raw)
    any_space.project(torch.from_numpy(raw))
    np.testing.assert_array_equal(raw, kept)


def test_distance_is_a_dissimilarity_within_the_diameter(any_space):
    a, b = any_space.random(200, seed=1), any_space.random(200, seed=2)
    for metric in any_space.metrics:
        there, back = any_space.distance(a, b, metric), any_space.distance(b, a, metric)
        np.testing.assert_allclose(there, back)
        np.testing.assert_allclose(any_space.distance(a, a, metric), 0, atol=1e-12)
        assert there.min() > 0
        assert there.max() <= any_space.diameters[metric]
        np.testing.assert_allclose(any_space.distance(a, -a, metric), any_space.diameters[metric])


def test_all_pairs_agree_with_row_by_row(any_space):
    a, b = any_space.random(5, seed=1), any_space.random(3, seed=2)
    for metric in any_space.metrics:
        want = [[any_space.distance(x, y, metric) for y in b] for x in a]
        np.testing.assert_allclose(any_space.distances(a, b, metric), want, atol=1e-12)
        np.testing.assert_allclose(
            any_space.distances(torch.from_numpy(a), torch.from_numpy(b), metric), want, atol=1e-12
        )


def test_all_pairs_of_large_sets_are_taken_in_pieces(any_space, monkeypatch):
    a, b = any_space.random(9, seed=1), any_space.random(4, seed=2)
    whole = {metric: any_space.distances(a, b, metric) for metric in any_space.metrics}
    monkeypatch.setattr("hypertorus.spaces._arrays._NUMBERS_AT_ONCE", 64)
    for metric in any_space.metrics:
        np.testing.assert_allclose(any_space.distances(a, b, metric), whole[metric])


def test_distances_have_gradients(any_space):
    a = torch.from_numpy(any_space.random(4, seed=1)).requires_grad_()
    b = torch.from_numpy(any_space.random(3, seed=2)).requires_grad_()
    for metric in any_space.metrics:
        assert torch.autograd.gradcheck(lambda x, y, m=metric: any_space.distances(x, y, m), (a, b))


def test_random_is_uniform_and_seeded(any_space):
    points = any_space.random(20_000, seed=0)
    assert any_space.check(points) == (True, "")
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=0.02)
    np.testing.assert_allclose(
        points.T @ points / len(points), np.eye(any_space.ambient_dim) / any_space.ambient_dim, atol=0.01
    )
    np.testing.assert_array_equal(points, any_space.random(20_000, seed=0))
    assert (points[:10] != any_space.random(10, seed=1)).any()


@pytest.mark.parametrize(
    ("raw", "error", "sentence"),
    [
        ([1.0] * 8, TypeError, r"raw is a list; pass a numpy array or a torch tensor\."),
        (np.ones((2, 8), int), TypeError, r"raw holds int64; pass floating-point numbers, for example as float32\."),
        (torch.ones(2, 8, dtype=torch.int8), TypeError, r"raw holds torch\.int8; pass floating-point numbers"),
        (np.ones((2, 7)), ValueError, r"raw has shape \(2, 7\); its last axis must hold 8 numbers\."),
        (np.float64(1), ValueError, r"raw has shape \(\); its last axis must hold 8 numbers\."),
        (np.ones((0, 8)), ValueError, r"raw has shape \(0, 8\), which is empty; pass at least one row\."),
    ],
)
def test_wrong_arrays_are_refused_in_a_sentence(any_space, raw, error, sentence):
    with pytest.raises(error, match=sentence):
        any_space.project(raw)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy])
def test_broken_numbers_are_refused_with_their_row(any_space, bad, kind):
    raw = raw_like(shape=(4, 2, 8))
    raw[2, 1, 5] = bad
    with pytest.raises(ValueError, match=r"raw has a NaN or an infinity in row 2, 1; every number must be finite\."):
        any_space.project(kind(raw))
    with pytest.raises(ValueError, match="infinity in it;"):
        any_space.project(kind(raw)[2, 1])
    assert any_space.project(torch.from_numpy(raw), check=False).shape == (4, 2, any_space.ambient_dim)


def test_training_may_pass_an_empty_batch(any_space):
    assert any_space.project(torch.ones(0, 8), check=False).shape == (0, any_space.ambient_dim)


def test_check_says_why(any_space):
    points = any_space.random(5, seed=0)
    points[3] *= 1.2
    assert any_space.check(points) == (False, "row 3 has norm 1.2, not 1.")
    assert any_space.check(points[:, 1:])[1].startswith("points has shape")
    assert any_space.check(torch.from_numpy(points[:3]).half()) == (True, "")


def test_unknown_metrics_and_wrong_ranks_are_refused(any_space):
    points = any_space.random(3, seed=0)
    with pytest.raises(ValueError, match=rf"metric is 'l7'; {any_space.name} has 'cosine', "):
        any_space.distance(points, points, "l7")
    with pytest.raises(ValueError, match="all pairs are taken of matrices"):
        any_space.distances(points[0], points)


@pytest.mark.parametrize("dim", [0, -2, 2.0, "8", True])
def test_wrong_dims_are_refused(dim):
    with pytest.raises(ValueError, match="it must be a whole number of at least 1"):
        space("sphere", dim)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="space is 'torus'; there are 'sphere', 'torusN', 'torusC'"):
        space("torus", 8)


def test_the_first_table_of_the_paper():
    rows = {name: (s.ambient_dim, s.intrinsic_dim) for name, s in ((n, space(n, 64)) for n in NAMES)}
    assert rows == {"sphere": (64, 63), "torusN": (64, 32), "torusC": (128, 64)}
