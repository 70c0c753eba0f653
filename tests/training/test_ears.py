"""Words are trained as words when no encoder is chosen, and all other sounds as they were."""

import re
import sys

import numpy as np
import pytest
import soundfile

import hypertorus
from hypertorus.cli import main
from hypertorus.training.ears import encoder_for


def write(folder, rate, seconds):
    for word, hertz in (("yes", 400), ("no", 900)):
        (folder / word).mkdir(parents=True)
        for number in range(8):
            wave = 0.3 * np.sin(2 * np.pi * hertz * (1 + number / 50) * np.arange(round(rate * seconds)) / rate)
            soundfile.write(folder / word / f"speaker{number // 2}_{number}.wav", wave, rate)
    return str(folder)


@pytest.mark.parametrize(
    ("rate", "seconds", "encoder"),
    [(8000, 0.5, "keyword"), (8000, 1.0, "keyword"), (8000, 2.0, "auto"), (16_000, 0.5, "auto"), (44_100, 3.0, "auto")],
)
def test_words_are_short_and_of_few_samples_a_second(rate, seconds, encoder, tmp_path):
    assert encoder_for(write(tmp_path / "sounds", rate, seconds)) == encoder


def test_what_is_no_folder_of_sounds_is_as_it_was(tmp_path):
    (tmp_path / "broken" / "a").mkdir(parents=True)
    (tmp_path / "broken" / "a" / "1.wav").write_bytes(b"no sound")
    for source in ("digits", str(tmp_path / "nothing"), str(tmp_path / "broken")):
        assert encoder_for(source) == "auto"


def test_the_command_says_what_it_chose(tmp_path, monkeypatch, capsys):
    source = write(tmp_path / "words", 8000, 0.4)
    monkeypatch.setattr(
        sys, "argv", ["hypertorus", "train", source, "--epochs", "1", "--dim", "8", "--out", str(tmp_path / "model")]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    printed = "".join(capsys.readouterr())
    assert "With encoder keyword: head linear, loss protoclr" in printed
    assert "inputs of 1 x 32 x 50" in printed


def test_the_command_takes_settings_of_the_ear(tmp_path, monkeypatch):
    source, out = write(tmp_path / "calls", 16_000, 0.4), tmp_path / "model"
    train = ["hypertorus", "train", source, "--epochs", "1", "--dim", "8", "--out", str(out), "--sound"]
    monkeypatch.setattr(sys, "argv", [*train, "chip:rate=16000,bands=16,frames=20,highest=7800"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    ear = hypertorus.load(out).sound
    assert (ear.rate, ear.shape, ear.band, ear.depth) == (16_000, (1, 16, 20), (80.0, 7800), 45.0)
    for named, complaint in {
        "chip:bands": "--sound is chip:bands; write settings of an ear as in chip:rate=16000,bands=36.",
        "chip:colour=7": "colour is 7, which is no setting of sound of kind 'chip'; leave it out.",
        "chip:bands=many": "bands is 'many'; it must be a number.",
        "chip:depth=deep": "depth is 'deep'; it must be a number.",
        "chip:depth=nan": "depth is nan; it must be from 10 to 100 dB.",
        "spectrogram:rate=fast": "rate is 'fast'; it must be a number.",
        "spectrogram:centred=1": "centred is 1; it must be true or false.",
        "chip:padding=1": "padding is 1; it must be a word.",
        "horn:rate=1": "sound has kind 'horn'; choose one of spectrogram,",
    }.items():
        monkeypatch.setattr(sys, "argv", [*train, named, "--restart"])
        with pytest.raises(SystemExit, match=re.escape(complaint)):
            main()
