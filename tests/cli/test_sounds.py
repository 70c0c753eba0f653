"""`hypertorus sounds`, as a field person meets it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

import hypertorus
from hypertorus.listen import SoundIndex
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.spectrogram import Spectrogram

SOUND = Spectrogram(seconds=0.5, bands=32)
RATE = SOUND.rate


def tones(*hertz, seconds=0.5):
    time = np.arange(round(seconds * RATE)) / RATE
    return 0.3 * np.sin(2 * np.pi * np.array(hertz)[:, None] * time).ravel()


@pytest.fixture
def run(run):
    """Run the command in a folder with recordings and a model."""
    Path("recordings", "night").mkdir(parents=True)
    soundfile.write("recordings/owl.wav", tones(400, 420, 440), RATE)
    soundfile.write("recordings/night/[red] wren.wav", tones(*range(2000, 5000, 200)), RATE)
    torch.manual_seed(0)
    Model(encoder("small-audio:4", SOUND.shape), SOUND.shape, 16, "torusN", sound=SOUND).save("model")
    soundfile.write("query.wav", tones(2600), RATE)

    return run


def test_from_a_folder_to_neighbours_by_two_commands(run):
    code, out, err = run("sounds", "index", "recordings", "model")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "18 clips of 2 files, 0.1 minutes of sound: sounds",
        "Search it: hypertorus sounds search SOUND --report page.html",
        "Answer and learn on a page: hypertorus explore sounds",
    ]
    files = {str(path.relative_to("sounds")) for path in Path("sounds").rglob("*") if path.is_file()}
    assert files == {"index.safetensors", "clips.csv", "sounds.json", "model/config.json", "model/model.safetensors"}

    code, out, err = run("sounds", "search", "query.wav", "-k", 3, "--report", "pages/page.html")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["file", "label", "from", "to", "distance"] in lines
    assert ["night/[red]", "wren.wav", "night", "0:01.5", "0:02.0", "0.0000"] in lines
    assert "Vote: night, 3 of 3." in out
    assert "distance: 0 is the same code, 1 the largest; random codes have 0.50." in out
    assert out.endswith("The page: pages/page.html\n")
    assert Path("pages/page.html").read_text().count("<audio ") == 4
    assert [path.name for path in Path("pages").iterdir()] == ["page.html"]


def test_scripts_get_json(run):
    options = ("--out", "built/here", "--bits", 8, "--metric", "l1", "--json")
    facts = json.loads(run("sounds", "index", "recordings", "model", *options)[1])
    assert facts == {
        "folder": "built/here",
        "recordings": str(Path("recordings").absolute()),
        "files": 2,
        "clips": 18,
        "seconds": pytest.approx(9),
        "dim": 8,
        "bits": 8,
        "metric": "l1",
        "cells": 0,
        "share": 1.0,
        "model": hypertorus.load("model").fingerprint,
        "ear": "spectrogram",
        "window": 0.5,
        "left_out": [],
    }
    soundfile.write("query.wav", tones(420, 3200), RATE)
    found = json.loads(run("sounds", "search", "query.wav", "--index", "built/here", "-k", 2, "--json")[1])
    assert (found["query"], found["folder"]) == ("query.wav", str(Path("recordings").absolute()))
    first, second = sorted(found["matches"], key=lambda match: match["at"])
    assert first == {"path": "owl.wav", "start": 0.5, "end": 1.0, "distance": 0.0, "at": 0.0, "label": ""}
    assert second == {
        "path": "night/[red] wren.wav",
        "start": 3.0,
        "end": 3.5,
        "distance": 0.0,
        "at": 0.5,
        "label": "night",
    }
    alone = json.loads(run("sounds", "search", "query.wav", "--index", "built/here", "-k", 2, "--at", 0.5, "--json")[1])
    assert alone["matches"][0] == second
    assert {match["at"] for match in alone["matches"]} == {0.5}


def test_the_second_of_a_longer_query_is_said(run):
    run("sounds", "index", "recordings", "model")
    soundfile.write("query.wav", tones(420, 3200), RATE)
    out = run("sounds", "search", "query.wav", "-k", 2)[1]
    assert "like the query from" in out
    lines = [line.split() for line in out.splitlines()]
    assert ["owl.wav", "0:00.5", "0:01.0", "0.000", "0:00.0"] in lines
    assert ["night/[red]", "wren.wav", "night", "0:03.0", "0:03.5", "0.000", "0:00.5"] in lines
    assert "like the query from" not in run("sounds", "search", "query.wav", "--at", 0.5)[1]


def test_a_recording_does_not_find_itself_unless_it_may(run):
    run("sounds", "index", "recordings", "model")
    assert "owl.wav " in run("sounds", "search", "recordings/owl.wav", "-k", 3)[1]
    lines = run("sounds", "search", "recordings/owl.wav", "-k", 3, "--not-itself")[1].splitlines()
    assert sum(line.strip().startswith("night/[red] wren.wav") for line in lines) == 3


def test_broken_files_are_named_and_left_out(run):
    for number in range(5):
        Path(f"recordings/broken{number}.flac").write_bytes(b"no sound")
    code, out, err = run("sounds", "index", "recordings", "model")
    assert code == 0
    assert err.startswith("hypertorus: 5 of 7 sounds could not be read, or not to their end. ")
    assert "broken0.flac is not a readable sound" in err
    assert err.endswith("And 2 more.\n")
    assert "18 clips of 2 files" in out
    assert "All files that could not be read are listed in sounds/sounds.json." in out
    assert len(json.loads(Path("sounds/sounds.json").read_text())["left_out"]) == 5


def test_an_index_is_replaced_when_asked_and_nothing_else_is(run):
    run("sounds", "index", "recordings", "model")
    assert "sounds, which already exists; pass --force" in run("sounds", "index", "recordings", "model")[2]
    assert "2 files" in run("sounds", "index", "recordings", "model", "--force")[1]
    assert (
        "holds night, which does not belong to"
        in run("sounds", "index", "recordings", "model", "--force", "--out", "recordings")[2]
    )
    assert Path("recordings/owl.wav").exists()


def test_an_index_says_what_it_is_and_grows(run):
    run("sounds", "index", "recordings", "model")
    for command in (("sounds", "info", "sounds"), ("index", "info", "sounds")):
        lines = {" ".join(line.split()) for line in run(*command)[1].splitlines()}
        assert {"files 2", "clips 18", "dim 8", "bits 8", "metric cosine", "left_out 0"} <= lines
    assert run("sounds", "add", "sounds", "recordings")[1].endswith("No new files.\n")
    soundfile.write("recordings/jay.wav", tones(700, 720), RATE)
    Path("elsewhere").mkdir()
    soundfile.write("elsewhere/tit.wav", tones(6000), RATE)
    assert "20 clips of 3 files" in run("sounds", "add", "sounds", "recordings")[1]
    assert json.loads(run("index", "add", "sounds", "elsewhere", "--json")[1])["clips"] == 21
    for query, name in (2 * ("recordings/jay.wav",), 2 * ("elsewhere/tit.wav",)):
        first = json.loads(run("sounds", "search", query, "-k", 1, "--json")[1])["matches"][0]
        assert (first["path"], first["distance"]) == (name, 0.0)
    others = json.loads(run("sounds", "search", "elsewhere/tit.wav", "--not-itself", "--json")[1])["matches"]
    assert "elsewhere/tit.wav" not in {match["path"] for match in others}
    assert run("sounds", "search", "query.wav", "--report", "page.html")[0] == 0


def test_an_index_is_shrunk_and_searched_and_grows(run):
    run("sounds", "index", "recordings", "model")
    code, _, err = run("index", "shrink", "sounds", "--coordinates", 4, "--bits", 4, "--out", "small")
    assert (code, err.strip()) == (0, "")
    whole, small = SoundIndex.open("sounds"), SoundIndex.open("small")
    ids = whole.index.ids
    np.testing.assert_array_equal(small.index.vectors(ids), whole.index.vectors(ids)[:, :4] >> 4)
    assert small.search("query.wav", 1)[0].distance == 0
    Path("more").mkdir()
    soundfile.write("more/new.wav", tones(700, 710), RATE)
    assert run("index", "add", "small", "more")[0] == 0
    assert len(SoundIndex.open("small").index) == len(ids) + 2


def test_the_same_clip_has_the_same_code_by_embed_and_in_the_index(run, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    for number in range(30):
        soundfile.write(f"recordings/{number:02}.wav", rng.normal(size=8000) / 10 + tones(100 * number + 300), RATE)
    run("sounds", "index", "recordings", "model")
    run("encode", "model", "recordings", "--out", "codes.safetensors")
    index, record = SoundIndex.open("sounds"), hypertorus.read_embeddings("codes.safetensors")
    rows = {(name, start): row for name, start, row in zip(record.names, record.starts, record.rows, strict=True)}
    assert len(rows) == len(index.index) == 48
    for number, code in enumerate(index.index.vectors(index.index.ids)):
        name, start, _ = index.windows[number]
        assert rows[name, start].tolist() == code.tolist()


def test_words_that_are_no_commands_are_told(run):
    code, _, err = run("index", "info", "nowhere.safetensors")
    assert (code, err) == (1, "hypertorus: there is no file nowhere.safetensors; check its name.")
    assert run("index", "nowhere", "model") == (
        1,
        "",
        "hypertorus: there is no folder nowhere; index recordings with: hypertorus sounds index RECORDINGS MODEL",
    )
    assert "recordings is not a command of `hypertorus index`" in run("index", "recordings", "model")[2]
    assert "Missing argument" in run("sounds", "index", "recordings")[2]


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (("sounds", "index", "model", "model"), "model has no sounds (.wav, .flac, .ogg, .mp3)"),
        (("sounds", "index", "nowhere", "model"), "there is no folder"),
        (("sounds", "index", "recordings", "recordings"), "recordings has no config.json; pass the folder"),
        (("sounds", "index", "recordings", "model", "--metric", "dot"), "metric is 'dot'; there are"),
        (
            ("sounds", "search", "query.wav"),
            "there is no folder sounds; make it with: hypertorus sounds index RECORDINGS MODEL",
        ),
        (
            ("sounds", "search", "query.wav", "--index", "model"),
            "model is not an index of sounds; make one with: hypertorus sounds index",
        ),
        (("search", "recordings", "q.npy"), "search it with: hypertorus sounds search SOUND --index recordings"),
    ],
)
def test_what_the_user_can_mend_is_one_sentence(run, arguments, complaint):
    before = set(Path().rglob("*"))
    code, out, said = run(*arguments)
    assert (code, out) == (1, "")
    assert complaint in said
    assert "\n" not in said
    assert set(Path().rglob("*")) == before


def test_help_teaches(run):
    assert "Example: hypertorus sounds index recordings/ model/" in run("sounds", "index", "--help")[1]
    shown = run("sounds", "search", "--help")[1]
    assert "Example: hypertorus sounds search query.wav --report page.html" in shown
    assert "random codes have 0.5" in shown


def test_interrupting_leaves_what_was_encoded_and_nothing_else(run, unmeasured):
    assert run("sounds", "index", "recordings", "model", "--out", "other")[0] == 0
    soundfile.write("recordings/minute.wav", tones(*range(100, 7100, 70), seconds=0.6), RATE)
    for number in range(400):
        os.link("recordings/minute.wav", f"recordings/minute{number}.wav")
    before = sorted(path.name for path in Path().iterdir())
    command = [sys.executable, "-c", "from hypertorus.cli import main; main()", "sounds", "index", "recordings"]
    command += ["model"]
    options = {"env": unmeasured, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen(command, **options) as process:
        wait_until_it_listens(process)
        os.killpg(process.pid, signal.SIGINT)  # to all of its processes, as a terminal does
        _, stderr = process.communicate()
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert {path.name for path in Path().iterdir()} - {".sounds.encoded"} == set(before)


def test_recordings_are_forgotten(run):
    assert run("sounds", "index", "recordings", "model", "--out", "sounds")[0] == 0
    facts = json.loads(run("sounds", "info", "sounds", "--json")[1])
    assert (facts["files"], facts["ear"], facts["window"]) == (2, "spectrogram", 0.5)
    gone = "night/[red] wren.wav"
    code, out, _ = run("sounds", "remove", "sounds", gone)
    assert code == 0
    assert "1 files forgotten." in out
    assert json.loads(run("sounds", "info", "sounds", "--json")[1])["files"] == 1
    code, _, err = run("sounds", "remove", "sounds", gone)
    assert (code, err.startswith(f"hypertorus: the index has no recording {gone}; name one as")) == (1, True)
    code, out, _ = run("sounds", "add", "sounds", "recordings")
    assert "1 new files." in out


def wait_until_it_listens(process):
    """It does when it has processes of its own that read files, or has worked for so long that it must be at it."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    end = time.monotonic() + 15
    while time.monotonic() < end and process.poll() is None:
        if children.exists() and children.read_text().split():
            return
        time.sleep(0.05)


