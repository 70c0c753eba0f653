"""Classes are learnt from a few sounds and found in recordings; a run that was stopped goes on where it was."""

import json
import os
import sys
import time
from multiprocessing import get_context

import numpy as np
import pytest
import torch

from hypertorus.annotations import read_annotations
from hypertorus.classes import read_classes
from hypertorus.listen import detect as public_detect
from hypertorus.listen.detector import detect
from hypertorus.listen.examples import learn
from hypertorus.models import load


def sweep(hertz, seed, seconds=0.5):
    """A tone of about this pitch that rises, in noise."""
    rng, along = np.random.default_rng(seed), np.arange(round(seconds * 16_000)) / 16_000
    pitch = hertz * rng.uniform(0.97, 1.03)
    return 0.3 * np.sin(2 * np.pi * (pitch + 300 * along) * along) + 0.01 * rng.normal(size=len(along))


def hiss(seconds, seed=0):
    return 0.01 * np.random.default_rng(seed).normal(size=round(seconds * 16_000))


@pytest.fixture(scope="module")
def here(tmp_path_factory, model, write):
    """A model, five examples of two classes and of noise, and recordings with some of each."""
    place = tmp_path_factory.mktemp("detect")
    model().save(place / "model")
    for number in range(5):
        for name, hertz in (("low", 700), ("high", 4000)):
            write(place / "examples" / name / f"{number}.wav", sweep(hertz, number))
        write(place / "examples" / "noise" / f"{number}.wav", hiss(0.5, number))
    night = np.concatenate([hiss(2), sweep(700, 10), sweep(700, 11), hiss(1.5, 3), sweep(4000, 12), hiss(2, 4)])
    write(place / "recordings" / "site" / "night.wav", night)
    write(place / "recordings" / "quiet.wav", hiss(3, 5))
    write(place / "recordings" / "short.wav", sweep(700, 13, seconds=0.2))
    write(place / "recordings" / "silent.wav", np.zeros(16_000))
    (place / "recordings" / "broken.wav").write_text("no sound")
    learn(place / "examples", load(place / "model")).examples.save(place / "classes.safetensors")
    return place


@pytest.fixture
def run(here, tmp_path):
    def call(**options):
        options = {"classes": here / "classes.safetensors", **options}
        return detect(here / "recordings", here / "model", tmp_path / "out", **options)

    return call


def test_what_was_taught_is_found_where_it_is(run, tmp_path):
    found = run(formats=("raven", "audacity", "birdnet", "parquet"))
    by_path = {heard.path: heard for heard in found.recordings}
    night = by_path["site/night.wav"]
    assert [event.label for event in night.events] == ["low", "high"]
    for event, (start, end) in zip(night.events, [(2.0, 3.0), (4.5, 5.0)], strict=True):
        assert start - 0.3 < event.start <= start + 0.1
        assert end - 0.1 <= event.end < end + 0.3
        assert 0.5 <= event.score <= 1
        assert 0 < event.distance < 0.2
        assert (event.low, event.high) == (50, 8000)
    assert found.counts == {"high": 1, "low": 1}
    expected = sorted(night.events, key=lambda event: event.start)
    together = tmp_path / "out" / "detections.selections.txt"
    assert read_annotations(together) == expected
    assert read_annotations(tmp_path / "out" / "raven" / "site" / "night.wav.selections.txt") == expected
    assert read_annotations(tmp_path / "out" / "detections.parquet") == expected
    assert [event.label for event in read_annotations(tmp_path / "out" / "detections.birdnet.csv")] == ["low", "high"]
    before = sum(by_path[path].seconds for path in ("broken.wav", "quiet.wav", "short.wav", "silent.wav"))
    first = together.read_text().splitlines()[1].split("\t")
    assert float(first[3]) == pytest.approx(before + expected[0].start)


def test_what_cannot_be_judged_says_so(run, tmp_path):
    found = run()
    notes = {heard.path: heard.note for heard in found.recordings}
    assert notes["short.wav"] == "short.wav has 0.2 s, less than a window of 0.5 s: it is not judged."
    assert notes["silent.wav"] == "silent.wav is silent: it is not judged."
    assert "broken.wav is not a readable sound" in notes["broken.wav"]
    assert notes["quiet.wav"] == notes["site/night.wav"] == ""
    quiet = next(heard for heard in found.recordings if heard.path == "quiet.wav")
    assert (quiet.events, quiet.nothing, quiet.windows) == ((), 11, 11)
    written = {path.name for path in (tmp_path / "out" / "raven").rglob("*.txt")}
    assert written == {"quiet.wav.selections.txt", "night.wav.selections.txt"}  # an empty table says: nothing was there


def stamps(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder / "done").rglob("*.json")}


def test_what_is_done_is_not_done_again_unless_it_changed(run, here, tmp_path):
    assert run().new == 5
    before = stamps(tmp_path / "out")
    again = run(formats=("raven", "audacity"))
    assert again.new == 1  # the one that could not be read
    assert (tmp_path / "out" / "audacity" / "site" / "night.wav.labels.txt").exists()
    quiet = here / "recordings" / "quiet.wav"
    os.utime(quiet, ns=(1, quiet.stat().st_mtime_ns + 1))
    assert run().new == 2
    after = stamps(tmp_path / "out")
    assert {name for name in after if after[name] != before[name]} == {"quiet.wav.json", "broken.wav.json"}
    (tmp_path / "out" / "done" / "site" / "night.wav.json").write_text('{"path": 3')
    assert run().new == 2  # a damaged record is none


