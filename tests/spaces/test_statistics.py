import numpy as np
import pytest
import torch

from hypertorus import TorusN, circular_variance, mean_direction


def test_circular_variance_is_the_equation_of_the_paper():
    points = TorusN(16).random(100, seed=0)
    total = np.zeros(16)
    for point in points:
        total += point
    want = 1 - np.sqrt(sum((total / 100) ** 2))
    assert float(circular_variance(points)) == pytest.approx(want)
    assert float(circular_variance(torch.from_numpy(points))) == pytest.approx(want)
    np.testing.assert_allclose(mean_direction(points), total / 100)


def test_a_single_place_has_none_and_an_even_spread_has_all():
    torus = TorusN(4)
    assert float(circular_variance(np.repeat(torus.random(1, seed=0), 9, axis=0))) == pytest.approx(0)
    around = np.stack([np.arange(10) / 10, np.arange(10) / 10], axis=1)
    assert float(circular_variance(torus.point(around))) == pytest.approx(1)


def test_other_than_a_matrix_of_numbers_is_refused():
    with pytest.raises(ValueError, match=r"points has shape \(4,\); pass a matrix \[points, numbers\]"):
        circular_variance(np.ones(4))
    with pytest.raises(ValueError, match=r"which is empty"):
        circular_variance(np.ones((0, 4)))
    with pytest.raises(TypeError, match="points is a list"):
        mean_direction([[1.0]])
