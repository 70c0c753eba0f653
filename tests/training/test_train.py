import csv
import importlib
import json
import logging
from pathlib import Path

import numpy as np
import pytest
import torch

import hypertorus
from hypertorus.datasets import Data, InMemory, read_data
from hypertorus.training import Settings, TrainingError, run_training
from hypertorus.training.baselines import baselines
from hypertorus.training.nearest import precision_at_1

QUICK = {"dim": 16, "encoder": "mlp:64", "epochs": 4}


def digits(train=600, test=200):
    data = read_data("digits")
    return Data("digits", data.train.take(range(train)), data.test.take(range(test)), data.classes)


def blobs(n=300, classes=5, features=12, seed=0):
    """Vectors around one centre a class, far enough apart to be told."""
    rng = np.random.default_rng(seed)
    centres = 3 * rng.normal(size=(classes, features))
    labels = rng.integers(classes, size=2 * n)
    vectors = torch.tensor(centres[labels] + rng.normal(size=(2 * n, features)), dtype=torch.float32)
    parts = [InMemory(vectors[rows], torch.tensor(labels[rows])) for rows in (slice(n), slice(n, None))]
    return Data("blobs", *parts, tuple(map(str, range(classes))))


@pytest.mark.parametrize("space", ["sphere", "torusN", "torusC"])
def test_a_run_learns_and_leaves_a_model_that_does_what_it_says(tmp_path, space):
    data = digits()
    outcome = run_training(data, Settings(space=space, **(QUICK | {"epochs": 12})), tmp_path / "model")
    assert outcome.test > 0.85
    assert abs(outcome.test - outcome.test_8bit) < 0.03
    model = hypertorus.load(tmp_path / "model")
    points = [torch.from_numpy(model.embed(part)) for part in (data.train, data.test)]
    again = precision_at_1(points[0], data.train.labels, points[1], data.test.labels)
    assert again == pytest.approx(outcome.test, abs=0.006)
    assert model.encode(data.test).dtype == np.uint8
    assert model.classes == data.classes


def test_digits_reach_what_is_promised_in_sixteen_dimensions(tmp_path):
    outcome = run_training(read_data("digits"), Settings(space="torusN", dim=16, encoder="mlp"), tmp_path)
    assert outcome.test >= 0.97
    assert outcome.test_8bit >= 0.97


def test_too_few_inputs_to_validate_on_are_said_with_both_ways_out(tmp_path):
    data = blobs(2, classes=2)
    data.train.columns.labels[:] = torch.arange(2)
    sentence = (
        "no input of blobs can be set aside for validation: .* give at least one class two rows; .* --validation 0"
    )
    with pytest.raises(ValueError, match=sentence):
        run_training(data, Settings(**QUICK), tmp_path / "model")
    assert not list(tmp_path.rglob("settings.json")), "a run with --validation 0 would be refused"


@pytest.mark.parametrize("space", ["torusN", "torusC", "sphere"])
def test_a_nested_model_remembers_it_and_its_card_says_what_each_size_gives(tmp_path, space):
    data, dim = blobs(features=30), 64 if space == "torusN" else 32
    run_training(data, Settings(space=space, dim=dim, epochs=3, batch=50, nested=True), tmp_path / "model")
    model = hypertorus.load(tmp_path / "model")
    assert model.nested
    measured = model.training_facts["sizes"]
    cuts = {8, 16, 32} if space != "sphere" else {32}
    assert {(size["coordinates"], size["bits"]) for size in measured} == {(a, n) for a in cuts for n in (8, 4, 2, 1)}
    small = next(size for size in measured if (size["coordinates"], size["bits"]) == (min(cuts), 4))
    assert small["bytes"] == min(cuts) // 2
    if space != "sphere":
        train, test = (model.encode(part)[:, :8] >> 4 for part in (data.train, data.test))
        index = hypertorus.Index(8, bits=4)
        index.add(train)
        nearest = index.search(test, k=1).ids[:, 0]
        assert small["precision"] == (data.train.labels.numpy()[nearest] == data.test.labels.numpy()).mean() > 0.8
    card = (tmp_path / "model" / "README.md").read_text()
    assert f"| {min(cuts)} | 4 | {min(cuts) // 2} | {small['precision']:.3f} |" in card


