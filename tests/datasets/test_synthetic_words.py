import pickle

import pytest
import torch

from hypertorus.datasets.part import Columns, InMemory, Part
from hypertorus.datasets.synthetic_words import SyntheticWords


class Pictures(Part):
    """Spectrograms of 1 band and 5 frames: frame f of row r is r + f / 10."""

    def __init__(self, labels, groups):
        self.columns, self.shape, self.classes = (
            Columns(torch.tensor(labels), torch.tensor(groups)),
            (1, 1, 5),
            ("a", "b"),
        )

    def __getitems__(self, indices):
        rows = torch.as_tensor(indices).view(-1, 1, 1, 1)
        return rows + torch.arange(5).view(1, 1, 1, 5) / 10

    def _take(self, rows):
        raise NotImplementedError


WORDS = Pictures(labels=[0, 1, 0, 1, 0, 1, 0, 1], groups=[7, 7, 7, 7, 8, 8, 8, 8])
MADE = SyntheticWords.of(WORDS, seed=3)


def test_the_words_themselves_come_first_and_then_reversed_as_classes_of_their_own():
    torch.testing.assert_close(MADE.__getitems__(range(8)), WORDS.__getitems__(range(8)))
    assert torch.equal(MADE.labels[:8], WORDS.labels)
    torch.testing.assert_close(
        MADE.__getitems__([8, 13])[:, 0, 0],
        torch.tensor([[0.4, 0.3, 0.2, 0.1, 0.0]] * 2) + torch.tensor([[0.0], [5.0]]),
    )
    assert torch.equal(MADE.labels[8:16], WORDS.labels + 2)


def test_splices_are_halves_of_two_words_of_one_recording():
    spliced = MADE.__getitems__(range(16, len(MADE)))[:, 0, 0]
    assert len(spliced) > 0
    begins, ends = spliced[:, 0].floor().long(), spliced[:, 4].floor().long()
    expected = torch.stack([begins, begins + 0.1, ends + 0.2, ends + 0.3, ends + 0.4], dim=1)
    torch.testing.assert_close(spliced, expected)
    assert torch.equal(WORDS.groups[begins], WORDS.groups[ends])
    assert (WORDS.labels[begins] != WORDS.labels[ends]).all()
    pairs = list(zip(WORDS.labels[begins].tolist(), WORDS.labels[ends].tolist(), strict=True))
    by_pair = {
        pair: {label for other, label in zip(pairs, MADE.labels[16:].tolist(), strict=True) if other == pair}
        for pair in pairs
    }
    assert sorted(min(labels) for labels in by_pair.values()) == list(range(4, 4 + len(by_pair)))
    assert all(len(labels) == 1 for labels in by_pair.values())
    assert torch.equal(MADE.groups[16:], WORDS.groups[begins])


def test_the_seed_decides_and_rows_can_be_taken_and_pickled():
    again, other = SyntheticWords.of(WORDS, seed=3), SyntheticWords.of(WORDS, seed=4)
    assert torch.equal(again.second, MADE.second)
    assert other.second.shape != MADE.second.shape or not torch.equal(other.second, MADE.second)
    rows = [len(MADE) - 1, 9, 0]
    for part in (MADE.take(rows), pickle.loads(pickle.dumps(MADE)).take(rows)):
        assert torch.equal(part.__getitems__(range(3)), MADE.__getitems__(rows))
        assert torch.equal(part.labels, MADE.labels[rows])
        assert part.classes == ("a", "b")


def test_vectors_have_no_time_to_reverse():
    with pytest.raises(ValueError, match="made of spectrograms, but inputs have shape"):
        SyntheticWords.of(InMemory(torch.rand(4, 3), torch.tensor([0, 1, 0, 1])), seed=0)
