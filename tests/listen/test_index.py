"""An index of recordings finds the windows that are most like a sound, and names file and time."""

import os
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from hypertorus.listen.encode import UnreadableClip, encode_clips
from hypertorus.listen.index import Match, SoundIndex
from hypertorus.models import Model, load
from hypertorus.models.encoders import encoder
from hypertorus.sound.clip import Clip
from hypertorus.sound.spectrogram import Spectrogram
from hypertorus.sound.wave import read_wave

RATE = Spectrogram().rate


def test_every_window_is_there_as_the_model_hears_it(place, sounds, model):
    files = ["far/away/Goldcrest, [male].WAV", "far/long.wav", "near/wren.flac", "owl.wav"]
    assert sounds.windows.paths == files
    codes = [model().eval().encode(place / "recordings" / file) for file in files]
    assert [len(some) for some in codes] == [1, 140, 2, 3]
    np.testing.assert_array_equal(sounds.index.vectors(range(146)), np.concatenate(codes))
    assert sounds.windows[0] == (files[0], 0.0, 0.3)
    assert sounds.windows[140] == (files[1], 69.5, 70.0)
    assert sounds.windows[142] == (files[2], 0.5, 1.0)
    assert sounds.windows.seconds == pytest.approx(0.3 + 70 + 1 + 1.5)


def test_the_nearest_of_a_window_is_itself(place, sounds):
    for at in (0, 12.5, 59.5, 60, 69.5):
        (match,) = sounds.search(place / "recordings" / "far" / "long.wav", 1, at=at)
        assert match == Match("far/long.wav", at, at + 0.5, 0.0, at)


def test_a_copy_of_a_moment_is_found_with_its_file_and_time(tmp_path, place, sounds, write):
    moment = read_wave(place / "recordings" / "far" / "long.wav", RATE, 62.5, 63)
    copy = write(tmp_path / "copy.wav", moment)
    first, second = sounds.search(copy, 2)
    assert first[:4] == ("far/long.wav", 62.5, 63, 0)
    assert second.distance > 0


@pytest.mark.parametrize("metric", ["cosine", "l1", "l2"])
@pytest.mark.parametrize("bits", [8, 2])
def test_a_clip_is_listed_by_the_window_of_the_query_that_is_most_like_it(
    tmp_path, place, bits, metric, model, tones, write
):
    index = SoundIndex.build(place / "recordings", place / "model", bits=bits, metric=metric)
    query = write(tmp_path / "query.wav", tones(6900, 415, 5100, 3000))
    turns = index.index.vectors(range(146)) / 2**bits
    asked = (model().eval().encode(query) >> (8 - bits)) / 2**bits
    apart = np.abs(asked[:, None] - turns)
    apart = np.minimum(apart, 1 - apart)
    terms = {"cosine": (1 - np.cos(2 * np.pi * apart)) / 2, "l1": 2 * apart, "l2": (2 * apart) ** 2}
    shares = terms[metric].mean(axis=2)  # [windows of the query, clips]
    matches = index.search(query, 20)
    assert [match.distance for match in matches] == pytest.approx(np.sort(shares.min(axis=0))[:20], abs=1e-4)
    steps = np.arange(2**bits) / 2**bits
    by_chance = {"cosine": (1 - np.cos(2 * np.pi * steps)) / 2, "l1": 2 * np.minimum(steps, 1 - steps)}
    assert index.chance == pytest.approx(by_chance.get(metric, by_chance["l1"] ** 2).mean(), abs=1e-4)
    rows = {index.windows[number]: number for number in range(146)}
    numbers = [rows[match[:3]] for match in matches]
    assert len(set(numbers)) == 20
    for match, number in zip(matches, numbers, strict=True):
        assert shares[round(match.at / 0.5), number] == pytest.approx(match.distance, abs=1e-4)
        assert match.distance == pytest.approx(shares[:, number].min(), abs=1e-4)


def test_more_neighbours_than_clips_are_those_there_are(place, sounds):
    assert len(sounds.search(place / "recordings" / "owl.wav", 1000)) == 146


