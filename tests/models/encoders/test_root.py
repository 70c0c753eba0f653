import numpy as np
import pytest
import torch

import hypertorus
from hypertorus.datasets import Data, InMemory
from hypertorus.models.encoders import encoder, encoder_from_config
from hypertorus.models.model import Model
from hypertorus.training import Settings, run_training


def test_it_is_the_root_with_the_sign_of_inputs_as_they_are():
    vectors = torch.tensor([[0.0, 2.25, -16.0], [1.0, 0.0, 1e-8]])
    network = encoder("root", (3,))
    assert network(vectors).numpy() == pytest.approx(np.array([[0, 1.5, -4], [1, 0, 1e-4]]))
    assert encoder_from_config(network.config()).features == 3
    model = Model(network, (3,), dim=4, space="torusN")
    assert model.rows(model.features, vectors) == pytest.approx(network(vectors).numpy())


@pytest.mark.parametrize("name, shape", [("root:2", (3,)), ("root", (1, 8, 8))])
def test_what_it_does_not_take_is_refused(name, shape):
    with pytest.raises(ValueError, match="root"):
        encoder(name, shape)


def test_a_head_on_roots_is_saved_with_what_standardised_them(tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=400)
    vectors = torch.tensor(rng.gamma(1 + 4 * rng.random((5, 20))[labels]), dtype=torch.float32)
    parts = [InMemory(vectors[rows], torch.tensor(labels[rows])) for rows in (slice(300), slice(300, None))]
    data = Data("gammas", *parts, tuple("abcde"))
    settings = Settings(dim=8, encoder="root", frozen=True, head="linear", start="pca", epochs=2, batch=50)
    outcome = run_training(data, settings, tmp_path / "model", cache=tmp_path / "cache")
    model = hypertorus.load(tmp_path / "model")
    near = model.embed(parts[1]) @ model.embed(parts[0]).T
    again = float(np.mean(labels[:300][near.argmax(axis=1)] == labels[300:]))
    assert again == pytest.approx(outcome.test, abs=0.011)
    assert outcome.test > 0.6
