import os
import pickle
import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from hypertorus.datasets import read_data
from hypertorus.files.cache import cache_folder
from hypertorus.sound.spectrogram import Spectrogram
from hypertorus.sound.wave import read_wave, resampled

SETTINGS = {"seconds": 0.25, "bands": 16}
SOUND = Spectrogram(**SETTINGS)
RATE = SOUND.rate


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def tone(hertz, seconds=0.25, rate=RATE, seed=0):
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(seed).normal(size=len(time))
    return (0.3 * np.sin(2 * np.pi * hertz * time) + 0.001 * noise).astype(np.float32)


def write(path, wave, rate=RATE):
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, wave, rate)
    return path


def fill(folder, files=6, suffix="wav", **options):
    """Two species of tones; returns the waves by their paths."""
    written = {}
    for species, hertz in (("owl", 500), ("wren", 4000)):
        for number in range(files):
            path = folder / species / f"{number}.{suffix}"
            written[path] = tone(hertz + 50 * number, seed=number, **options)
            write(path, written[path])
    return written


def everything(data):
    """All inputs and the names of their classes."""
    return [(part[row], data.classes[part.labels[row]]) for part in (data.train, data.test) for row in range(len(part))]


def assert_found(data, wave, label, atol=3e-4):
    """Some input of the data is the spectrogram of this wave, to what float16 keeps, and has this label."""
    wanted = SOUND.inputs(torch.tensor(wave))
    labels = [name for found, name in everything(data) if torch.allclose(found, wanted[0], atol=atol, rtol=0)]
    assert labels == [label]


@pytest.mark.parametrize("suffix, atol", [("wav", 3e-3), ("flac", 3e-3)])
def test_a_folder_of_species_becomes_the_spectrograms_of_its_files(tmp_path, suffix, atol):
    written = fill(tmp_path / "birds", suffix=suffix)
    data = read_data(str(tmp_path / "birds"), sound=SETTINGS)
    assert (data.name, data.classes, data.sound) == ("birds", ("owl", "wren"), SOUND)
    assert data.train.shape == SOUND.shape
    assert (data.train.labels.bincount().tolist(), data.test.labels.bincount().tolist()) == ([5, 5], [1, 1])
    for path, wave in written.items():
        assert_found(data, wave, path.parent.name, atol)  # 16 bits of the file are more than noise of 0.001 needs


@pytest.mark.parametrize("suffix", ["ogg", "mp3"])
def test_compressed_sounds_are_heard_too(tmp_path, suffix):
    fill(tmp_path / "birds", suffix=suffix)
    data = read_data(str(tmp_path / "birds"), sound=SETTINGS)
    loudest = {name: set() for name in data.classes}
    for found, name in everything(data):
        loudest[name].add(int(found[0].mean(dim=1).argmax()))
    assert max(loudest["owl"]) < min(loudest["wren"])


def test_parts_are_the_folders_train_and_test(tmp_path):
    fill(tmp_path / "birds" / "train", files=3)
    fill(tmp_path / "birds" / "test", files=2)
    data = read_data(str(tmp_path / "birds"), sound=SETTINGS)
    assert (len(data.train), len(data.test)) == (6, 4)


def test_channels_are_averaged_and_other_rates_resampled_as_librosa_does(tmp_path):
    golden = Path(__file__).parents[1] / "sound" / "golden"
    two_channels = runpy.run_path(str(golden / "make_librosa.py"))["two_channels"]()
    path = tmp_path / "stereo.wav"
    soundfile.write(path, two_channels, 44_100, subtype="FLOAT")
    wave = read_wave(path, RATE).numpy()
    with np.load(golden / "librosa.npz") as made:
        np.testing.assert_allclose(wave, made["resampled"], atol=1e-6)


def test_resampling_keeps_a_tone_a_tone():
    wave = resampled(torch.tensor(tone(1000, 1, 48_000)), 48_000, RATE)
    assert wave.shape == (RATE,)
    time = np.arange(RATE) / RATE
    middle = slice(1000, -1000)
    np.testing.assert_allclose(wave[middle], 0.3 * np.sin(2 * np.pi * 1000 * time)[middle], atol=0.004)