@pytest.mark.parametrize("suffix, rate", [("ogg", 22_050), ("mp3", 44_100), ("flac", 48_000)])
def test_other_formats_rates_and_channels_are_what_they_decode_to(tmp_path, place, suffix, rate, tones, write):
    left, right = tones(400, 1500, 5000, rate=rate), tones(600, 1500, 3000, rate=rate)
    path = write(tmp_path / "stereo" / f"a.{suffix}", np.stack([left, right], axis=1), rate)
    stereo = SoundIndex.build(tmp_path / "stereo", place / "model")
    decoded, _ = soundfile.read(path, dtype="float32")
    mono = write(tmp_path / "mono.wav", decoded.mean(axis=1), rate, subtype="FLOAT")
    matches = stereo.search(mono, 3)
    assert [match.distance for match in matches] == [0, 0, 0]
    assert [match.start for match in matches] == [match.at for match in matches] == [0, 0.5, 1]


def test_the_file_itself_is_left_out_when_asked(tmp_path, place, sounds, tones, write):
    owl = place / "recordings" / "owl.wav"
    link = tmp_path / "link.wav"
    link.symlink_to(owl)
    for query in (owl, link, Path(os.path.relpath(owl))):
        matches = sounds.search(query, 200, not_itself=True)
        assert len(matches) == 143
        assert "owl.wav" not in {match.path for match in matches}
    stranger = write(tmp_path / "owl.wav", tones(400))
    assert sounds.search(stranger, 1, not_itself=True)[0].path == "owl.wav"


@pytest.mark.parametrize("seconds", [0.1, 0.5, 0.74, 0.76, 59.9, 60.0, 60.24, 60.26, 60.5, 120.26, 130])
@pytest.mark.parametrize("window", [0.5, 2.3])
def test_pieces_have_the_windows_of_the_whole(tmp_path, seconds, window, write):
    sound = Spectrogram(seconds=window)
    wave = torch.arange(round(seconds * RATE)) / 2**22
    path = str(write(tmp_path / "ramp.wav", wave, subtype="FLOAT"))
    clips = Clip(path).pieces(window)
    assert max(clip.seconds() for clip in clips) < 60 + window / 2
    found = torch.cat([sound.windows(clip.wave(RATE)) for clip in clips])
    torch.testing.assert_close(found, sound.windows(wave), atol=0, rtol=0)


def test_many_files_are_heard_in_processes_with_the_same_result(tmp_path, place, model, tones, write):
    for number in range(20):
        write(tmp_path / "many" / f"{number:02}.wav", tones(300 + 200 * number, 350 + 200 * number))
    (tmp_path / "many" / "07b.wav").write_bytes(b"RIFF and nothing more")
    calls = []
    with pytest.warns(UserWarning, match=r"1 of 21 sounds could not be read.*07b\.wav is not a readable sound"):
        many = SoundIndex.build(tmp_path / "many", place / "model", progress=lambda *done: calls.append(done))
    assert len(many.left_out) == 1
    assert [path for path in many.windows.paths if "7" in path] == ["07.wav", "17.wav"]
    assert calls[-1] == (20, 20)
    for row, clip in enumerate(sorted((tmp_path / "many").glob("[01]?.wav"))):
        codes = model().eval().encode(clip)
        np.testing.assert_array_equal(many.index.vectors([2 * row, 2 * row + 1]), codes)


def test_a_long_recording_of_another_rate_has_the_same_codes_by_encode(tmp_path, place, monkeypatch, model):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "long").mkdir()
    noise = np.random.default_rng(0).normal(size=22_050 * 125) / 10
    soundfile.write(tmp_path / "long" / "night.wav", noise, 22_050)
    index = SoundIndex.build(tmp_path / "long", place / "model").index
    np.testing.assert_array_equal(index.vectors(index.ids), model().eval().encode(tmp_path / "long" / "night.wav"))


def test_a_recording_that_breaks_off_is_kept_as_far_as_it_can_be_read(tmp_path, place, write):
    noise = np.random.default_rng(0).normal(size=RATE * 130) / 10
    path = write(tmp_path / "night" / "night.flac", noise)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    with pytest.warns(UserWarning, match=r"1 of 1 sounds .* From 60 s on, .*night\.flac is not a readable sound"):
        night = SoundIndex.build(tmp_path / "night", place / "model")
    assert len(night.index) == len(night.windows) == 120
    assert night.windows[119] == ("night.flac", 59.5, 60)


def test_nothing_but_broken_files_is_an_error(tmp_path, place):
    (tmp_path / "a.wav").write_bytes(b"no sound")
    with pytest.raises(ValueError, match=r"none of the 1 sounds in .* could be read: .*a\.wav is not a readable sound"):
        SoundIndex.build(tmp_path, place / "model")


