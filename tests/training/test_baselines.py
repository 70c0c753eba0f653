"""What a model has to beat, and what a run says or refuses before it begins."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hypertorus.datasets import Data, InMemory
from hypertorus.training import baselines as module
from hypertorus.training.baselines import baselines
from hypertorus.training.hardware import Hardware
from hypertorus.training.parts import plan
from hypertorus.training.prepare import build_model
from hypertorus.training.settings import Settings


def data(groups: torch.Tensor | None = None) -> Data:
    """Two classes that differ in the first of 40 numbers, which varies most; all others are noise."""
    rng = np.random.default_rng(0)
    labels = torch.arange(600) // 2 % 2
    inputs = torch.from_numpy(rng.normal(size=(600, 40)).astype(np.float32))
    inputs[:, 0] += 4.0 * labels - 2.0
    whole = InMemory(inputs, labels, groups)
    return Data("two", whole.take(range(400)), whole.take(range(400, 600)), ("a", "b"))


def test_principal_components_find_what_the_inputs_hide() -> None:
    found = baselines(data(), 2)
    assert (found.queries, found.references) == (200, 400)
    assert found.pca > 0.9
    assert 0.6 < found.inputs < found.pca
    assert baselines(data(), 2) == found


def test_large_data_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUERIES", 50)
    monkeypatch.setattr(module, "NUMBERS", 4000)
    found = baselines(data(), 2)
    assert (found.queries, found.references) == (50, 100)
    assert found.pca > 0.8


def test_the_plan_counts_inputs_and_classes() -> None:
    assert plan(data(), Settings()) == ["two: 320 to train, 80 to validate, 200 to test; 2 classes, inputs of 40."]


def test_the_plan_says_how_recordings_are_kept_together() -> None:
    _, recordings = plan(data(groups=torch.arange(600) // 20), Settings())
    assert recordings.startswith("30 recordings, as the data say, are kept whole: ")
    assert recordings.endswith("; --group none if that is wrong.")


def test_the_plan_says_that_nothing_validates_and_what_share_does() -> None:
    counts, last = plan(data(), Settings(validation=0.0))
    assert counts == "two: 400 to train, 200 to test; 2 classes, inputs of 40."
    assert last == "Nothing is set aside to validate, so the last epoch is kept."
    assert plan(data(), Settings(validation=0.5))[0].startswith("two: 200 to train, 200 to validate, 200 to test;")


def test_the_plan_says_what_vectors_bring() -> None:
    *_, brought = plan(data(), Settings.chosen(vectors=True, dim=8))
    assert brought == "For vectors: encoder none, head linear, start pca, lr 0.0001, noise 0.5, validation 0.0."


def test_the_plan_says_nothing_of_recordings_of_one_input_each() -> None:
    assert len(plan(data(groups=torch.arange(600)), Settings())) == 1


def test_one_class_is_refused() -> None:
    part = data().train.take(torch.tensor([0, 1, 4, 5]))
    with pytest.raises(ValueError, match="one class only"):
        build_model(Data("same", part, part, ("a", "b")), Settings())


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="device is cuda, but torch finds none"):
        Hardware("cuda")
