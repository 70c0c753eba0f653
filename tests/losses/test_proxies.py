import math

import pytest
import torch

from hypertorus import Project, ProxyLoss, space


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_it_is_the_literal_cross_entropy_over_cosines(name):
    loss = ProxyLoss(classes=3, dim=8, project=Project(name), temperature=0.2)
    points, labels = space(name, 8).project(torch.randn(5, 8)), torch.tensor([0, 2, 1, 1, 0])
    proxies = space(name, 8).project(loss.raw.detach())
    want = 0.0
    for point, label in zip(points, labels, strict=True):
        scores = [math.exp(float(point @ proxy) / 0.2) for proxy in proxies]
        want -= math.log(scores[label] / sum(scores)) / 5
    assert loss(points, labels).item() == pytest.approx(want, rel=1e-5)


def test_proxies_learn():
    torch.manual_seed(0)
    loss, labels = ProxyLoss(classes=4, dim=8, project=Project("torusN")), torch.arange(40) % 4
    points = Project("torusN")(torch.randn(4, 8)[labels] + 0.1 * torch.randn(40, 8))
    optimiser = torch.optim.Adam(loss.parameters(), lr=0.1)
    for _ in range(60):
        optimiser.zero_grad()
        loss(points, labels).backward()
        optimiser.step()
    assert ((points @ loss.points.T).argmax(dim=1) == labels).all()


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="classes is 1; proxies tell classes apart"):
        ProxyLoss(classes=1, dim=8, project=Project("torusN"))