def test_a_name_in_no_known_alphabet_is_told(tmp_path, place, tones, write):
    write(tmp_path / "odd" / "odd.wav", tones(500))
    try:
        write(tmp_path / "a.wav", tones(500)).rename(tmp_path / "odd" / os.fsdecode(b"\xff.wav"))
    except OSError:
        pytest.skip("this system has no such names")
    with pytest.warns(UserWarning, match=r"1 of 2 sounds .*xff\.wav' is a name that is not UTF-8; rename the file"):
        SoundIndex.build(tmp_path / "odd", place / "model").save(tmp_path / "sounds")


def test_hostile_recordings_are_named_and_left_out(tmp_path, place, tones, write):
    write(tmp_path / "all" / "owl.wav", tones(400))
    write(tmp_path / "all" / "slow.wav", tones(400), rate=1)
    liar = bytearray(write(tmp_path / "all" / "liar.flac", tones(400)).read_bytes())
    liar[21:26] = bytes([liar[21] | 15, 255, 255, 255, 255])  # 2^36 - 1 samples
    (tmp_path / "all" / "liar.flac").write_bytes(liar)
    with pytest.warns(UserWarning, match=r"2 of 3 sounds could not be read"):
        heard = SoundIndex.build(tmp_path / "all", place / "model")
    assert heard.windows.paths == ["owl.wav"]
    assert [name in sentence for name, sentence in zip(("liar.flac", "slow.wav"), heard.left_out, strict=True)] == [
        1,
        1,
    ]


def test_what_cannot_be_is_one_sentence(tmp_path, place, sounds, model):
    Model(encoder("none", (20,)), (20,), 20, "torusN").save(tmp_path / "deaf")
    sphere = model(space="sphere")
    sphere.save(tmp_path / "sphere")
    (tmp_path / "empty").mkdir()
    recordings, owl = place / "recordings", place / "recordings" / "owl.wav"
    for call, sentence in [
        (lambda: SoundIndex.build(recordings, tmp_path / "deaf"), "is a model of images or vectors; pass one that was"),
        (lambda: SoundIndex.build(recordings, tmp_path / "sphere"), "lives on the sphere, .* --space torusN"),
        (lambda: SoundIndex.build(recordings, tmp_path / "none"), "there is no folder .*none"),
        (lambda: SoundIndex.build(tmp_path / "empty", place / "model"), r"has no sounds \(.wav, .flac, .ogg, .mp3\)"),
        (lambda: SoundIndex.build(tmp_path / "none", place / "model"), "there is no folder .*none; pass one with"),
        (lambda: SoundIndex.build(recordings, place / "model", bits=3), "bits is 3"),
        (lambda: SoundIndex.open(tmp_path / "none"), "there is no folder .*; make it with: hypertorus sounds index"),
        (lambda: SoundIndex.open(place / "model"), "is not an index of sounds; make one with: hypertorus sounds index"),
        (lambda: sounds.search(tmp_path / "none.wav"), r"there is no sound .*none\.wav"),
        (lambda: sounds.search(place / "recordings" / "far" / "notes.txt"), r"notes\.txt is not a readable sound"),
        (lambda: sounds.search(owl, 0), "k is 0"),
        (lambda: sounds.search(owl, at=1.5), r"at is 1\.5 s, but .*owl\.wav has 1\.5 s; choose a second within it"),
        (lambda: sounds.search(owl, at=-1), "at is -1 s"),
    ]:
        with pytest.raises((ValueError, FileNotFoundError), match=sentence) as raised:
            call()
        assert "\n" not in str(raised.value)


def test_a_model_that_gives_no_numbers_is_an_error_of_its_own(place):
    broken = load(place / "model")
    with torch.no_grad():
        next(broken.parameters()).fill_(torch.nan)
    with pytest.raises(ValueError, match="NaN"):
        list(encode_clips(Clip(str(place / "recordings" / "owl.wav")).pieces(0.5), broken, 8))


def test_a_file_that_goes_away_meanwhile_is_told(tmp_path, model, tones, write):
    clips = Clip(str(write(tmp_path / "a.wav", tones(500)))).pieces(0.5)
    (tmp_path / "a.wav").unlink()
    (piece,) = encode_clips(clips, model(), 8)
    assert isinstance(piece, UnreadableClip)
    assert "there is no sound" in piece.reason