def test_a_long_file_has_several_windows_which_are_never_split(tmp_path):
    for species, hertz in (("owl", 500), ("wren", 4000)):
        for number in range(5):
            write(tmp_path / "birds" / species / f"{number}.wav", tone(hertz, seconds=1.3, seed=number))
    data = read_data(str(tmp_path / "birds"), sound=SETTINGS)
    assert len(data.train) + len(data.test) == 2 * 5 * 5
    assert (len(data.train), len(data.test)) == (40, 10)
    assert data.train.groups.bincount().tolist().count(5) == 8
    assert not set(data.train.groups.tolist()) & set(data.test.groups.tolist())
    rest, validation = data.with_validation(0.3)
    assert not set(rest.groups.tolist()) & set(validation.groups.tolist())


def test_the_window_is_the_median_length_up_to_six_seconds(tmp_path):
    fill(tmp_path / "birds", files=3, seconds=0.8)
    assert read_data(str(tmp_path / "birds")).sound == Spectrogram(seconds=0.8)
    assert read_data(str(tmp_path / "birds"), sound={"depth": 60}).sound == Spectrogram(seconds=0.8, depth=60)
    fill(tmp_path / "long", files=2, seconds=7)
    assert read_data(str(tmp_path / "long")).sound == Spectrogram()


def test_files_of_one_recording_are_on_one_side(tmp_path):
    for species in ("owl", "wren"):
        for recording in range(4):
            for number in range(3):
                write(tmp_path / "birds" / species / f"{species}{recording}_{number}.wav", tone(800, seed=number))
    data = read_data(str(tmp_path / "birds"), sound=SETTINGS)
    assert (len(data.train), len(data.test)) == (18, 6)
    assert not set(data.train.groups.tolist()) & set(data.test.groups.tolist())
    alone = read_data(str(tmp_path / "birds"), sound=SETTINGS, group="none")
    assert set(alone.test.groups.bincount().tolist()) == {0, 1}


def test_broken_files_are_reported_and_left_out_again_and_again(tmp_path):
    fill(tmp_path / "birds")
    (tmp_path / "birds" / "owl" / "broken.wav").write_bytes(b"no sound at all")
    write(tmp_path / "birds" / "owl" / "empty.wav", np.zeros(0, np.float32))
    soundfile.write(tmp_path / "birds" / "owl" / "nan.wav", np.full(4000, np.nan), RATE, subtype="FLOAT")
    for _ in range(2):  # from the cache as well
        with pytest.warns(UserWarning, match=r"3 of 15 sounds were left out.*broken.wav.*no samples.*NaN"):
            data = read_data(str(tmp_path / "birds"), sound=SETTINGS)
        assert len(data.train) + len(data.test) == 12


def test_a_folder_of_broken_files_alone_is_an_error(tmp_path):
    for species in ("owl", "wren"):
        (tmp_path / "birds" / species).mkdir(parents=True)
        (tmp_path / "birds" / species / "1.wav").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="none of the 2 sounds of birds could be read"):
        read_data(str(tmp_path / "birds"))


def test_a_csv_lists_clips_by_path_label_start_and_end(tmp_path):
    whole = np.concatenate([tone(500), tone(2000), tone(4000), tone(6000)])
    write(tmp_path / "sounds" / "a.wav", whole)
    write(tmp_path / "sounds" / "b.wav", tone(1000))
    write(tmp_path / "sounds" / "c.wav", tone(3000))
    (tmp_path / "clips.csv").write_text(
        "path,label,start,end\nsounds/a.wav,owl,0,0.25\nsounds/a.wav,wren,0.5,0.75\nsounds/b.wav,owl,,\n"
        "sounds/c.wav,wren,,\n"
    )
    data = read_data(str(tmp_path / "clips.csv"), sound=SETTINGS)
    assert (data.name, data.classes) == ("clips", ("owl", "wren"))
    assert len(data.train) + len(data.test) == 4
    assert_found(data, tone(500), "owl", atol=3e-3)
    assert_found(data, tone(4000), "wren", atol=3e-3)
    assert_found(data, tone(1000), "owl", atol=3e-3)


