import pytest
import torch

from hypertorus import space
from hypertorus.losses.nested import prefix, sizes
from hypertorus.training.contrast import contrast
from hypertorus.training.settings import Settings


@pytest.mark.parametrize(
    "name, dim, want",
    [("torusN", 256, (8, 16, 32, 64, 128)), ("torusN", 16, (8,)), ("torusC", 20, (8, 16, 20)), ("sphere", 4, (4,))],
)
def test_sizes_are_doubled_up_to_all(name, dim, want):
    assert sizes(space(name, dim)) == want


@pytest.mark.parametrize("name, dim, small", [("torusN", 32, 16), ("torusC", 16, 8), ("sphere", 16, 8)])
def test_a_prefix_is_the_point_of_the_first_raw_numbers(name, dim, small):
    raw = torch.randn(5, dim)
    torch.testing.assert_close(
        prefix(space(name, dim).project(raw), space(name, dim), 8), space(name, small).project(raw[:, :small])
    )


def test_the_nested_loss_is_the_mean_over_prefixes():
    first, second = space("torusN", 32).project(torch.randn(2, 10, 32))
    labels, options = torch.arange(10) % 3, {"loss": "protoclr", "koleo": 0.1}
    whole, half = (contrast(Settings(dim=dim, **options)) for dim in (32, 16))
    norm = torch.nn.functional.normalize
    want = (whole(first, second, labels) + half(norm(first[:, :16]), norm(second[:, :16]), labels)) / 2
    torch.testing.assert_close(contrast(Settings(dim=32, nested=True, **options))(first, second, labels), want)
