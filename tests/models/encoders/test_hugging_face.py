"""Vision models of transformers: as the library computes them, from checkpoints, configurations and types."""

import json

import pytest
import torch
import torch.nn.functional as F

from hypertorus.models.encoders import encoder, encoder_from_config

transformers = pytest.importorskip("transformers")

TINY = {
    "resnet": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "layer_type": "basic"},
    "vit": {
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "image_size": 16,
        "patch_size": 8,
    },
    "convnext": {"hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2, "image_size": 16},
    "poolformer": {
        "hidden_sizes": [8, 16],
        "depths": [1, 1],
        "num_encoder_blocks": 2,
        "patch_sizes": [7, 3],
        "strides": [4, 2],
        "padding": [2, 1],
    },
    "ijepa": {
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "image_size": 16,
        "patch_size": 8,
    },
}


def library_model(model_type, **settings):
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(model_type, **TINY[model_type], **settings)
    return transformers.AutoModel.from_config(config).eval()


@pytest.fixture
def checkpoint(tmp_path):
    def save(model_type, **settings):
        model = library_model(model_type, **settings)
        model.save_pretrained(tmp_path / "checkpoint")
        return model, tmp_path / "checkpoint"

    return save


@pytest.mark.parametrize("model_type", TINY)
@torch.inference_mode()
def test_a_checkpoint_gives_the_librarys_own_features(checkpoint, model_type):
    model, folder = checkpoint(model_type)
    images = torch.randn(3, 3, 16, 16)
    output = model(images)
    if "pooler_output" in output:
        wanted = output.pooler_output.reshape(3, 16)
    elif output.last_hidden_state.ndim == 4:
        wanted = output.last_hidden_state.mean(dim=(2, 3))
    else:
        wanted = output.last_hidden_state.mean(dim=1)
    network = encoder(f"transformers:{folder}", (3, 16, 16))
    assert network.training
    assert network.features == 16
    torch.testing.assert_close(network.eval()(images), wanted)


@pytest.mark.parametrize("model_type", TINY)
@torch.inference_mode()
def test_a_config_needs_no_checkpoint(checkpoint, model_type):
    _, folder = checkpoint(model_type)
    network = encoder(f"transformers:{folder}", (1, 20, 20)).eval()
    config = json.dumps(network.config())
    assert str(folder) not in config
    for path in folder.iterdir():
        path.unlink()
    again = encoder_from_config(json.loads(config)).eval()
    again.load_state_dict(network.state_dict())
    images = torch.randn(2, 1, 20, 20)
    assert torch.equal(again(images), network(images))


@torch.inference_mode()
def test_a_checkpoint_keeps_its_size_and_channels_and_images_are_made_to_fit(checkpoint):
    model, folder = checkpoint("vit")
    images = torch.randn(2, 1, 24, 20)
    scaled = F.interpolate(images.repeat(1, 3, 1, 1), (16, 16), mode="bilinear", antialias=True)
    network = encoder(f"transformers:{folder}", (1, 24, 20)).eval()
    torch.testing.assert_close(network(images), model(scaled).pooler_output)


def test_a_checkpoint_tells_how_images_are_normalised(checkpoint):
    _, folder = checkpoint("resnet")
    assert encoder(f"transformers:{folder}", (3, 16, 16)).mean is None
    wish = {"image_mean": [0.1, 0.2, 0.3], "image_std": [0.4, 0.5, 0.6]}
    (folder / "preprocessor_config.json").write_text(json.dumps(wish))
    colour, grey = (encoder(f"transformers:{folder}", (channels, 16, 16)) for channels in (3, 1))
    assert (colour.mean, colour.std) == ((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    assert (grey.mean, grey.std) == (pytest.approx((0.2,)), pytest.approx((0.5,)))


def test_a_config_alone_is_a_fresh_network_fitted_to_the_data(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "vit", **TINY["vit"]}))
    config = encoder(f"transformers:{path}", (1, 24, 24)).config()["config"]
    assert (config["num_channels"], config["image_size"], config["hidden_size"]) == (1, 24, 16)
    assert encoder(f"transformers:{path}", (3, 8, 16)).config()["config"]["image_size"] == [8, 16]


def test_whatever_points_to_other_code_is_left_out(tmp_path):
    path = tmp_path / "config.json"
    strange = {
        "auto_map": {"AutoModel": "evil.Model"},
        "_attn_implementation": "someone/kernel",
        "_name_or_path": "/home",
    }
    strange |= {"attn_implementation": "someone/kernel", "id2label": {"0": "cat"}}
    path.write_text(json.dumps({"model_type": "vit", **TINY["vit"], **strange}))
    network = encoder(f"transformers:{path}", (3, 16, 16))
    assert not network.config()["config"].keys() & strange.keys()
    again = encoder_from_config({**network.config(), "config": {**network.config()["config"], **strange}})
    assert again.config() == network.config()


def test_a_checkpoint_that_is_not_whole_is_refused(checkpoint):
    _, folder = checkpoint("resnet")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(FileNotFoundError, match=r"has no model.safetensors; pass the folder of a complete checkpoint"):
        encoder(f"transformers:{folder}", (3, 16, 16))


def test_weights_of_another_model_are_refused(checkpoint):
    _, folder = checkpoint("resnet")
    (folder / "config.json").write_text(json.dumps({"model_type": "convnext", **TINY["convnext"]}))
    with pytest.raises(ValueError, match=r"the weights in .* lack .*; pass a checkpoint whose weights fit"):
        encoder(f"transformers:{folder}", (3, 16, 16))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ("{}", "model_type is None"),
        ('{"model_type": "no such"}', "model_type is 'no such'"),
        (
            '{"model_type": "bert", "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1}',
            "encoder 'transformers:bert' takes input_ids, not images",
        ),
        (
            '{"model_type": "swin", "embed_dim": 4, "depths": [1], "num_heads": [1], "window_size": 7}',
            "encoder 'transformers:swin' cannot take images of 16 x 16 pixels and 3 channels",
        ),
    ],
)
def test_a_config_of_no_vision_model_is_refused(tmp_path, text, message):
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        encoder(f"transformers:{path}", (3, 16, 16))


@pytest.mark.parametrize("option", ["", "no such type", "/no/such/folder"])
def test_what_is_neither_path_nor_type_is_refused(option):
    with pytest.raises(ValueError, match="put the folder of a checkpoint"):
        encoder(f"transformers:{option}", (3, 16, 16))