def test_other_settings_are_refused_or_begin_anew(run, tmp_path):
    run()
    with pytest.raises(ValueError, match=r"was begun with threshold 0\.5, and now it is 0\.7; pass --restart"):
        run(threshold=0.7)
    (tmp_path / "out" / "mine.txt").write_text("notes")
    assert run(threshold=0.7, restart=True).new == 5
    assert (tmp_path / "out" / "mine.txt").read_text() == "notes"


def test_a_folder_of_something_else_is_left_alone(run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("all my work")
    for restart in (False, True):
        with pytest.raises(ValueError, match=r"holds thesis\.txt, which is not of detections"):
            run(restart=restart)
    assert [path.name for path in (tmp_path / "out").iterdir() if path.suffix != ".lock"] == ["thesis.txt"]


def in_one_thread(*arguments, **options):
    """Run in a fork, as the workers of a data loader do."""
    torch.set_num_threads(1)
    detect(*arguments, **options)


@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
def test_a_killed_run_goes_on_where_it_was(here, tmp_path, write):
    for number in range(12):
        write(tmp_path / "many" / f"{number:02}.wav", np.concatenate([hiss(5, number), sweep(700, number)]))
    arguments, options = [tmp_path / "many", here / "model"], {"classes": here / "classes.safetensors"}
    process = get_context("fork").Process(target=in_one_thread, args=(*arguments, tmp_path / "out"), kwargs=options)
    process.start()
    deadline = time.monotonic() + 120
    while len(stamps(tmp_path / "out")) < 3:
        assert process.is_alive()
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.kill()
    process.join()
    before = stamps(tmp_path / "out")
    assert not (tmp_path / "out" / "detections.selections.txt").exists()
    found = detect(*arguments, tmp_path / "out", **options)
    assert found.new == 12 - len(before) < 12
    after = stamps(tmp_path / "out")
    assert {name: after[name] for name in before} == before
    whole = detect(*arguments, tmp_path / "whole", **options)
    assert whole.recordings == found.recordings
    for name in ("detections.selections.txt", "raven/03.wav.selections.txt"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_classes_grow_with_examples(here, tmp_path):
    network = load(here / "model")
    for name in ("low", "noise"):
        (tmp_path / "some" / name).mkdir(parents=True)
        for path in sorted((here / "examples" / name).iterdir())[:3]:
            os.link(path, tmp_path / "some" / name / path.name)
    few, all_of_them = learn(tmp_path / "some", network), read_classes(here / "classes.safetensors")
    few.with_examples([all_of_them]).examples.save(tmp_path / "grown.safetensors")
    assert (tmp_path / "grown.safetensors").read_bytes() == (here / "classes.safetensors").read_bytes()
    assert few.counts == {"low": 3, "noise": 3}


def test_examples_that_cannot_be_learnt_are_told(here, tmp_path, write):
    network = load(here / "model")
    write(tmp_path / "examples" / "owl" / "1.wav", np.zeros(8000))
    with pytest.raises(ValueError, match=r"none of the sounds in .*owl could be learnt: .*1\.wav is silent"):
        learn(tmp_path / "examples", network)
    write(tmp_path / "examples" / "owl" / "2.wav", sweep(700, 1))
    with pytest.warns(UserWarning, match="1 of 2 sounds were left out"):
        assert learn(tmp_path / "examples", network).counts == {"owl": 1}


def test_classes_of_another_model_are_refused(here, tmp_path, model):
    model(seed=1).save(tmp_path / "other")
    with pytest.raises(ValueError, match=r"was learnt with model .*; learn the classes again with this model"):
        detect(here / "recordings", tmp_path / "other", tmp_path / "out", classes=here / "classes.safetensors")
    with pytest.raises(FileNotFoundError, match=r"holds no classes\.safetensors; learn classes with"):
        detect(here / "recordings", tmp_path / "other", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_classes_in_the_folder_of_the_model_need_not_be_named(here, tmp_path, model):
    model().save(tmp_path / "model")
    read_classes(here / "classes.safetensors").examples.save(tmp_path / "model" / "classes.safetensors")
    found = detect(here / "recordings" / "site" / "night.wav", tmp_path / "model", tmp_path / "one")
    assert found.counts == {"high": 1, "low": 1}
    assert json.loads((tmp_path / "one" / "detect.json").read_text())["overlap"] == 0.5
    assert public_detect is detect


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"overlap": 1.0}, "overlap is 1.0; it must be from 0 to 0.95"),
        ({"threshold": 2}, "threshold is 2; it must be from 0 to 1"),
        ({"formats": ("xml",)}, "the format is 'xml'"),
    ],
)
def test_settings_are_checked_before_the_work(run, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        run(**options)


def test_odd_names_are_told_and_do_not_stop_the_others(here, tmp_path, write):
    write(tmp_path / "rec" / "a\tb.wav", hiss(1))
    write(tmp_path / "rec" / "fine.wav", hiss(1))
    found = detect(tmp_path / "rec", here / "model", tmp_path / "out", classes=here / "classes.safetensors")
    assert "has a tab or a line break" in found.recordings[0].note
    assert found.recordings[1].windows == 3
    twice = detect(
        tmp_path / "rec", here / "model", tmp_path / "two", classes=here / "classes.safetensors", formats=["birdnet"]
    )
    assert [heard.note for heard in twice.recordings] == ["", ""]
