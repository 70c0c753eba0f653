"""`hypertorus learn` and `hypertorus detect`: from five examples to tables, with sentences for what goes wrong."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from hypertorus.annotations import read_annotations
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.spectrogram import Spectrogram

SOUND = Spectrogram(seconds=0.5, bands=32)
RATE = SOUND.rate


def song(hertz, seed, seconds=0.5):
    rng, along = np.random.default_rng(seed), np.arange(round(seconds * RATE)) / RATE
    return 0.3 * np.sin(2 * np.pi * hertz * rng.uniform(0.97, 1.03) * along) + 0.01 * rng.normal(size=len(along))


@pytest.fixture
def run(run):
    """Run the command in a folder with a model, examples of three classes and a recording."""
    torch.manual_seed(0)
    Model(encoder("small-audio:4", SOUND.shape), SOUND.shape, 16, "torusN", sound=SOUND).save("model")
    for folder, name, hertz in (("birds", "owl", 500), ("birds", "wren", 4000), ("more", "noise", 0)):
        Path(folder, name).mkdir(parents=True)
        for number in range(5):
            soundfile.write(f"{folder}/{name}/{number}.wav", song(hertz, number), RATE)
    Path("recordings").mkdir()
    night = np.concatenate([song(0, 7, 2.0), song(4000, 8), song(0, 9, 2.0)])
    soundfile.write("recordings/night.wav", night, RATE)
    soundfile.write("recordings/short.wav", song(500, 1, 0.1), RATE)
    return run


def test_from_examples_to_tables(run):
    code, out, err = run("learn", "birds", "model")
    assert (code, err) == (0, "")
    assert ["owl", "5", "1"] in [line.split() for line in out.splitlines()]
    assert "No background:" in out
    code, _, err = run("learn", "more", "model")
    assert (code, err.startswith("hypertorus: --out is classes.safetensors, which already exists; pass --force")) == (
        1,
        True,
    )
    code, out, _ = run("learn", "more", "model", "--add", "classes.safetensors", "--json")
    assert code == 0
    assert [(row["class"], row["examples"]) for row in json.loads(out)["classes"]] == [
        ("noise", 5),
        ("owl", 5),
        ("wren", 5),
    ]

    asked = ["detect", "recordings", "model", "--classes", "classes.safetensors"]
    code, out, err = run(*asked, "--format", "raven", "--format", "birdnet")
    assert (code, err) == (0, "")
    assert ["wren", "1"] in [line.split() for line in out.splitlines()]
    assert "short.wav has 0.1 s, less than a window of 0.5 s: it is not judged." in out
    assert "Written: detections/detections.birdnet.csv" in out
    (event,) = read_annotations("detections/raven/night.wav.selections.txt")
    assert event.label == "wren"
    assert 1.7 < event.start <= 2.1
    facts = json.loads(run(*asked, "--json")[1])
    assert (facts["recordings"], facts["new"], facts["events"]) == (2, 0, {"wren": 1})
    code, _, err = run(*asked, "--overlap", 0)
    assert code == 1
    assert err == (
        "hypertorus: detections was begun with overlap 0.5, and now it is 0.0; pass --restart to begin anew, or choose "
        "another folder."
    )
    assert run(*asked, "--overlap", 0, "--restart")[0] == 0


def test_classes_are_put_together(run):
    for folder in ("birds", "more"):
        assert run("learn", folder, "model", "--out", f"{folder}.safetensors")[0] == 0
    both = ["learn", "--add", "birds.safetensors", "--add", "more.safetensors", "--out", "both.safetensors"]
    assert run(*both)[0] == 0
    Path("all").mkdir()
    for folder in ("birds/owl", "birds/wren", "more/noise"):
        Path(folder).rename(Path("all", Path(folder).name))
    code, out, _ = run("learn", "all", "model", "--out", "all.safetensors")
    assert (code, "No background:" in out) == (0, False)
    assert Path("both.safetensors").read_bytes() == Path("all.safetensors").read_bytes()


@pytest.mark.parametrize(
    "asked, sentence",
    [
        (["learn"], "pass EXAMPLES and MODEL, or two files of classes with --add."),
        (["learn", "nowhere", "model"], "there is no folder nowhere; pass one with a folder of examples"),
        (["learn", "recordings", "model"], "recordings has no folders; put the sounds of each class into a folder"),
        (["detect", "recordings", "model"], "model holds no classes.safetensors; learn classes with hypertorus learn"),
        (["detect", "recordings", "nowhere"], "there is no folder nowhere; pass the folder of a model."),
    ],
)
def test_mistakes_are_one_sentence(run, asked, sentence):
    code, out, err = run(*asked)
    assert (code, out) == (1, "")
    assert err.startswith(f"hypertorus: {sentence}")
    assert "\n" not in err
    assert not Path("detections").exists()
