import pytest
import torch

pytest.importorskip("transformers")

from hypertorus.models.encoders import encoder, encoder_from_config


def test_it_is_the_published_network_of_the_published_size():
    network = encoder("cvt13", (1, 128, 301)).eval()
    assert network.features == 384
    assert sum(weights.numel() for weights in network.parameters()) == pytest.approx(19.6e6, rel=0.01)
    with torch.inference_mode():
        spectrograms = torch.rand(2, 1, 128, 301)
        features = network(spectrograms)
        tokens = network.network(spectrograms).cls_token_value[:, 0]
    centred = tokens - tokens.mean(dim=1, keepdim=True)
    torch.testing.assert_close(features, centred / (centred.square().mean(dim=1, keepdim=True) + 1e-5).sqrt())


def test_its_config_builds_it_again():
    config = encoder("cvt13", (1, 64, 64)).config()
    assert config == {"kind": "cvt13", "channels": 1}
    assert encoder_from_config(config).network.config.num_channels == 1


def test_it_has_no_option():
    with pytest.raises(ValueError, match="leave ':21' out"):
        encoder("cvt13:21", (1, 64, 64))
