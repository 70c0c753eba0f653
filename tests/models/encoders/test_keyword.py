import pytest
import torch
import torch.nn.functional as F

from hypertorus.models.encoders import encoder, encoder_from_config
from hypertorus.models.encoders.keyword import Keyword


def literal(weights, spectrograms):
    """The network, written down layer by layer."""

    def norm(name, x):
        statistics = (weights[f"{name}.{part}"] for part in ("running_mean", "running_var", "weight", "bias"))
        return F.batch_norm(x, *statistics)

    x = F.relu(norm("picture.1", F.conv2d(spectrograms, weights["picture.0.weight"], None, 2, 2)))
    x = F.relu(norm("picture.4", F.conv2d(x, weights["picture.3.weight"], None, (2, 1), 1, groups=x.shape[1])))
    x = F.relu(norm("picture.7", F.conv2d(x, weights["picture.6.weight"])))
    n, channels, rows, frames = x.shape
    x = F.relu(norm("widen.1", F.conv1d(x.reshape(n, channels * rows, frames), weights["widen.0.weight"])))
    for block in range(4):
        inner = f"along.{block}.inner"
        y = F.relu(norm(f"{inner}.1", F.conv1d(x, weights[f"{inner}.0.weight"], None, 1, 4, groups=x.shape[1])))
        x = F.relu(x + norm(f"{inner}.4", F.conv1d(y, weights[f"{inner}.3.weight"])))
    return x.mean(dim=2)


@pytest.mark.parametrize("bands, frames", [(32, 50), (12, 25), (33, 17)])
def test_it_is_what_its_words_say(bands, frames):
    torch.manual_seed(0)
    network = Keyword(bands, width=16)
    network(torch.rand(16, 1, bands, frames))  # so that the running statistics are not all zero and one
    spectrograms = torch.rand(3, 1, bands, frames)
    with torch.inference_mode():
        features = network.eval()(spectrograms)
        torch.testing.assert_close(features, literal(network.state_dict(), spectrograms))
    assert features.shape == (3, 16)


def test_with_one_dimension_it_is_what_its_words_say():
    torch.manual_seed(0)
    config = encoder("keyword-1d:7", (1, 12, 25)).config()
    network = encoder_from_config(config).eval()
    weights, spectrograms = network.state_dict(), torch.rand(3, 1, 12, 25)
    x = F.conv1d(spectrograms[:, 0], weights["widen.0.weight"], padding=1) / (1 + 1e-5) ** 0.5
    with torch.inference_mode():
        expected = network.along(x.relu()).mean(dim=2)
        torch.testing.assert_close(network(spectrograms), expected)
    assert expected.shape == (3, 7)


def test_its_name_and_config_build_it():
    assert encoder("keyword", (1, 32, 50)).features == 48
    again = encoder_from_config(encoder("keyword:64", (1, 32, 50)).config())
    assert (again.bands, again.features) == (32, 64)


@pytest.mark.parametrize("shape, sentence", [((20,), "takes images"), ((3, 32, 32), "takes 1"), ((1, 4, 8), "8 x 8")])
def test_it_takes_spectrograms_alone(shape, sentence):
    with pytest.raises(ValueError, match=sentence):
        encoder("keyword", shape)
