"""Models for devices: the network in integers classifies as the floats do, and what cannot go along is said."""

import numpy as np
import pytest
import torch
from pytorch_metric_learning.losses import SupConLoss

from hypertorus.datasets import read_data
from hypertorus.export.firmware import firmware
from hypertorus.export.from_model import known_of_model
from hypertorus.export.model_layers import device_inputs
from hypertorus.models import Model
from hypertorus.models.encoders import encoder

DIGITS = read_data("digits")
HALF_A_POINT = 0.005


def trained(name, space, dim, head, part=DIGITS.train, **options):
    """Not well, but enough to tell digits apart."""
    torch.manual_seed(0)
    model = Model(encoder(name, part.shape), part.shape, dim, space, head=head, classes=DIGITS.classes, **options)
    if part.is_images:
        model.mean.fill_(0.3)
        model.std.fill_(0.4)
    optimiser, loss = torch.optim.Adam(model.parameters(), lr=5e-3), SupConLoss(0.1)
    for _ in range(50):
        rows = torch.randperm(len(part))[:300]
        optimiser.zero_grad()
        loss(model(part.__getitems__(rows.tolist())), part.labels[rows]).backward()
        optimiser.step()
    return model.eval()


@pytest.mark.parametrize(
    ("name", "space", "dim", "head"),
    [
        ("mlp:32", "torusN", 32, "linear"),
        ("mlp:32", "torusC", 16, "linear"),
        ("mlp:24", "torusN", 32, "two-layer"),
        ("none", "torusC", 16, "two-layer"),
    ],
)
def test_integers_cost_at_most_half_a_point_on_digits_and_c_computes_the_same(name, space, dim, head, device, tmp_path):
    model = trained(name, space, dim, head)
    model.save(tmp_path / "model", {"data": "digits"})
    known = known_of_model(tmp_path / "model", encoder=True)
    assert known.float_accuracy > 0.9
    assert known.accuracy() >= known.float_accuracy - HALF_A_POINT
    built = device(known, prototypes=1)
    assert np.array_equal(built.encode(device_inputs(model, DIGITS.test)), known.test.codes)
    right = [built.classify(code) == label for code, label in zip(*known.test, strict=True)]
    assert np.mean(right) == firmware(known, 1).accuracies.stored


def test_vectors_are_standardised_and_their_scaling_goes_along(device, tmp_path):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(3, 12)) * 3
    labels = np.arange(300) % 3
    vectors = ((centres[labels] + rng.normal(size=(300, 12))) * 10.0 ** rng.uniform(-3, 3, 12) + 50).astype(np.float32)
    np.savez(tmp_path / "vectors.npz", embeddings=vectors, labels=labels)
    data = read_data(str(tmp_path / "vectors.npz"))
    mean, std = vectors.mean(axis=0), vectors.std(axis=0)
    model = trained("mlp:16", "torusN", 8, "linear", data.train, mean=mean, std=std)
    model.save(tmp_path / "model")
    known = known_of_model(tmp_path / "model", encoder=True, data=str(tmp_path / "vectors.npz"))
    assert known.accuracy() >= known.float_accuracy - HALF_A_POINT
    np.testing.assert_allclose(known.scaling, np.stack([mean, std], axis=1), rtol=1e-6)
    inputs = np.clip(np.rint((data.test.inputs.numpy() - mean) / std * 32), -128, 127).astype(np.int8)
    assert np.array_equal(device(known).encode(inputs), known.test.codes)
    written = np.loadtxt(tmp_path / "firmware" / "inputs.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(written, known.scaling, rtol=1e-6)


def test_without_the_encoder_codes_are_those_of_the_model_whatever_it_is(tmp_path):
    model = Model(encoder("small:4", (1, 8, 8)), (1, 8, 8), 8, "torusN")
    model.save(tmp_path)
    known = known_of_model(tmp_path, bits=4, data="digits")
    assert known.network is None
    assert np.array_equal(known.stored.codes, model.encode(DIGITS.train, 4))


@pytest.mark.parametrize(
    ("options", "asked", "sentence"),
    [
        (
            {"name": "small:4"},
            {"encoder": True},
            "the model's encoder is 'small'; only 'mlp', 'none', 'keyword', 'keyword-1d', 'bands' can be exported",
        ),
        ({"head": "none", "dim": 4}, {"encoder": True}, "the model's head is 'none'; .* 'linear' and 'two-layer'"),
        ({"space": "sphere"}, {}, "is on the sphere, whose codes do not wrap around; train with --space torusN"),
        ({"trained_on": "mine"}, {}, "was trained on 'mine', .*; pass the data with --data"),
        ({"trained_on": None}, {}, "does not record its training data; pass the data with --data"),
        ({"shape": (1, 9, 9)}, {}, r"inputs of digits have shape \(1, 8, 8\), but .* takes \(1, 9, 9\)"),
        ({}, {"bits": 3}, "bits is 3; a coordinate has 8, 4, 2 or 1"),
    ],
)
def test_what_cannot_be_exported_is_said(options, asked, sentence, tmp_path):
    made = {"name": "mlp:4", "shape": (1, 8, 8), "dim": 8, "space": "torusN", "head": "linear", "trained_on": "digits"}
    made |= options
    model = Model(encoder(made["name"], made["shape"]), made["shape"], made["dim"], made["space"], head=made["head"])
    model.save(tmp_path, {"data": made["trained_on"]} if made["trained_on"] else None)
    with pytest.raises(ValueError, match=sentence):
        known_of_model(tmp_path, **asked)
