"""A checkpoint is written whole, and Ctrl-C while it is written is still Ctrl-C."""

import io
from contextlib import contextmanager

import pytest
import torch

from hypertorus.training import checkpoints
from hypertorus.training.checkpoints import AtomicCheckpoints


class Interrupted(io.BytesIO):
    """A file in which Ctrl-C arrives with the second piece that is written."""

    pieces = 0

    def write(self, piece):
        self.pieces += 1
        if self.pieces == 2:
            raise KeyboardInterrupt
        return super().write(piece)


def test_an_interrupt_during_a_save_is_not_taken_for_a_failure(tmp_path, monkeypatch):
    @contextmanager
    def interrupted(_):
        yield Interrupted()

    monkeypatch.setattr(checkpoints, "replacing", interrupted)
    with pytest.raises(KeyboardInterrupt):
        AtomicCheckpoints().save_checkpoint({"state_dict": {"w": torch.zeros(1000)}}, tmp_path / "last.ckpt")


def test_what_is_saved_comes_back(tmp_path):
    AtomicCheckpoints().save_checkpoint({"state_dict": {"model.w": torch.arange(3.0)}}, tmp_path / "run" / "last.ckpt")
    assert checkpoints.weights(tmp_path / "run" / "last.ckpt")["w"].tolist() == [0, 1, 2]