def test_recordings_are_varied(run):
    for name in ("owl", "jay"):
        Path("birds", name).mkdir(parents=True)
        soundfile.write(f"birds/{name}/1.wav", tones(500), RATE)
    code, out, err = run("sounds", "vary", "birds", "--out", "varied", "--times", 2)
    assert (code, out, err) == (0, "6 sounds: varied\n", "")
    assert len(list(Path("varied").glob("*/1-*.flac"))) == 6
    code, _, said = run("sounds", "vary", "birds", "--out", "varied")
    assert code == 1
    assert "--out is varied, which already exists; choose a new folder" in said
    assert run("sounds", "vary", "nowhere", "--out", "new")[2] == (
        "hypertorus: there is no folder nowhere; pass one with a folder for each class."
    )


def test_vectors_that_cannot_be_written_are_not_computed(run):
    """The folder is not there either, which would be said if it were looked at."""
    Path("old.safetensors").touch()
    assert "--out is v.txt; embeddings are written as" in run("sounds", "vectors", "nowhere", "--out", "v.txt")[2]
    assert "already exists; pass --force" in run("sounds", "vectors", "nowhere", "--out", "old.safetensors")[2]
    said = run("sounds", "vectors", "nowhere", "--out", "no/v.npy")[2]
    assert "nothing can be written to no/v.npy: there is no folder no" in said
