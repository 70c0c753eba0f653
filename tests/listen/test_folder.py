"""The folder of an index of recordings: what is opened is what was saved, whole, or it is an error."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from hypertorus.listen.index import SoundIndex
from hypertorus.sound.spectrogram import Spectrogram

RATE = Spectrogram().rate


def test_what_is_opened_is_what_was_saved(tmp_path, place, sounds):
    sounds.save(tmp_path / "sounds")
    opened = SoundIndex.open(tmp_path / "sounds")
    assert (opened.folder, opened.left_out) == (place / "recordings", ())
    query = place / "recordings" / "near" / "wren.flac"
    assert opened.search(query, 30) == sounds.search(query, 30)
    lines = (tmp_path / "sounds" / "clips.csv").read_text().splitlines()
    assert lines[:3] == ["id,path,start,end", '0,"far/away/Goldcrest, [male].WAV",0,0.3', "1,far/long.wav,0,0.5"]
    weights = "model.safetensors"
    assert (tmp_path / "sounds" / "model" / weights).read_bytes() == (place / "model" / weights).read_bytes()
    config = json.loads((tmp_path / "sounds" / "model" / "config.json").read_text())
    assert config["training"] == {"epochs": 3}
    sounds.save(tmp_path / "sounds")
    assert [path.name for path in tmp_path.iterdir()] == ["sounds"]


@pytest.mark.parametrize("hertz, start", [(300, 0), (600, 0.25), (1200, 0.5), (2400, 0.75), (4800, 1)])
def test_the_golden_index_of_version_1(tmp_path, hertz, start, write):
    opened = SoundIndex.open(Path(__file__).parent / "golden" / "sounds_v1")
    time = np.arange(4000) / RATE
    query = write(tmp_path / "query.wav", 0.3 * np.sin(2 * np.pi * hertz * time))
    first, second = opened.search(query, 2)
    assert first[:3] == ("sweep.wav", start, start + 0.25)
    assert first.distance < 0.01
    assert second.distance > 0.08


def test_names_of_any_kind_come_back(tmp_path, place, tones, write):
    names = ['a "b", c.wav', "mésange.wav", "new\nline.wav", "re\rturn.wav"]
    for name in names:
        write(tmp_path / "odd" / name, tones(500))
    SoundIndex.build(tmp_path / "odd", place / "model").save(tmp_path / "sounds")
    assert SoundIndex.open(tmp_path / "sounds").windows.paths == names


def test_recordings_are_found_where_they_were_and_after_a_move_together(tmp_path, place):
    shutil.copytree(place / "recordings", tmp_path / "disk" / "recordings")
    SoundIndex.build(tmp_path / "disk" / "recordings", place / "model").save(tmp_path / "disk" / "sounds")
    (tmp_path / "disk" / "sounds").rename(tmp_path / "alone")
    assert SoundIndex.open(tmp_path / "alone").folder == tmp_path / "disk" / "recordings"
    (tmp_path / "alone").rename(tmp_path / "disk" / "sounds")
    (tmp_path / "disk").rename(tmp_path / "other disk")
    assert SoundIndex.open(tmp_path / "other disk" / "sounds").folder == tmp_path / "other disk" / "recordings"
    (tmp_path / "other disk" / "recordings").rename(tmp_path / "gone")
    assert SoundIndex.open(tmp_path / "other disk" / "sounds").folder == tmp_path / "disk" / "recordings"


@pytest.mark.parametrize("name", ["index.safetensors", "clips.csv", "model/config.json", "model/model.safetensors"])
@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_a_damaged_index_is_told(tmp_path, sounds, name, damage):
    sounds.save(tmp_path / "sounds")
    file = tmp_path / "sounds" / name
    content = file.read_bytes()
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(content[:-3] if damage == "cut" else content[:-3] + bytes([content[-3] ^ 1]) + content[-2:])
    with pytest.raises((ValueError, FileNotFoundError), match=file.name):
        SoundIndex.open(tmp_path / "sounds")


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("{", "is not valid JSON"),
        ("[]", "does not belong to an index of sounds"),
        ('{"format": "hypertorus-model"}', "does not belong to an index of sounds"),
        (
            '{"format": "hypertorus-sound-index", "format_version": 2}',
            "has format version 2, and this hypertorus reads 1",
        ),
        ('{"format": "hypertorus-sound-index", "format_version": 1}', "was changed, or is damaged"),
    ],
)
def test_other_facts_are_told(tmp_path, sounds, text, sentence):
    sounds.save(tmp_path / "sounds")
    (tmp_path / "sounds" / "sounds.json").write_text(text)
    with pytest.raises(ValueError, match=sentence):
        SoundIndex.open(tmp_path / "sounds")


def test_a_model_of_another_index_is_told(tmp_path, sounds, model):
    sounds.save(tmp_path / "sounds")
    model(seed=1).save(tmp_path / "sounds" / "model")
    with pytest.raises(ValueError, match=r"config\.json does not match its checksum in sounds\.json"):
        SoundIndex.open(tmp_path / "sounds")


def forge(folder, change):
    """Change `clips.csv` as a stranger would, who makes the checksums fit."""
    file, facts = folder / "clips.csv", json.loads((folder / "sounds.json").read_text())
    file.write_text(change(file.read_text()))
    facts["sha256"]["clips.csv"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (folder / "sounds.json").write_text(json.dumps(facts))


@pytest.mark.parametrize(
    "name",
    ["../private/secret.wav", "/etc/secret.wav", "a/../../b.wav", "..\\b.wav", "C:\\b.wav", "C:b.wav", "a\0.wav"],
)
def test_a_path_that_leads_out_of_the_recordings_is_told(tmp_path, sounds, name):
    sounds.save(tmp_path / "sounds")
    forge(tmp_path / "sounds", lambda text: text.replace("owl.wav", name))
    with pytest.raises(ValueError, match=r"clips\.csv is not a table of windows"):
        SoundIndex.open(tmp_path / "sounds")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.rsplit("\n", 2)[0] + "\n",
        lambda text: text + "146,owl.wav,1.5,2\n",
        lambda text: text + "146,owl.wav\n",
        lambda text: text.replace("0,0.3", "0,nan"),
        lambda text: text.replace("0,0.3", "9,0.3"),
        lambda text: text.replace("0,0.3", "zero,0.3"),
        lambda text: text.replace("owl.wav", "owl" * 100_000),
        lambda _: "",
    ],
)
def test_a_table_of_other_windows_is_told(tmp_path, sounds, change):
    sounds.save(tmp_path / "sounds")
    forge(tmp_path / "sounds", change)
    with pytest.raises(ValueError, match=r"clips\.csv is not a table of windows"):
        SoundIndex.open(tmp_path / "sounds")


def test_weights_of_another_model_are_told(tmp_path, sounds, model):
    sounds.save(tmp_path / "sounds")
    model(seed=1).save(tmp_path / "other")
    (tmp_path / "other" / "model.safetensors").replace(tmp_path / "sounds" / "model" / "model.safetensors")
    with pytest.raises(ValueError, match=r"model\.safetensors is not of the model that made the codes"):
        SoundIndex.open(tmp_path / "sounds")


def test_nothing_but_an_index_of_sounds_is_replaced(tmp_path, sounds):
    (tmp_path / "mine").mkdir()
    sounds.save(tmp_path / "mine")  # there was nothing in it
    (tmp_path / "mine" / "thesis.txt").write_text("all my work")
    with pytest.raises(ValueError, match=r"mine holds thesis\.txt, which does not belong to an index of sounds"):
        sounds.save(tmp_path / "mine")
    with pytest.raises(ValueError, match=r"thesis\.txt is a file"):
        sounds.save(tmp_path / "mine" / "thesis.txt")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "all my work"


def test_a_save_that_fails_leaves_what_was_there(tmp_path, place, sounds):
    sounds.save(tmp_path / "sounds")
    broken = SoundIndex.build(place / "recordings" / "near", place / "model")
    broken.model.mean.fill_(torch.nan)
    for name in ("sounds", "others"):
        with pytest.raises(ValueError, match="NaN"):
            broken.save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["sounds"]
    assert len(SoundIndex.open(tmp_path / "sounds").index) == 146


def test_what_a_killed_save_left_is_swept_away_an_hour_later(tmp_path, sounds):
    for name, age in ((".sounds.12345678.partial", 4000), (".sounds.87654321.partial", 10)):
        (tmp_path / name / "model").mkdir(parents=True)
        for path in (tmp_path / name / "model", tmp_path / name):
            os.utime(path, (time.time() - age,) * 2)
    sounds.save(tmp_path / "sounds")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".sounds.87654321.partial", "sounds"]


def test_a_folder_that_got_the_number_of_a_deleted_one_is_another(tmp_path, sounds, monkeypatch):
    """File systems give numbers again: of three saves, the third may have the number of the first."""
    sounds.save(tmp_path / "sounds")
    status, read = Path.stat, SoundIndex._open

    def numbered(path, **options):
        found = status(path, **options)
        if path != tmp_path / "sounds":
            return found
        times = {"st_mtime_ns": found.st_mtime_ns, "st_ctime_ns": found.st_ctime_ns}
        return os.stat_result((found.st_mode, 7, *found[2:]), times)

    def mixed(place):
        monkeypatch.setattr(SoundIndex, "_open", read)
        time.sleep(0.02)  # longer than a tick of the clock of files
        sounds.save(place)
        raise ValueError("it has 4 windows, and there are 240 codes")

    monkeypatch.setattr(Path, "stat", numbered)
    monkeypatch.setattr(SoundIndex, "_open", mixed)
    assert len(SoundIndex.open(tmp_path / "sounds").index) == len(sounds.index)


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="needs fork, and names that are exchanged")
def test_killed_saves_leave_the_old_folder_or_the_new(tmp_path):
    script = Path(__file__).parent / "killed_sound_saves.py"
    command = [sys.executable, str(script), str(tmp_path), "20"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("20 saves killed")