def test_nested_training_makes_the_first_coordinates_good(tmp_path):
    data, precision = blobs(n=600, classes=100, features=24), {}  # more classes than eight angles tell apart by chance
    for nested in (False, True):
        settings = Settings(dim=128, encoder="none", epochs=10, batch=100, nested=nested)
        run_training(data, settings, tmp_path / str(nested))
        model = hypertorus.load(tmp_path / str(nested))
        train, test = (torch.from_numpy(model.embed(part)[:, :16]) for part in (data.train, data.test))
        precision[nested] = precision_at_1(train, data.train.labels, test, data.test.labels)
        assert model.nested == nested
    assert precision[True] > precision[False] + 0.01


def test_proxies_are_trained_and_dropped(tmp_path):
    data = blobs()
    for name, weight in (("with", 1.0), ("without", 0.0)):
        outcome = run_training(data, Settings(dim=8, epochs=3, batch=50, proxies=weight), tmp_path / name)
        assert outcome.test > 0.8
    with_proxies, without = (hypertorus.load(tmp_path / name) for name in ("with", "without"))
    assert with_proxies.state_dict().keys() == without.state_dict().keys()
    assert not np.array_equal(with_proxies.embed(data.test), without.embed(data.test))


def test_training_is_soft_at_first_and_hard_where_it_is_measured(tmp_path):
    data, runs = blobs(), {"soft": {}, "published": {"soft": 0.0}, "sphere": {"space": "sphere"}}
    for name, more in runs.items():
        run_training(data, Settings(dim=8, epochs=2, batch=50, **more), tmp_path / name)
    soft, published = (hypertorus.load(tmp_path / name) for name in ("soft", "published"))
    assert not np.array_equal(soft.embed(data.test), published.embed(data.test))
    for model in (soft, published):
        assert model.space.check(model.embed(data.test)) == (True, "")


@pytest.mark.parametrize("loss", ["simclr", "protoclr", "triplet"])
def test_every_loss_learns(tmp_path, loss):
    outcome = run_training(blobs(), Settings(loss=loss, dim=8, epochs=5, batch=50), tmp_path)
    assert outcome.test > 0.8


@pytest.mark.parametrize("space", ["sphere", "torusN", "torusC"])
def test_a_linear_head_can_start_at_the_principal_components(tmp_path, space):
    data = blobs(features=40)
    settings = Settings(space=space, dim=8, encoder="none", head="linear", start="pca", epochs=1, batch=50, lr=1e-9)
    assert run_training(data, settings, tmp_path).test > 0.9
    model = hypertorus.load(tmp_path)
    raw = model.rows(model.raw, data.train).astype(np.float64)
    vectors = data.train.inputs.double().numpy()
    standard = (vectors - vectors.mean(axis=0)) / vectors.std(axis=0, ddof=1)
    kept = np.linalg.svd(standard, compute_uv=False)[:8]
    ratios = np.linalg.svd(raw - raw.mean(axis=0), compute_uv=False) / kept
    assert ratios == pytest.approx(np.full(8, ratios[0]), rel=1e-3)
    assert raw.std() == pytest.approx(0.2 if space == "torusC" else 1, rel=0.01)


def test_more_raw_numbers_than_components_are_no_obstacle(tmp_path):
    settings = Settings(dim=16, encoder="none", head="linear", start="pca", epochs=1, batch=50)
    assert run_training(blobs(features=6), settings, tmp_path).test > 0.8


@pytest.mark.parametrize("optimiser, lr", [("sgd", 0.1), ("adamw", 3e-3)])
def test_every_optimiser_learns(tmp_path, optimiser, lr):
    settings = Settings(optimiser=optimiser, lr=lr, clip_by="norm", clip=1.0, dim=8, epochs=5, batch=50)
    assert run_training(blobs(), settings, tmp_path).test > 0.8


def test_the_same_seed_gives_the_same_model_and_another_another(tmp_path):
    for name, seed in (("one", 1), ("two", 1), ("three", 2)):
        run_training(blobs(), Settings(dim=8, epochs=2, batch=50, seed=seed), tmp_path / name)
    one, two, three = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two", "three"))
    assert one == two
    assert one != three


def test_a_run_leaves_a_row_an_epoch_and_the_same_for_tensorboard(tmp_path):
    outcome = run_training(blobs(), Settings(dim=8, epochs=3, batch=50), tmp_path)
    with (tmp_path / "run" / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["epoch"] for row in rows] == ["1", "2", "3"]
    assert float(rows[0]["loss"]) > float(rows[2]["loss"])
    assert max(float(row["precision"]) for row in rows) == pytest.approx(outcome.validation, abs=1e-4)
    events = b"".join(file.read_bytes() for file in (tmp_path / "run").glob("events.out.*"))
    assert b"precision" in events
    assert b"loss" in events
    assert json.loads((tmp_path / "run" / "results.json").read_text())["test"] == outcome.test
    assert not list((tmp_path / "run").glob("*.ckpt"))


