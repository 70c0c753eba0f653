import pytest
import torch

from hypertorus import space
from hypertorus.models import Head


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_it_has_the_papers_layers_and_ends_in_the_space(name):
    head = Head(32, dim=16, space=name)
    assert [tuple(layer.weight.shape) for layer in head if hasattr(layer, "weight")] == [(64, 32), (16, 64)]
    assert space(name, 16).check(head(torch.randn(5, 32))) == (True, "")


def test_what_the_space_cannot_have_is_refused_at_once():
    with pytest.raises(ValueError, match="dim is 15, which is odd"):
        Head(32, dim=15, space="torusN")
