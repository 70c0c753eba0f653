"""Losses against the numbers of the published code, and in the company of pytorch-metric-learning."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from pytorch_metric_learning.losses import NTXentLoss, SupConLoss, TripletMarginLoss

from hypertorus import space
from hypertorus.integrations.torus_distance import TorusDistance
from hypertorus.losses import KoLeoLoss, ProtoCLRLoss
from hypertorus.models import Head

FOLDER = Path(__file__).parent / "golden"
SPACES = ("sphere", "torusN", "torusC")


def close(got: torch.Tensor, want: np.ndarray) -> None:
    np.testing.assert_allclose(got.detach().numpy(), want, atol=1e-5)


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("dim", [16, 32])
def test_koleo_and_supcon_are_the_published_ones(dim, name):
    golden = np.load(FOLDER / f"losses_{dim}d.npz")
    here, labels = space(name, dim), torch.from_numpy(golden["labels"])
    for loss_name in ("koleo", "supcon"):
        raw = torch.from_numpy(golden["raw"]).requires_grad_()
        views = here.project(raw).transpose(0, 1)
        if loss_name == "koleo":
            loss = KoLeoLoss()(views)
        else:
            loss = SupConLoss(temperature=0.1)(views.flatten(0, 1), labels.repeat(2))
        close(loss, golden[f"{name}_{loss_name}"])
        loss.backward()
        close(raw.grad, golden[f"{name}_{loss_name}_grad"])


@pytest.mark.parametrize("name", ["sphere", "torusN"])
def test_protoclr_is_the_published_one(name):
    golden = np.load(FOLDER / "protoclr_16d.npz")
    first = torch.from_numpy(golden["view1"]).requires_grad_()
    here, labels = space(name, 16), torch.from_numpy(golden["labels"])
    points = here.project(first), here.project(torch.from_numpy(golden["view2"]))
    loss = ProtoCLRLoss()(*points, labels)
    close(loss, golden[f"{name}_protoclr"])
    loss.backward()
    close(first.grad, golden[f"{name}_protoclr_grad_view1"])
    pairs = torch.arange(48).repeat(2)
    close(NTXentLoss(temperature=0.1)(torch.cat(points), pairs), golden[f"{name}_simclr"])


def test_protoclr_is_its_formula_whatever_the_labels_are_called():
    points = space("torusN", 8).project(torch.randn(2, 6, 8, dtype=torch.float64))
    labels = torch.tensor([5, 5, 9, 9, 2, 2])
    loss = 0.0
    for point, label in zip(points.flatten(0, 1), labels.repeat(2), strict=True):
        means = {c: points[:, labels == c].flatten(0, 1).mean(dim=0) for c in (2, 5, 9)}
        scores = {c: (point @ mean / 0.1).exp() for c, mean in means.items()}
        loss -= (scores[int(label)] / sum(scores.values())).log() / 12
    torch.testing.assert_close(ProtoCLRLoss()(*points, labels), loss)


def test_koleo_spreads_points():
    torch.manual_seed(0)
    raw = (torch.randn(40, 8) * 0.1 + torch.tensor([1.0] * 8)).requires_grad_()
    here, loss = space("torusN", 8), KoLeoLoss()
    optimiser = torch.optim.Adam([raw], lr=0.05)
    before = here.project(raw).mean(dim=0).norm().item()
    for _ in range(100):
        optimiser.zero_grad()
        loss(here.project(raw)).backward()
        optimiser.step()
    assert here.project(raw).mean(dim=0).norm().item() < 0.7 * before


def test_koleo_survives_equal_points_and_refuses_single_ones():
    raw = torch.ones(4, 8, requires_grad=True)
    KoLeoLoss()(space("torusN", 8).project(raw)).backward()
    assert raw.grad.isfinite().all()
    with pytest.raises(ValueError, match=r"points has shape \(1, 8\); pass"):
        KoLeoLoss()(torch.ones(1, 8))


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("name", ["torusN", "torusC"])
def test_torus_distance_is_the_flat_distance(name, p):
    here = space(name, 8)
    points = torch.from_numpy(here.random(6, seed=0))
    torch.testing.assert_close(TorusDistance(p)(points), here.distances(points, points, f"l{p}"))
    pairs = TorusDistance(p).pairwise_distance(points[:3], points[3:])
    torch.testing.assert_close(pairs, here.distance(points[:3], points[3:], f"l{p}"))


LOSSES = {
    "supcon": SupConLoss(temperature=0.1),
    "nt-xent": NTXentLoss(temperature=0.1),
    "triplet": TripletMarginLoss(),
    "triplet-l1": TripletMarginLoss(distance=TorusDistance(p=1)),
    "triplet-l2": TripletMarginLoss(distance=TorusDistance(p=2)),
}


@pytest.mark.parametrize("loss_name", LOSSES)
@pytest.mark.parametrize("name", SPACES)
def test_a_head_learns_by_the_losses_of_pytorch_metric_learning(name, loss_name):
    if name == "sphere" and loss_name in ("triplet-l1", "triplet-l2"):
        pytest.skip("the sphere has no turns to take this distance of")
    torch.manual_seed(0)
    labels = torch.arange(24) % 3
    inputs = 2 * torch.randn(3, 10)[labels] + torch.randn(24, 10)
    head, loss, losses = Head(10, dim=8, space=name), LOSSES[loss_name], []
    optimiser = torch.optim.Adam(head.parameters(), lr=1e-2)
    for _ in range(30):
        value = loss(head(inputs), labels)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        losses.append(value.item())
    assert losses[-1] < 0.7 * losses[0]  # SupCon cannot fall below log 7, the logarithm of the other positives


def test_a_large_batch_takes_little_memory():
    """A quarter of a gigabyte; to keep sines and cosines of every pair of rows would take three."""
    code = """
import resource, torch
from hypertorus import TorusN
from hypertorus.integrations.torus_distance import TorusDistance
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
raw = torch.randn(512, 128, requires_grad=True)
TorusDistance(2)(TorusN(128).project(raw)).mean().backward()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 500_000


def test_other_powers_are_refused():
    with pytest.raises(ValueError, match="p is 3; choose 1"):
        TorusDistance(3)
