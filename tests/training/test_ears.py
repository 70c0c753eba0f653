"""Words are trained as words when no encoder is chosen, and all other sounds as they were."""

import sys

import numpy as np
import pytest
import soundfile

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
