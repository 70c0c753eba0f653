import math

import numpy as np
import pytest
import torch

import hypertorus as ht
from hypertorus.losses.neighbours import NeighboursLoss, sharpness
from hypertorus.losses.rounding import rounded_points, rounded_turns


def cosines(n=40, seed=0):
    points = torch.nn.functional.normalize(torch.randn(n, 8, generator=torch.Generator().manual_seed(seed)), dim=1)
    return (points @ points.T).fill_diagonal_(-torch.inf)


def literal_loss(scores, cosines, perplexity):
    """The loss in numpy, one anchor and one candidate at a time, its sharpness by a fine search."""
    total = 0.0
    for anchor, row in enumerate(cosines):
        others = [j for j in range(len(row)) if j != anchor]
        best, wanted = math.inf, None
        for sharp in np.exp(np.linspace(0, 6, 6001)):
            weights = np.exp(sharp * (row[others] - row[others].max()))
            share = weights / weights.sum()
            gap = abs(-(share * np.log(share + 1e-300)).sum() - math.log(perplexity))
            if gap < best:
                best, wanted, factor = gap, share, sharp
        student = factor * scores[anchor][others]
        student = student - student.max() - math.log(np.exp(student - student.max()).sum())
        total -= (wanted * student).sum()
    return total / len(cosines)


def test_the_loss_is_the_literal_one():
    target, scores = cosines(), cosines(seed=1).nan_to_num(neginf=0.0)
    expected = literal_loss(scores.double().numpy(), target.double().numpy(), 5)
    assert NeighboursLoss(5)(scores, target).item() == pytest.approx(expected, rel=2e-3)


def test_it_is_least_where_the_scores_are_the_cosines():
    target = cosines()
    scores = target.nan_to_num(neginf=0.0).requires_grad_()
    loss = NeighboursLoss(5)(scores, target)
    loss.backward()
    assert loss.item() == pytest.approx(math.log(5), abs=1e-3)  # the entropy of the targets
    assert scores.grad.abs().max() < 1e-3
    assert NeighboursLoss(5)(-scores, target) > loss


def test_few_or_equal_candidates_give_finite_numbers():
    for target in (cosines(3), torch.ones(4, 4).fill_diagonal_(-torch.inf)):
        assert sharpness(target, 20).isfinite().all()
        assert NeighboursLoss()(torch.zeros_like(target), target).isfinite()
    with pytest.raises(ValueError, match="perplexity is 1; it is a number of neighbours"):
        NeighboursLoss(1)


def test_rounding_gives_codes_forward_and_passes_gradients_back():
    turns = torch.rand(5, 6, requires_grad=True)
    rounded = rounded_turns(turns, bits=4)
    np.testing.assert_array_equal(ht.quantise(rounded, 4), ht.quantise(turns, 4))
    (rounded * torch.arange(6)).sum().backward()
    assert torch.equal(turns.grad, torch.arange(6).float().expand(5, 6))
    points = ht.TorusC(6).point(turns.detach()).requires_grad_()
    codes = ht.quantise(ht.TorusC(6).turns_of_point(rounded_points(points, bits=4)), 4)
    np.testing.assert_array_equal(codes, ht.quantise(turns, 4))
    rounded_points(points, bits=4).sum().backward()
    assert torch.equal(points.grad, torch.ones_like(points))


@pytest.mark.parametrize("space", ["sphere", "torusN", "torusC"])
def test_a_head_of_every_space_learns_the_neighbours_of_its_inputs(space):
    from hypertorus.training.contrast import contrast

    torch.manual_seed(0)
    inputs = torch.randn(10, 30)[torch.arange(120) % 10] + 0.4 * torch.randn(120, 30)
    head = ht.Head(30, dim=8, space=space)
    loss = contrast(ht.Settings(space=space, dim=8, loss="neighbours", koleo=0))
    optimiser = torch.optim.Adam(head.parameters(), lr=3e-3)
    losses = []
    for _ in range(40):
        points = head(inputs)
        losses.append(loss(points, points, inputs))
        optimiser.zero_grad()
        losses[-1].backward()
        optimiser.step()
    assert losses[-1] < losses[0] - 0.3
