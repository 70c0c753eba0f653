"""The page of a sound and its neighbours: whole by itself, with a picture and a player of each."""

import base64
import io
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import soundfile
import torch
from PIL import Image

from hypertorus.listen.index import SoundIndex
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.report.sounds import sounds_page
from hypertorus.report.spectrogram_picture import spectrogram_picture
from hypertorus.sound.spectrogram import Spectrogram

SOUND = Spectrogram(seconds=0.5, bands=32)
RATE = SOUND.rate


def tone(hertz, seconds=0.5):
    return 0.3 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * RATE)) / RATE).astype(np.float32)


class Page(HTMLParser):
    """What a browser would find: the addresses of pictures and players, and the text."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open, self.text = {"img": [], "audio": []}, [], ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag in self.found:
            self.found[tag].append(dict(attributes)["src"])
        if tag not in ("img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data if self.open and self.open[-1] != "style" else ""


def content(address, kind):
    assert address.startswith(f"data:{kind};base64,")
    return base64.b64decode(address.partition(",")[2], validate=True)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    here = tmp_path_factory.mktemp("place")
    (here / "recordings").mkdir()
    for number, hertz in enumerate((400, 800, 1600, 3200)):
        soundfile.write(here / "recordings" / f"<i>{number}> & co.wav", tone(hertz, 0.8), RATE, subtype="PCM_16")
    torch.manual_seed(0)
    Model(encoder("small-audio:4", SOUND.shape), SOUND.shape, 8, "torusN", sound=SOUND).save(here / "model")
    return here


@pytest.fixture(scope="module")
def sounds(place):
    return SoundIndex.build(place / "recordings", place / "model")


def made(sounds, query, k=5, **options):
    matches = sounds.search(query, k, **options)
    return matches, Page(sounds_page(sounds, query, matches, **options))


def test_each_match_and_the_query_have_a_picture_and_a_player(place, sounds):
    matches, page = made(sounds, place / "recordings" / "<i>2> & co.wav")
    assert len(matches) == 5
    assert len(page.found["audio"]) == len(page.found["img"]) == 6
    assert "http" not in page.text
    for address in page.found["img"]:
        ET.fromstring(content(address, "image/svg+xml"))
    for match in matches:
        assert match.path in page.text  # its brackets are text, not tags
        assert f"distance {match.distance:.3f}" in page.text
    assert f"among {len(sounds.index)} clips of 4 files in recordings" in page.text


def test_players_hold_the_very_samples_of_their_windows(place, sounds):
    query = place / "recordings" / "<i>1> & co.wav"
    matches, page = made(sounds, query)
    waves = [soundfile.read(query, dtype="int16")[0]]
    for match in matches:
        whole, _ = soundfile.read(place / "recordings" / match.path, dtype="int16")
        waves.append(whole[round(match.start * RATE) : round(match.end * RATE)])
    assert {len(wave) for wave in waves[1:]} == {8000, 4800}
    for address, wave in zip(page.found["audio"], waves, strict=True):
        played, rate = soundfile.read(io.BytesIO(content(address, "audio/wav")), dtype="int16")
        assert rate == RATE
        np.testing.assert_array_equal(played, wave)


def test_which_window_of_the_query_is_meant_is_said_where_there_are_several(tmp_path, sounds):
    soundfile.write(tmp_path / "q.wav", np.concatenate([tone(3300), tone(410), tone(1000)]), RATE)
    matches, page = made(sounds, tmp_path / "q.wav")
    for match in matches:
        assert f"like the query from 0:0{match.at}" in page.text
    _, page = made(sounds, tmp_path / "q.wav", at=0.5)
    assert "like the query" not in page.text
    assert "0:00.5 to 0:01.0" in page.text


def test_of_a_long_query_the_window_of_the_best_match_is_shown(tmp_path, place, sounds):
    pieces = [tone(90)] * 70
    pieces[43] = soundfile.read(place / "recordings" / "<i>0> & co.wav", dtype="float32")[0][:8000]
    soundfile.write(tmp_path / "q.wav", np.concatenate(pieces), RATE)
    matches, page = made(sounds, tmp_path / "q.wav")
    assert matches[0].at == 21.5
    played, _ = soundfile.read(io.BytesIO(content(page.found["audio"][0], "audio/wav")))
    assert len(played) == 8000
    assert "0:21.5 to 0:22.0" in page.text


def test_recordings_that_moved_are_told(place, sounds, tmp_path):
    gone = SoundIndex(tmp_path / "gone", sounds.model, sounds.index, sounds.windows)
    query = place / "recordings" / "<i>1> & co.wav"
    with pytest.raises(FileNotFoundError, match=r"the recordings were in .*gone.*sounds\.json"):
        sounds_page(gone, query, gone.search(query))


@pytest.mark.parametrize("hertz", [300, 1000, 4000])
@pytest.mark.parametrize("rate", [16_000, 48_000])
def test_a_tone_is_a_bright_line_at_its_height_and_nothing_is_drawn_after_it(hertz, rate):
    wave = torch.sin(2 * torch.pi * hertz * torch.arange(rate) / rate)
    svg = content(spectrogram_picture(wave, rate, seconds=2), "image/svg+xml").decode()
    png, across, upwards = re.search(
        r'<image .*?base64,([^"]+)".*?matrix\(([\d.]+) 0 0 (-?)[\d.]+ ', svg, flags=re.DOTALL
    ).groups()
    brightness = np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("L"), dtype=float)
    from_below = brightness if upwards else brightness[::-1]
    row = from_below[:, 10:-10].mean(axis=1).argmax()
    mel = 2595 * np.log10(1 + np.array([50, hertz, rate / 2]) / 700)
    assert (row + 0.5) / len(brightness) == pytest.approx((mel[1] - mel[0]) / (mel[2] - mel[0]), abs=0.015)
    left, right = re.search(r'<g id="patch_2">\s*<path d="M ([\d.]+) [\d.]+ \nL ([\d.]+)', svg).groups()
    drawn = brightness.shape[1] * float(across)
    assert drawn == pytest.approx((float(right) - float(left)) / 2, rel=0.02)
