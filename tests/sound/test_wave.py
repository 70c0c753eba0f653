"""Sounds are read in blocks, and a header is not believed: what it promises costs no memory."""

import resource

import numpy as np
import pytest
import soundfile

from hypertorus.sound.clip import Clip
from hypertorus.sound.wave import BLOCK, read_wave, seconds_of

RNG = np.random.default_rng(0)


def lying_flac(path, samples):
    """A FLAC file of a second whose header says that it has so many samples."""
    soundfile.write(path, RNG.normal(size=16_000) / 10, 16_000)
    content = bytearray(path.read_bytes())
    field = int.from_bytes(content[18:26], "big")
    content[18:26] = (field >> 36 << 36 | samples).to_bytes(8, "big")
    path.write_bytes(content)
    return path


def test_blocks_are_the_whole_sound(tmp_path):
    wave = RNG.normal(size=(3 * BLOCK + 17, 2)).astype(np.float32) / 10
    soundfile.write(tmp_path / "long.wav", wave, 48_000, subtype="FLOAT")
    np.testing.assert_allclose(read_wave(tmp_path / "long.wav", 48_000), wave.mean(axis=1), atol=1e-7)
    some = read_wave(tmp_path / "long.wav", 48_000, 1, 8)
    np.testing.assert_allclose(some, wave[48_000 : 8 * 48_000].mean(axis=1), atol=1e-7)


@pytest.mark.parametrize("samples", [2**36 - 1, 2**33, 0])
def test_a_flac_that_lies_about_its_length_is_one_sentence(tmp_path, samples):
    path = lying_flac(tmp_path / "liar.flac", samples)
    for read in (lambda: read_wave(path, 16_000), lambda: seconds_of(path), lambda: Clip(str(path)).pieces(0.5)):
        with pytest.raises(
            ValueError, match=r"liar.flac says that it has [\d,]+ samples, more than its bytes can hold"
        ):
            read()


def test_a_lie_that_is_possible_costs_no_memory(tmp_path):
    path = lying_flac(tmp_path / "liar.flac", 150_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        assert len(read_wave(path, 16_000)) == 16_000
    except ValueError as error:
        assert "liar.flac is not a readable sound" in str(error)  # noqa: PT017
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes; a second is 64


@pytest.mark.parametrize("rate", [1, 99, 10_000_001])
def test_a_rate_that_no_recorder_has_is_one_sentence(tmp_path, rate):
    soundfile.write(tmp_path / "slow.wav", RNG.normal(size=90_000) / 10, rate)
    for read in (lambda: read_wave(tmp_path / "slow.wav", 16_000), lambda: seconds_of(tmp_path / "slow.wav")):
        with pytest.raises(ValueError, match=rf"slow.wav has a sampling rate of {rate} Hz; 100 to 10,000,000 are read"):
            read()
