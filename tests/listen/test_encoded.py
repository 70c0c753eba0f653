"""An index that is being made resumes after a kill, and one that is there forgets recordings."""

import os
import sys
import time
from multiprocessing import get_context

import numpy as np
import pytest
import torch

from hypertorus.listen import build
from hypertorus.listen.encode import encode_clips
from hypertorus.listen.encoded import EncodedClips, journal_path
from hypertorus.listen.index import SoundIndex


@pytest.fixture
def encoded(monkeypatch):
    """The clips that are encoded, as the tests go."""
    paths = []

    def counted(clips, *options):
        paths.extend((clip.path, clip.start) for clip in clips)
        return encode_clips(clips, *options)

    monkeypatch.setattr(build, "encode_clips", counted)
    return paths


def same(one, other):
    assert [one.windows[number] for number in range(len(one.windows))] == [
        other.windows[number] for number in range(len(other.windows))
    ]
    every = range(len(one.index))
    np.testing.assert_array_equal(one.index.vectors(every), other.index.vectors(every))


def in_one_thread(*arguments, **options):
    torch.set_num_threads(1)
    SoundIndex.build(*arguments, **options)


@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
def test_a_killed_build_resumes_with_what_was_encoded(place, tmp_path, encoded, tones, write):
    for number in range(12):
        write(tmp_path / "many" / f"{number:02}.wav", tones(*np.geomspace(300 + number, 7000, 5)))
    journal = journal_path(tmp_path / "sounds")
    assert journal.name == ".sounds.encoded"
    arguments = tmp_path / "many", place / "model"
    process = get_context("fork").Process(target=in_one_thread, args=arguments, kwargs={"journal": journal})
    process.start()
    deadline = time.monotonic() + 120
    while not journal.exists() or journal.stat().st_size < 1500:
        assert process.is_alive()
        assert time.monotonic() < deadline
        time.sleep(0.001)
    process.kill()
    process.join()
    assert not (tmp_path / "sounds").exists()
    resumed = SoundIndex.build(*arguments, journal=journal)
    assert 0 < len(encoded) < 12
    same(resumed, SoundIndex.build(*arguments))


@pytest.fixture
def begun(place, tmp_path, encoded):
    """A journal with all clips of the recordings."""
    journal = tmp_path / ".sounds.encoded"
    whole = SoundIndex.build(place / "recordings", place / "model", journal=journal)
    assert len(encoded) == 5
    encoded.clear()
    return journal, whole


def test_what_is_in_the_journal_is_not_encoded_again(place, begun, encoded):
    journal, whole = begun
    same(SoundIndex.build(place / "recordings", place / "model", journal=journal), whole)
    assert encoded == []


@pytest.mark.parametrize("damage", ["cut", "changed", "added", "no record"])
def test_a_damaged_journal_counts_up_to_the_damage(place, begun, encoded, damage):
    journal, whole = begun
    content = journal.read_bytes()
    changed = content[:-100] + bytes([content[-100] ^ 1]) + content[-99:]
    damaged = {"cut": content[:-1], "changed": changed, "added": content + b"\x05", "no record": b"\xff" * 100}
    journal.write_bytes(damaged[damage])
    same(SoundIndex.build(place / "recordings", place / "model", journal=journal), whole)
    assert len(encoded) == {"cut": 1, "changed": 1, "added": 0, "no record": 5}[damage]
    encoded.clear()
    same(SoundIndex.build(place / "recordings", place / "model", journal=journal), whole)
    assert encoded == []


def test_other_codes_and_changed_recordings_are_encoded(place, begun, encoded):
    journal, _ = begun
    owl = place / "recordings" / "owl.wav"
    os.utime(owl, ns=(1, owl.stat().st_mtime_ns + 1))
    SoundIndex.build(place / "recordings", place / "model", journal=journal)
    assert encoded == [(str(owl), 0.0)]
    encoded.clear()
    SoundIndex.build(place / "recordings", place / "model", bits=4, journal=journal)
    assert len(encoded) == 5


def test_two_processes_do_not_make_one_index(begun):
    journal, _ = begun
    with EncodedClips(journal, model="a"), pytest.raises(RuntimeError, match="is locked by this thread"):
        EncodedClips(journal, model="a").__enter__()


def test_an_index_forgets_recordings(place, sounds, tmp_path):
    rest = sounds.without(["far/away", "owl.*"])
    assert rest.windows.paths == ["far/long.wav", "near/wren.flac"]
    rest.save(tmp_path / "sounds")
    opened = SoundIndex.open(tmp_path / "sounds")
    (match,) = opened.search(place / "recordings" / "near" / "wren.flac", 1, at=0.5)
    assert match[:4] == ("near/wren.flac", 0.5, 1.0, 0.0)
    assert len(sounds.windows.paths) == 4
    grown = opened.grown(place / "recordings")
    assert sorted(grown.windows.paths) == sorted(sounds.windows.paths)
    with pytest.raises(ValueError, match="the index has no recording robin; name one as"):
        sounds.without(["owl.wav", "robin"])
    with pytest.raises(ValueError, match="would leave an index of nothing"):
        sounds.without(["*"])


def test_an_arranged_index_stays_arranged(place):
    index = SoundIndex.build(place / "recordings", place / "model")
    index.index.arrange()
    assert index.without(["owl.wav"]).index.cells > 0
