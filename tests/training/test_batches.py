from itertools import chain

import pytest
import torch

from hypertorus.datasets import InMemory
from hypertorus.training.batches import Shared, Shuffled, loader


def test_an_epoch_sees_every_input_once_but_for_what_does_not_fill_a_batch():
    batches = list(Shuffled(103, batch=10, seed=0))
    seen = [index for batch in batches for index in batch]
    assert len(batches) == 10
    assert len(set(seen)) == len(seen) == 100


def test_epochs_and_seeds_have_orders_of_their_own_that_come_again():
    def order(seed, epoch):
        batches = Shuffled(50, batch=50, seed=seed)
        batches.set_epoch(epoch)
        return next(iter(batches))

    assert order(0, 3) == order(0, 3)
    assert order(0, 3) != order(0, 4)
    assert order(0, 3) != order(1, 3)


@pytest.mark.parametrize("processes", [2, 3, 4])
def test_processes_share_the_batches_of_one(processes):
    whole = list(Shuffled(60, batch=12, seed=5))
    shares = [list(Shuffled(60, batch=12, seed=5, rank=rank, processes=processes)) for rank in range(processes)]
    assert [list(chain(*step)) for step in zip(*shares, strict=True)] == whole


def test_a_batch_larger_than_the_data_is_the_data():
    assert [sorted(batch) for batch in Shuffled(5, batch=100, seed=0)] == [[0, 1, 2, 3, 4]]


@pytest.mark.parametrize(
    "inputs, batch, processes, sentence", [(1, 4, 1, "at least 2"), (10, 2, 4, "too small for 4 processes")]
)
def test_too_few_inputs_are_refused(inputs, batch, processes, sentence):
    with pytest.raises(ValueError, match=sentence):
        Shuffled(inputs, batch, seed=0, processes=processes)


@pytest.mark.parametrize("inputs, processes", [(10, 1), (10, 2), (11, 3), (2, 4)])
def test_what_is_measured_is_dealt_out_evenly_and_whole(inputs, processes):
    shares = [[i for batch in Shared(inputs, 3, rank, processes) for i in batch] for rank in range(processes)]
    assert len({len(share) for share in shares}) == 1
    dealt = [index for round_ in zip(*shares, strict=True) for index in round_]
    assert dealt[:inputs] == list(range(inputs))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_gives_inputs_with_their_labels(workers):
    part = InMemory(torch.arange(20.0).view(10, 2), torch.arange(10))
    for batch in loader(part, Shuffled(10, batch=4, seed=0), workers):
        assert torch.equal(batch.inputs[:, 0], 2.0 * batch.labels)
