from dataclasses import replace

import numpy as np
import pytest
import torch

import hypertorus
from hypertorus.datasets import read_data
from hypertorus.training import Hardware, Settings, run_training


def calls(tmp_path, monkeypatch, n=120):
    """Spectrograms of two species whose calls differ in height."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    height = torch.tensor([500.0, 3000.0])[torch.arange(n) % 2] * torch.tensor(rng.uniform(0.9, 1.1, n))
    waves = torch.sin(2 * np.pi * height.unsqueeze(1) * torch.arange(8000) / 16_000)
    torch.save(
        {"data": waves + 0.1 * torch.tensor(rng.normal(size=(n, 8000))), "label": torch.arange(n) % 2},
        tmp_path / "calls.pt",
    )
    return read_data(str(tmp_path / "calls.pt"))


def test_sounds_are_learned_with_their_own_encoder_views_and_statistics(tmp_path, monkeypatch):
    data = calls(tmp_path, monkeypatch)
    outcome = run_training(data, Settings(loss="protoclr", dim=8, epochs=6, batch=24), tmp_path / "model")
    assert outcome.test == 1
    model = hypertorus.load(tmp_path / "model")
    assert model.encoder.kind == "small-audio"
    assert model.sound == data.sound
    everything = data.train.__getitems__(range(len(data.train)))
    assert model.mean.item() == pytest.approx(everything.mean().item(), abs=1e-4)
    assert model.std.item() == pytest.approx(everything.std().item(), abs=1e-4)
    classes = hypertorus.read_classes(tmp_path / "model" / "classes.safetensors")
    assert classes.names == data.classes
    judged = classes.judge(model.encode(data.test))
    assert (judged.classes == data.test.labels.numpy()).mean() > 0.5
    assert set(judged.classes.tolist()) <= {-1, *data.test.labels.tolist()}


WORDS = Settings.chosen(encoder="keyword:4", dim=4, epochs=3, batch=12, synthetic_words=True)


def test_words_are_learned_from_all_training_inputs_and_the_last_epoch_is_kept(tmp_path, monkeypatch, capfd):
    calls(tmp_path, monkeypatch)
    data = read_data(str(tmp_path / "calls.pt"), sound={"kind": "keyword"})
    outcome = run_training(data, replace(WORDS, average_best=2), tmp_path / "model")
    assert (outcome.validation, outcome.best_epoch, outcome.epochs) == (None, 3, 3)
    assert hypertorus.load(tmp_path / "model").classes == data.classes  # and none that were made of them
    said = capfd.readouterr().err
    assert f"calls: {len(data.train)} to train, {len(data.test)} to test; 2 classes, inputs of 1 x 32 x 50." in said
    assert "the last epoch is kept" in said
    assert "With encoder keyword:4: head linear, loss protoclr" in said


def test_words_whose_training_was_stopped_resume_bit_for_bit(tmp_path, monkeypatch):
    calls(tmp_path, monkeypatch)
    data = read_data(str(tmp_path / "calls.pt"), sound={"kind": "keyword"})

    def run(name):
        # A process that reads ahead draws batches before the epoch begins, which is where a resumed run once differed.
        run_training(data, WORDS, tmp_path / name, hardware=Hardware(workers=1), show=False)
        return (tmp_path / name / "model.safetensors").read_bytes()

    whole = run("whole")
    with monkeypatch.context() as patch:
        patch.setattr("hypertorus.training.module.check_loss", _power_cut(epoch=2))
        with pytest.raises(RuntimeError, match="power cut"):
            run("cut")
    assert (tmp_path / "cut" / "run" / "last.ckpt").exists()
    assert run("cut") == whole


def _power_cut(epoch):
    def check(_, now, step):
        if (now, step) == (epoch, 1):
            raise RuntimeError("power cut")

    return check


def test_the_encoder_decides_how_sounds_are_read(tmp_path, monkeypatch):
    calls(tmp_path, monkeypatch)
    model = hypertorus.train(
        tmp_path / "calls.pt", tmp_path / "model", encoder="keyword:4", dim=4, epochs=1, batch=12, show=False
    )
    assert model.sound == hypertorus.data(str(tmp_path / "calls.pt"), sound={"kind": "chip"}).sound
    assert model.training_facts["schedule"] == "one-cycle"


def test_an_unfinished_run_does_not_go_on_with_other_spectrograms(tmp_path, monkeypatch):
    from hypertorus.training.folder import RunFolder

    data = calls(tmp_path, monkeypatch)
    settings = Settings(dim=8, epochs=1, batch=16)
    asked = {**settings.as_dict(), "data": "calls", "train": len(data.train), "sound": {"seconds": 3}}
    RunFolder(tmp_path / "model").begin(asked, restart=False)
    with pytest.raises(ValueError, match="unfinished run with sound"):
        run_training(data, settings, tmp_path / "model")