def test_a_csv_may_name_the_recordings(tmp_path):
    lines = ["path,label,group"]
    for number in range(12):
        write(tmp_path / f"{number}.wav", tone(500, seed=number))
        lines.append(f"{number}.wav,{'owl' if number % 2 else 'wren'},{number // 4}")
    (tmp_path / "clips.csv").write_text("\n".join(lines))
    data = read_data(str(tmp_path / "clips.csv"), sound=SETTINGS)
    assert sorted([len(data.train), len(data.test)]) == [4, 8]


@pytest.mark.parametrize(
    "line, sentence",
    [
        ("a.wav,owl,x,1", "line 2 of .* start 'x'"),
        ("a.wav,owl,2,1", "line 2 of .* has the end 1"),
        ("a.wav,owl,0,1", "only the label owl"),
    ],
)
def test_mistakes_in_a_csv_are_told(tmp_path, line, sentence):
    (tmp_path / "clips.csv").write_text(f"path,label,start,end\n{line}\n")
    with pytest.raises(ValueError, match=sentence):
        read_data(str(tmp_path / "clips.csv"))


@pytest.mark.parametrize("shape", [(-1,), (1, -1)])
def test_the_published_folders_of_tensors(tmp_path, shape):
    for species, hertz in (("amecro", 500), ("norcar", 4000), ("????", 2000)):
        (tmp_path / "ssw" / species).mkdir(parents=True)
        for number in range(3):
            wave = torch.tensor(tone(hertz, seed=number)).reshape(shape)
            torch.save(wave, tmp_path / "ssw" / species / f"{number}.pt")
    data = read_data(str(tmp_path / "ssw"), sound=SETTINGS)
    assert data.classes == ("amecro", "norcar")
    assert len(data.train) + len(data.test) == 6
    assert_found(data, tone(4000, seed=2), "norcar")


@pytest.mark.parametrize("new_format", [True, False])
def test_the_published_file_with_data_and_label(tmp_path, new_format):
    waves = torch.tensor(np.stack([tone(500 * number) for number in range(1, 7)]))
    content = {"data": waves, "label": torch.tensor([7, 7, 7, 3, 3, 3])}
    torch.save(content, tmp_path / "pow.pt", _use_new_zipfile_serialization=new_format)
    data = read_data(str(tmp_path / "pow.pt"))
    assert (data.name, data.classes, data.sound.seconds) == ("pow", ("3", "7"), 0.5)
    data = read_data(str(tmp_path / "pow.pt"), sound=SETTINGS)
    assert_found(data, tone(500), "7")
    assert_found(data, tone(3000), "3")


class Trap:
    def __reduce__(self):
        return os.mkdir, (os.environ["TRAP"],)


def test_nothing_in_a_tensor_file_is_executed(tmp_path, monkeypatch):
    monkeypatch.setenv("TRAP", str(tmp_path / "sprung"))
    torch.save({"data": Trap(), "label": torch.zeros(1)}, tmp_path / "pow.pt")
    with pytest.raises(ValueError, match="not a file of tensors alone"):
        read_data(str(tmp_path / "pow.pt"))
    for species in ("owl", "wren"):
        (tmp_path / "birds" / species).mkdir(parents=True)
        for number in range(2):
            torch.save(torch.tensor(tone(900)), tmp_path / "birds" / species / f"{number}.pt")
    torch.save(Trap(), tmp_path / "birds" / "owl" / "trap.pt")
    with pytest.warns(UserWarning, match=r"1 of 5 sounds were left out.*trap.pt"):
        read_data(str(tmp_path / "birds"), sound=SETTINGS)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    "content, sentence",
    [
        ({"data": torch.zeros(3, 9)}, "no `data` and `label`"),
        ({"data": torch.zeros(3, 9), "label": torch.zeros(2)}, "give each of its waves one"),
        (torch.zeros(4), "no `data` and `label`"),
    ],
)
def test_other_tensor_files_are_refused(tmp_path, content, sentence):
    torch.save(content, tmp_path / "a.pt")
    with pytest.raises(ValueError, match=sentence):
        read_data(str(tmp_path / "a.pt"))


def cached():
    return sorted(cache_folder("sounds").iterdir())