def test_a_run_stops_when_nothing_has_become_better_for_its_patience(tmp_path):
    outcome = run_training(blobs(), Settings(dim=8, epochs=30, batch=50, patience=2), tmp_path)
    assert outcome.epochs < 30
    with (tmp_path / "run" / "metrics.csv").open() as file:
        precisions = [float(row["precision"]) for row in csv.DictReader(file)]
    assert max(precisions[-2:]) <= max(precisions[:-2])


def test_weights_averaged_over_steps_and_over_the_best_epochs_learn_too(tmp_path):
    outcome = run_training(blobs(), Settings(dim=8, epochs=6, batch=50, ema=0.8, average_best=3), tmp_path)
    assert outcome.test > 0.8


def test_the_average_of_the_best_epochs_is_the_mean_of_their_weights():
    from hypertorus.training.checkpoints import average

    states = [{"w": torch.randn(3, 2), "seen": torch.tensor(i)} for i in range(3)]
    mean = average(states)
    torch.testing.assert_close(mean["w"], (states[0]["w"] + states[1]["w"] + states[2]["w"]) / 3)
    assert mean["seen"] == 0


def test_divergence_stops_the_run_with_a_sentence_and_saves_no_model(tmp_path):
    with pytest.raises(TrainingError, match=r"smaller --lr.*--restart"):
        run_training(blobs(), Settings(space="sphere", lr=1e30, clip=1e30, dim=8, epochs=3, batch=50), tmp_path)
    assert not (tmp_path / "model.safetensors").exists()
    assert not (tmp_path / "config.json").exists()


def test_collapse_to_one_point_stops_the_run_with_a_sentence_and_saves_no_model(tmp_path):
    data = blobs()
    alike = InMemory(0 * data.train.inputs, data.train.labels)
    settings = Settings(koleo=0, dim=8, epochs=40, batch=50, noise=0)
    with pytest.raises(TrainingError, match=r"same embedding.*--koleo"):
        run_training(Data("alike", alike, alike, data.classes), settings, tmp_path)
    assert not (tmp_path / "config.json").exists()


def test_a_finished_model_is_not_trained_over_unless_asked(tmp_path):
    settings = Settings(dim=8, epochs=1, batch=50)
    run_training(blobs(), settings, tmp_path)
    before = (tmp_path / "model.safetensors").read_bytes()
    with pytest.raises(ValueError, match="--restart"):
        run_training(blobs(), settings, tmp_path)
    assert (tmp_path / "model.safetensors").read_bytes() == before
    run_training(blobs(), Settings(dim=8, epochs=1, batch=50, seed=3), tmp_path, restart=True)
    assert (tmp_path / "model.safetensors").read_bytes() != before


def test_a_run_that_failed_is_not_gone_on_with_under_other_settings(tmp_path):
    with pytest.raises(TrainingError):
        run_training(blobs(), Settings(lr=1e30, clip=1e30, dim=8, epochs=2, batch=50), tmp_path)
    with pytest.raises(ValueError, match="unfinished run with lr 1e"):
        run_training(blobs(), Settings(dim=8, epochs=2, batch=50), tmp_path)
    assert run_training(blobs(), Settings(dim=8, epochs=2, batch=50), tmp_path, restart=True).epochs == 2


def test_a_frozen_encoder_stays_as_it_is_and_its_features_are_computed_once(tmp_path, monkeypatch):
    from hypertorus.models.encoders.mlp import Mlp

    data, seen = digits(300, 100), []
    forward = Mlp.forward
    monkeypatch.setattr(Mlp, "forward", lambda self, inputs: (seen.append(len(inputs)), forward(self, inputs))[1])
    settings = {"dim": 16, "encoder": "mlp:64", "frozen": True}
    outcome = run_training(data, Settings(**settings, epochs=10), tmp_path / "ten", cache=tmp_path / "cache")
    assert sum(seen) == 400
    run_training(data, Settings(**settings, epochs=1), tmp_path / "one", cache=tmp_path / "cache")
    assert sum(seen) == 400
    one, ten = (hypertorus.load(tmp_path / name) for name in ("one", "ten"))
    for name, weights in one.encoder.state_dict().items():
        assert torch.equal(weights, ten.encoder.state_dict()[name])
    points = [torch.from_numpy(ten.embed(part)) for part in (data.train, data.test)]
    again = precision_at_1(points[0], data.train.labels, points[1], data.test.labels)
    assert again == pytest.approx(outcome.test, abs=0.011)
    assert outcome.test > 0.7


