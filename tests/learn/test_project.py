import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hypertorus import space
from hypertorus.learn import Project


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_it_is_the_projection_of_the_space(name):
    raw = torch.randn(4, 2, 16)
    torch.testing.assert_close(Project(name)(raw), space(name, 16).project(raw))


def test_it_stands_in_for_normalize():
    raw = torch.randn(8, 16)
    torch.testing.assert_close(Project("sphere")(raw), F.normalize(raw, dim=-1))


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_a_network_that_ends_in_it_learns(name):
    torch.manual_seed(0)
    inputs, labels = torch.randn(60, 10), torch.arange(60) % 3
    inputs[:, :3] += 2 * F.one_hot(labels, 3)
    network = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8), Project(name))
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
    same = (labels[:, None] == labels).float()
    losses = []
    for _ in range(60):
        points = network(inputs)
        loss = (points @ points.T - same).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_unknown_names_are_refused_at_once():
    with pytest.raises(ValueError, match="space is 'torus'"):
        Project("torus")


def test_it_says_what_it_is_and_has_nothing_to_save():
    assert repr(Project("torusN")) == "Project('torusN')"
    assert Project("torusN").state_dict() == {}