def test_spectrograms_are_computed_once_and_again_when_a_file_or_a_setting_changes(tmp_path):
    written = fill(tmp_path / "birds")
    calls = []
    read_data(str(tmp_path / "birds"), sound=SETTINGS, progress=lambda *done: calls.append(done))
    assert calls == [(number, 12) for number in range(1, 13)]
    (file,) = cached()
    stamp = file.stat().st_mtime_ns
    read_data(str(tmp_path / "birds"), sound=SETTINGS, progress=lambda *done: calls.append(done))
    assert len(calls) == 12
    assert (cached(), file.stat().st_mtime_ns) == ([file], stamp)
    changed = write(next(iter(written)), tone(7000))
    data = read_data(str(tmp_path / "birds"), sound=SETTINGS)
    assert len(cached()) == 2
    assert_found(data, tone(7000), changed.parent.name, atol=3e-3)
    read_data(str(tmp_path / "birds"), sound={"seconds": 0.25, "bands": 17})
    assert len(cached()) == 3


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_cache_is_computed_again(tmp_path, damage):
    fill(tmp_path / "birds")
    before = everything(read_data(str(tmp_path / "birds"), sound=SETTINGS))
    (file,) = cached()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes({"cut": content[: len(content) // 2], "flip": content, "empty": b""}[damage])
    after = everything(read_data(str(tmp_path / "birds"), sound=SETTINGS))
    assert all(torch.equal(one, other) for (one, _), (other, _) in zip(before, after, strict=True))
    assert cached() == [file]


def test_many_files_are_read_in_processes_with_the_same_result(tmp_path):
    written = fill(tmp_path / "birds", files=12)  # more than are read in one process
    (tmp_path / "birds" / "owl" / "broken.wav").write_bytes(b"no sound at all")
    with pytest.warns(UserWarning, match="1 of 25 sounds"):
        data = read_data(str(tmp_path / "birds"), sound=SETTINGS)
    for path, wave in list(written.items())[::6]:
        assert_found(data, wave, path.parent.name, atol=3e-3)


def test_a_part_is_given_to_another_process_by_its_file(tmp_path):
    fill(tmp_path / "birds")
    part = read_data(str(tmp_path / "birds"), sound=SETTINGS).train
    content = pickle.dumps(part)
    assert len(content) < 5000
    again = pickle.loads(content)
    assert torch.equal(again.__getitems__([1, 3]), part.__getitems__([1, 3]))
    assert torch.equal(again.labels, part.labels)


def test_options_of_sounds_mean_nothing_for_others(tmp_path):
    for options in ({"sound": SETTINGS}, {"group": "stem"}):
        with pytest.raises(ValueError, match="has no meaning for digits"):
            read_data("digits", **options)
    fill(tmp_path / "birds", files=2)
    with pytest.raises(ValueError, match="size is 32, which has no meaning"):
        read_data(str(tmp_path / "birds"), size=32)


@pytest.mark.parametrize("name, species", [("birds6", 6), ("birds225", 20)])
def test_real_birds_are_read_and_split_by_recording(tmp_path, name, species):
    folder = Path(__file__).parents[2] / "../shared/data" / name
    if not folder.exists():
        pytest.skip(f"{name} is not beside the project")
    for place in sorted(folder.iterdir())[:species]:
        (tmp_path / name / place.name).mkdir(parents=True)
        for file in sorted(place.iterdir())[:10]:
            (tmp_path / name / place.name / file.name).symlink_to(file.resolve())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = read_data(str(tmp_path / name))
    assert len(data.classes) == species
    assert 2 <= data.sound.seconds <= 3
    assert not set(data.train.groups.tolist()) & set(data.test.groups.tolist())
    assert 0.1 < len(data.test) / (len(data.train) + len(data.test)) < 0.3


def test_a_tensor_file_that_changed_is_read_again(tmp_path):
    for hertz in (500, 4000):
        waves = torch.tensor(np.stack([tone(hertz, seed=number) for number in range(4)]))
        torch.save({"data": waves, "label": torch.tensor([0, 1, 0, 1])}, tmp_path / "pow.pt")
        assert_found(read_data(str(tmp_path / "pow.pt"), sound=SETTINGS), tone(hertz, seed=2), "0")
