import pytest
import torch
import torch.nn.functional as F

from hypertorus.models.encoders import encoder, encoder_from_config
from hypertorus.models.encoders.small_audio import SmallAudio


def literal(weights, spectrograms, blocks):
    """The network, written down layer by layer."""

    def norm(name, x):
        mean, var = weights[f"{name}.running_mean"], weights[f"{name}.running_var"]
        return F.batch_norm(x, mean, var, weights.get(f"{name}.weight"), weights.get(f"{name}.bias"))

    bands = [norm_of_band(weights, spectrograms, band) for band in range(spectrograms.shape[2])]
    x = F.conv2d(torch.stack(bands, dim=2), weights["layers.0.weight"], None, 4, 3)
    x, layer = F.relu(norm("layers.1", x)), 3
    for stage, count in enumerate(blocks):
        for block in range(count):
            name, stride = f"layers.{layer}", 2 if stage > 0 and block == 0 else 1
            y = F.relu(norm(f"{name}.first_norm", F.conv2d(x, weights[f"{name}.first.weight"], None, stride, 1)))
            y = norm(f"{name}.second_norm", F.conv2d(y, weights[f"{name}.second.weight"], None, 1, 1))
            if stride == 2:
                x = norm(f"{name}.shortcut.1", F.conv2d(x, weights[f"{name}.shortcut.0.weight"], None, 2))
            x, layer = F.relu(x + y), layer + 1
    return norm("norm", (x.mean(dim=3) + x.max(dim=3).values).flatten(1))


def norm_of_band(weights, spectrograms, band):
    mean, var = (weights[f"band_norm.running_{name}"][band] for name in ("mean", "var"))
    return (spectrograms[:, :, band] - mean) / (var + 1e-5).sqrt()


@pytest.mark.parametrize("bands, frames", [(128, 101), (64, 50), (33, 17), (16, 16)])
def test_it_is_what_its_words_say(bands, frames):
    torch.manual_seed(0)
    network = SmallAudio(bands, width=8, blocks=[1, 2, 1])
    network(torch.rand(16, 1, bands, frames))  # so that the running statistics are not all zero and one
    spectrograms = torch.rand(3, 1, bands, frames)
    with torch.inference_mode():
        features = network.eval()(spectrograms)
        torch.testing.assert_close(features, literal(network.state_dict(), spectrograms, [1, 2, 1]))
    assert features.shape == (3, network.features)


def test_it_is_small_and_its_name_and_config_build_it():
    network = encoder("small-audio", (1, 128, 301))
    assert 300_000 < sum(weights.numel() for weights in network.parameters()) < 400_000
    assert network.features == 768
    again = encoder_from_config(encoder("small-audio:8", (1, 64, 50)).config())
    assert (again.bands, again.width) == (64, 8)


@pytest.mark.parametrize("shape, sentence", [((20,), "takes images"), ((3, 32, 32), "takes 1"), ((1, 8, 8), "16 x 16")])
def test_it_takes_spectrograms_alone(shape, sentence):
    with pytest.raises(ValueError, match=sentence):
        encoder("small-audio", shape)
