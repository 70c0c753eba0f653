"""`hypertorus bench words`: its table comes from models that never heard the speakers it judges by."""

import json
import sys

import numpy as np
import pytest
import soundfile

from hypertorus.bench import word_models
from hypertorus.bench.word_table import table
from hypertorus.cli import main

WORDS, SPEAKERS, CLIPS = "abcde", ("ann", "bob", "cy"), 6


@pytest.fixture
def folder(tmp_path):
    """Words of two tones each, by speakers of different voices."""
    rng, time = np.random.default_rng(0), np.arange(2400) / 8000
    for word, (low, high) in zip(WORDS, [(300, 900), (900, 300), (500, 2000), (2000, 500), (1200, 1300)], strict=True):
        (tmp_path / "words" / word).mkdir(parents=True)
        for speaker, voice in zip(SPEAKERS, (0.9, 1.0, 1.1), strict=True):
            for clip in range(CLIPS):
                pitch = voice * (low + (high - low) * time / time[-1]) * rng.uniform(0.97, 1.03)
                wave = 0.3 * np.sin(2 * np.pi * np.cumsum(pitch) / 8000) + rng.normal(0, 0.003, len(time))
                soundfile.write(tmp_path / "words" / word / f"{speaker}_{clip}.flac", wave, 8000)
    return tmp_path / "words"


@pytest.fixture
def small(monkeypatch):
    """One rotation of small networks."""
    monkeypatch.setattr(word_models, "ROTATIONS", (("cy",),))
    monkeypatch.delitem(word_models.KINDS, "eight-bit")
    for kind, new_words in (("known", 0), ("learning", 3)):
        settings = {"encoder": "keyword:4", "epochs": 1, "dim": 8}
        monkeypatch.setitem(word_models.KINDS, kind, word_models.Kind(settings, new_words))


def bench(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["hypertorus", "bench", "words", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


@pytest.mark.usefixtures("small")
def test_every_measure_is_of_speakers_never_heard(folder, monkeypatch, capsys, tmp_path):
    assert not bench(monkeypatch, folder, "--work", tmp_path / "models", "--json")
    told = json.loads(capsys.readouterr().out)
    assert [(run["kind"], run["held_out"]) for run in told["runs"]] == [("known", ["cy"]), ("learning", ["cy"])]
    assert {path.name for path in (tmp_path / "models").iterdir()} == {
        *("known-0-0", "learning-0-0", "learning-0-0-without-ann", "learning-0-0-without-bob")
    }
    rows = {row["what"]: row["value"] for row in told["table"]}
    assert all(0 <= value <= 1 for value in rows.values())
    assert "ten words, unseen speakers, in a stream" in rows
    for wanted, accepts in zip((0.05, 0.01), told["runs"][1]["keyword"], strict=True):
        assert accepts["false_accepts_wanted"] == wanted
        assert 0 <= accepts["false_accepts_asked"] < 1


def test_boards_stand_beside_the_runs():
    board = {
        "board": "cortex-m4",
        "encoder": "keyword",
        "flash": 30_000,
        "RAM": 6_000,
        "one window a second": 4,
        "four": 9,
    }
    rows = table([], [board, {**board, "form": "stream", "RAM": 7_000}])
    assert [row["value"] for row in rows if row["what"].startswith("Cortex-M4: RAM")] == [6_000, 7_000]
    assert rows[1]["what"] == "Cortex-M4: flash, bytes, keyword in a stream"


@pytest.mark.parametrize(
    ("name", "sentence"), [("nothing", "is no folder"), ("words", "has no files of george, jackson")]
)
def test_other_folders_are_refused_in_a_sentence(name, sentence, folder, monkeypatch, capsys, tmp_path):
    code = bench(monkeypatch, folder.parent / name, "--work", tmp_path / "models")
    assert sentence in f"{code}{capsys.readouterr().err}"
    assert not (tmp_path / "models").exists()
