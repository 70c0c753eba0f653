import numpy as np
import pytest
import torch

from hypertorus.datasets import Data, InMemory
from hypertorus.embeddings.split import stratified


def labels_of(*counts: int) -> torch.Tensor:
    """So many rows of class 0, 1, ..., mixed."""
    ordered = torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts))
    return ordered[torch.randperm(len(ordered), generator=torch.Generator().manual_seed(5))]


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.99])
def test_every_row_is_on_one_side_and_every_class_on_both(share):
    labels = labels_of(100, 40, 8, 2)
    rest, aside = stratified(labels, share)
    assert sorted([*rest.tolist(), *aside.tolist()]) == list(range(150))
    expected = [min(max(1, round(share * count)), count - 1) for count in (100, 40, 8, 2)]
    assert labels[aside].bincount().tolist() == expected


def test_a_class_with_one_row_keeps_it():
    labels = labels_of(1, 10, 0, 1)
    _, aside = stratified(labels, 0.2)
    assert labels[aside].tolist() == [1, 1]


def test_the_rows_set_aside_do_not_depend_on_the_seed_of_training():
    labels = labels_of(30, 30)
    answers = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        answers.append(stratified(labels, 0.1)[1])
    np.testing.assert_array_equal(*answers)


def test_rows_are_set_aside_from_everywhere():
    aside = stratified(torch.zeros(10_000, dtype=torch.int64), 0.1)[1]
    assert abs(aside.mean() - 5_000) < 300  # three deviations of the mean of 1,000 chosen rows
    assert (np.diff(aside) > 0).all()


@pytest.mark.parametrize("share", [0, 1, -0.1, float("nan")])
def test_a_share_of_nothing_or_all_is_refused(share):
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        stratified(labels_of(10, 10), share)


def test_classes_of_single_rows_cannot_be_split():
    with pytest.raises(ValueError, match="none of the classes of these 3 rows has two"):
        stratified(torch.arange(3), 0.2)


def test_validation_is_taken_from_training_alone():
    inputs = torch.arange(60.0).unsqueeze(1)
    train, test = InMemory(inputs[:50], labels_of(25, 25)), InMemory(inputs[50:], labels_of(5, 5))
    rest, validation = Data("numbers", train, test, ("a", "b")).with_validation(0.2)
    assert validation.labels.bincount().tolist() == [5, 5]
    seen = torch.cat([rest.inputs, validation.inputs]).flatten()
    assert seen.sort().values.tolist() == list(range(50))
    assert torch.equal(validation.labels, train.labels[validation.inputs.flatten().long()])


def assert_whole(groups, aside):
    """No group is on both sides."""
    inside = torch.zeros(len(groups), dtype=torch.bool)
    inside[aside] = True
    for group in groups.unique():
        assert inside[groups == group].unique().numel() == 1


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
def test_groups_stay_together_and_every_class_of_two_groups_is_on_both_sides(share):
    rng = torch.Generator().manual_seed(2)
    groups = torch.randint(0, 60, (500,), generator=rng)
    labels = groups % 7  # a group is of one class
    rest, aside = stratified(labels, share, groups)
    assert sorted([*rest.tolist(), *aside.tolist()]) == list(range(500))
    assert_whole(groups, aside)
    for side in (rest, aside):
        assert labels[side].unique().numel() == 7
    assert len(aside) / 500 == pytest.approx(share, abs=0.1)


def test_groups_of_several_classes_stay_together_and_leave_something_of_each_to_learn_from():
    rng = torch.Generator().manual_seed(3)
    groups, labels = torch.randint(0, 30, (300,), generator=rng), torch.randint(0, 5, (300,), generator=rng)
    rest, aside = stratified(labels, 0.2, groups)
    assert_whole(groups, aside)
    assert labels[rest].unique().numel() == 5


def test_a_class_of_one_group_stays_and_classes_of_one_group_alone_cannot_be_split():
    labels, groups = torch.tensor([0, 0, 0, 1, 1]), torch.tensor([0, 0, 0, 1, 2])
    assert labels[stratified(labels, 0.5, groups)[1]].tolist() == [1]
    with pytest.raises(ValueError, match=r"has two recordings.*--group none"):
        stratified(labels, 0.5, torch.tensor([0, 0, 0, 1, 1]))


def test_validation_shares_no_group_with_training():
    inputs, labels = torch.arange(60.0).unsqueeze(1), labels_of(30, 30)
    groups = torch.arange(60) // 3 * 2 + labels
    data = Data("numbers", InMemory(inputs, labels, groups), InMemory(inputs, labels), ("a", "b"))
    rest, validation = data.with_validation(0.2)
    assert len(validation) > 0
    assert not set(rest.groups.tolist()) & set(validation.groups.tolist())