def test_a_frozen_encoder_on_the_sphere_keeps_the_range_of_its_codes(tmp_path):
    data, settings = digits(300, 100), Settings(space="sphere", dim=16, encoder="mlp:64", frozen=True, epochs=2)
    run_training(data, settings, tmp_path / "model", cache=tmp_path / "cache")
    codes = hypertorus.load(tmp_path / "model").encode(data.train)
    assert codes.min() == 0
    assert codes.max() == 255


def test_mixed_precision_learns(tmp_path):
    assert run_training(blobs(), Settings(dim=8, epochs=5, batch=50, precision="bf16-mixed"), tmp_path).test > 0.8


def test_a_damaged_cache_is_computed_again(tmp_path):
    data, settings = digits(300, 100), Settings(dim=16, encoder="mlp:64", frozen=True, epochs=2)
    first = run_training(data, settings, tmp_path / "one", cache=tmp_path / "cache")
    for file in (tmp_path / "cache").iterdir():
        file.write_bytes(file.read_bytes()[:100])
    assert run_training(data, settings, tmp_path / "two", cache=tmp_path / "cache").test == first.test


def test_lightning_is_quiet_and_speaks_again_afterwards(tmp_path, capfd):
    importlib.import_module("lightning.pytorch")  # which sets its level when it is imported
    level = logging.getLogger("lightning.pytorch").level
    run_training(blobs(), Settings(dim=8, epochs=1, batch=50), tmp_path)
    said = capfd.readouterr()
    assert said.out == ""
    plan, epoch = said.err.splitlines()
    assert plan == "blobs: 240 to train, 60 to validate, 300 to test; 5 classes, inputs of 12."
    assert epoch.startswith("epoch 1/1  loss ")
    assert logging.getLogger("lightning.pytorch").level == level


def test_checkpoints_are_never_unpickled(tmp_path):
    from hypertorus.training.checkpoints import AtomicCheckpoints

    AtomicCheckpoints().save_checkpoint({"object": Path(tmp_path)}, tmp_path / "last.ckpt")
    with pytest.raises(ValueError, match=r"last.ckpt is not a whole checkpoint of tensors alone; pass --restart"):
        AtomicCheckpoints().load_checkpoint(tmp_path / "last.ckpt")


def test_features_of_a_frozen_encoder_stay_grouped(tmp_path):
    from hypertorus.training.frozen import features_of
    from hypertorus.training.prepare import build_model

    data = blobs()
    part = InMemory(data.train.inputs, data.train.labels, torch.arange(len(data.train)) // 2)
    features = features_of(build_model(data, Settings(dim=8)), part, tmp_path)
    assert torch.equal(features.groups, part.groups)


def test_what_a_network_draws_itself_hangs_on_seed_epoch_and_step_alone(monkeypatch):
    from hypertorus.training.batches import Batch
    from hypertorus.training.module import Training
    from hypertorus.training.prepare import build_model, views_for

    data, settings = blobs(), Settings(dim=8)
    model = build_model(data, settings)
    model.encoder.layers.append(torch.nn.Dropout())
    module = Training(model, views_for(model, settings), settings, 10, (data.train.labels, data.test.labels))
    monkeypatch.setattr(module, "log", lambda *_, **__: None)  # there is no trainer to log to
    losses = []
    for before, step in ((1, 0), (2, 0), (1, 1)):
        torch.manual_seed(before)
        losses.append(module.training_step(Batch(data.train.inputs[:50], data.train.labels[:50]), step).item())
    assert losses[0] == losses[1] != losses[2]


def test_a_head_on_vectors_of_few_examples_is_as_good_as_its_inputs(tmp_path):
    data = few_examples()
    model = hypertorus.train(data, tmp_path, epochs=5, show=False)
    assert model.training_facts["start"] == "pca"
    assert model.training_facts["test"] >= baselines(data, model.dim).inputs - 0.005


def few_examples():
    """Vectors of 60 classes with 6 examples each, whose variance falls off as that of a large network's does."""
    rng = np.random.default_rng(0)
    means, labels = rng.normal(size=(60, 100)), np.arange(540) % 60
    known = (means[labels] + 0.8 * rng.normal(size=(540, 100))) * np.arange(1, 101) ** -0.7
    inputs = (known @ rng.normal(size=(100, 300))).astype(np.float32)
    part = InMemory(torch.from_numpy(inputs), torch.from_numpy(labels))
    return Data("few", part.take(range(360)), part.take(range(360, 540)), tuple(map(str, range(60))))
