import numpy as np
import pytest
import torch

from hypertorus.datasets import InMemory
from hypertorus.losses.views import VectorViews
from hypertorus.models.encoders import encoder
from hypertorus.models.model import Model
from hypertorus.training.module import Training
from hypertorus.training.settings import Settings
from hypertorus.training.start import QUARTER, unwrap_start


def part(scale=1.0, shape=(40,)):
    inputs = torch.tensor(scale * np.random.default_rng(0).normal(size=(600, *shape)), dtype=torch.float32)
    return InMemory(inputs, torch.arange(600) % 3)


def spread(model, vectors):
    return model.rows(model.raw, vectors).std(axis=0).mean()


@pytest.mark.parametrize("head", ["linear", "two-layer"])
def test_heads_on_torusc_do_not_begin_wrapped(head):
    model, vectors = Model(encoder("none", (40,)), (40,), 16, "torusC", head=head), part(scale=3.0)
    before = spread(model, vectors)
    assert before > QUARTER
    unwrap_start(model, vectors)
    assert spread(model, vectors) == pytest.approx(0.2, rel=0.05)


@pytest.mark.parametrize("space", ["torusN", "sphere", "torusC"])
def test_weights_that_do_not_wrap_and_other_spaces_are_left_alone(space):
    model, vectors = Model(encoder("none", (40,)), (40,), 16, space), part(scale=0.5 if space == "torusC" else 3)
    weights = model.head[2].weight.clone()
    unwrap_start(model, vectors)
    assert torch.equal(model.head[2].weight, weights)


def test_looking_at_the_first_batch_leaves_no_trace():
    model = Model(encoder("small:4", (3, 8, 8)), (3, 8, 8), 16, "torusC")
    state, random = {name: t.clone() for name, t in model.state_dict().items()}, torch.random.get_rng_state()
    images = torch.randint(256, (600, 3, 8, 8), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    unwrap_start(model, InMemory(images, torch.arange(600) % 3))
    assert torch.equal(torch.random.get_rng_state(), random)
    for name, tensor in model.state_dict().items():
        assert name == "head.2.weight" or torch.equal(tensor, state[name])


def test_features_that_wrap_without_a_layer_to_shrink_are_warned_about():
    model = Model(encoder("none", (16,)), (16,), 16, "torusC", head="none")
    with pytest.warns(UserWarning, match=r"deviation of 1\.\d\d turns.*--head linear"):
        unwrap_start(model, part(shape=(16,)))


@pytest.mark.parametrize("space, features, share", [("torusC", 1280, 0.4), ("torusC", 64, 1.0), ("torusN", 1280, 1.0)])
def test_torusc_learns_more_slowly_from_many_features(space, features, share):
    model = Model(encoder("none", (features,)), (features,), 16, space)
    settings = Settings(space=space, dim=16, schedule="constant")
    labels = torch.zeros(1), torch.zeros(1)
    groups = Training(model, VectorViews(0.1), settings, 10, labels).configure_optimizers().param_groups
    assert [group["lr"] for group in groups] == [pytest.approx(share * settings.lr)]
