import pytest
import torch

from hypertorus.models.encoders import encoder

pytest.importorskip("transformers")

PUBLISHED = {"resnet18": 11_689_512, "resnet34": 21_797_672, "resnet50": 25_557_032}
"""Weights with the classifier of 1000 classes, as torchvision lists them."""


@pytest.mark.parametrize(("name", "features"), [("resnet18", 512), ("resnet34", 512), ("resnet50", 2048)])
def test_it_has_as_many_weights_as_the_published_one(name, features):
    network = encoder(name, (3, 64, 64))
    assert network.features == features
    classifier = (features + 1) * 1000
    assert sum(weights.numel() for weights in network.parameters()) == PUBLISHED[name] - classifier


def test_images_of_one_channel_have_a_first_layer_of_their_own():
    network = encoder("resnet18", (1, 32, 32)).eval()
    assert next(network.parameters()).shape == (64, 1, 7, 7)
    with torch.inference_mode():
        assert network(torch.randn(2, 1, 32, 32)).shape == (2, 512)
