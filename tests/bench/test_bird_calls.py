"""One bird call among others: what is reported was neither trained on nor did it fix the threshold."""

import numpy as np
import pytest
import soundfile

from hypertorus.bench import bird_calls
from hypertorus.bench.bird_calls import calls_of, measured_calls

COUNTS = {"CARW": 6, "a": 6, "b": 7, "c": 6, "d": 6, "e": 6, "f": 6, "g": 2, "h": 1}
"""Recordings of each species."""


@pytest.fixture
def folder(tmp_path):
    rng, time = np.random.default_rng(0), np.arange(9000) / 16_000
    for number, (species, recordings) in enumerate(COUNTS.items()):
        (tmp_path / "birds" / species).mkdir(parents=True)
        for recording in range(recordings):
            for clip in range(2 if species in "bg" else 1):
                tone = np.sin(2 * np.pi * (900 + 600 * number) * time * rng.uniform(0.98, 1.02))
                wave = 0.3 * tone + rng.normal(0, 0.01, len(time))
                soundfile.write(tmp_path / "birds" / species / f"{species}{recording}_{clip}.flac", wave, 16_000)
    return tmp_path / "birds"


def test_species_are_for_one_thing_each(folder, monkeypatch, tmp_path):
    calls = calls_of(folder)
    training, fixing, reported = (
        sorted({calls.classes[label] for label in part.labels.tolist()}) for part in calls[:3]
    )
    assert (training, fixing, reported) == (["CARW", "g", "h"], ["a", "d"], ["b", "c", "e", "f"])
    assert len(calls.training) == 6 + 2 * 2 + 1
    assert len(calls.reported) == 7 + 3 * 6  # one clip of each recording
    monkeypatch.setattr(bird_calls, "SETTINGS", {**bird_calls.SETTINGS, "encoder": "keyword:8", "epochs": 1, "dim": 8})
    monkeypatch.setattr(bird_calls, "EPISODES", 10)
    monkeypatch.setattr(bird_calls, "TIMES", 2)
    found = measured_calls(folder, 0, tmp_path / "models", teacher={"kind": "spectrogram", "seconds": 3.0})
    heard = sorted((tmp_path / "models" / "bird-calls").glob("*/*"))
    assert {path.parent.name for path in heard} == {"CARW", "g", "h"}
    assert len(heard) == 3 * len(calls.training)
    assert found["species"] == {"training": 3, "fixing": 2, "reported": 4}
    assert found["balanced_accuracy"] == pytest.approx((found["true_accepts"] + 1 - found["false_accepts"]) / 2)
    assert found["balanced_accuracy_where_fixed"] >= 0.5


def test_too_few_species_are_refused_in_a_sentence(folder):
    (folder / "a" / "a1_0.flac").unlink()
    with pytest.raises(ValueError, match="has 5 species of more than 5 recordings; pass one with 6 or more"):
        calls_of(folder)
