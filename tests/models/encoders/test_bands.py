import numpy as np
import pytest
import torch

from hypertorus.models.encoders import encoder, encoder_from_config
from hypertorus.models.encoders.bands import Bands


@pytest.mark.parametrize("bands, frames", [(128, 101), (33, 17), (2, 2)])
def test_features_are_statistics_of_each_band(bands, frames):
    spectrograms = torch.rand(5, 1, bands, frames)
    network = Bands(bands).eval()
    network.norm.running_mean.fill_(0.25)
    network.norm.running_var.fill_(4 - 1e-5)
    numbers = spectrograms[:, 0].double().numpy()
    literal = [numbers.mean(axis=2), numbers.std(axis=2, ddof=1), numbers.max(axis=2)]
    assert network(spectrograms).numpy() == pytest.approx((np.concatenate(literal, axis=1) - 0.25) / 2, abs=1e-5)


def test_when_a_call_is_heard_does_not_matter():
    spectrograms = torch.rand(4, 1, 16, 50)
    network = Bands(16).eval()
    torch.testing.assert_close(network(spectrograms.roll(20, dims=3)), network(spectrograms))


def test_it_has_nothing_to_learn_and_is_built_again_from_its_config():
    network = encoder("bands", (1, 64, 151))
    assert list(network.parameters()) == []
    assert encoder_from_config(network.config()).features == network.features == 192


@pytest.mark.parametrize(
    "name, shape, sentence",
    [("bands:8", (1, 64, 50), "8"), ("bands", (3, 64, 50), "3 channels"), ("bands", (100,), "takes images")],
)
def test_what_it_does_not_take_is_refused(name, shape, sentence):
    with pytest.raises(ValueError, match=sentence):
        encoder(name, shape)
