import pytest
import torch
from torch.utils.data import DataLoader

from hypertorus.datasets import Data, InMemory


@pytest.fixture
def part() -> InMemory:
    labels = torch.arange(40) % 4
    return InMemory(torch.randint(0, 256, (40, 3, 5, 7), dtype=torch.uint8), labels)


def test_a_batch_is_the_rows_of_these_numbers(part):
    batch = part.__getitems__([7, 0, -1])
    assert torch.equal(batch, torch.stack([part.inputs[7], part.inputs[0], part.inputs[39]]))
    assert torch.equal(part[7], part.inputs[7])
    assert (part.shape, len(part), part.is_images) == ((3, 5, 7), 40, True)
    assert len(list(part)) == 40


def test_a_loader_reads_whole_batches(part):
    batches = list(DataLoader(part, batch_size=16, collate_fn=torch.as_tensor))
    assert [len(batch) for batch in batches] == [16, 16, 8]
    assert torch.equal(torch.cat(batches), part.inputs)


def test_taking_keeps_inputs_and_labels_together(part):
    taken = part.take(torch.tensor([5, 2, 33])).take([2, 0])
    assert torch.equal(taken.inputs, part.inputs[[33, 5]])
    assert torch.equal(taken.labels, part.labels[[33, 5]])


def test_a_mask_is_not_taken_for_numbers(part):
    mask = part.labels == 2
    with pytest.raises(TypeError, match=r"indices are torch\.bool; pass whole numbers"):
        part.take(mask)
    assert part.take(mask.nonzero()[:, 0]).labels.tolist() == [2] * 10


def test_vectors_are_no_images():
    assert not InMemory(torch.rand(3, 4), torch.zeros(3, dtype=torch.int64)).is_images


@pytest.mark.parametrize(
    ("inputs", "labels", "sentence"),
    [
        (torch.rand(3, 3, 4, 4), torch.zeros(3, dtype=torch.int64), "inputs are torch.float32 of shape"),
        (torch.zeros(3, 2, 4, 4, dtype=torch.uint8), torch.zeros(3, dtype=torch.int64), "pass images as uint8"),
        (torch.rand(3, 4, dtype=torch.float64), torch.zeros(3, dtype=torch.int64), "vectors as float32"),
        (torch.rand(3, 4), torch.zeros(2, dtype=torch.int64), r"shape \(2,\) for 3 inputs"),
        (torch.rand(3, 4), torch.zeros(3), "labels are torch.float32"),
    ],
)
def test_what_is_no_part_is_refused(inputs, labels, sentence):
    with pytest.raises(ValueError, match=sentence):
        InMemory(inputs, labels)


def test_data_must_fit_together(part):
    vectors = InMemory(torch.rand(4, 4), torch.arange(4))
    with pytest.raises(ValueError, match=r"shape \(3, 5, 7\) but test inputs \(4,\)"):
        Data("odd", part, vectors, tuple("abcd"))
    with pytest.raises(ValueError, match=r"lie in 0\.\.3; there are 3 classes"):
        Data("odd", part, part, tuple("abc"))
    with pytest.raises(ValueError, match="the test part of odd is empty"):
        Data("odd", part, part.take([]), tuple("abcd"))
