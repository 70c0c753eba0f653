"""Synthetic birds: the same for the same seed, different from one another, and within what a .wav file holds."""

import numpy as np
import pytest
import soundfile

from hypertorus.datasets import read_data
from hypertorus.datasets.chirps import KINDS, RATE, Species, write_chirps


def loudest_frequency(wave):
    return np.fft.rfftfreq(len(wave), 1 / RATE)[np.abs(np.fft.rfft(wave)).argmax()]


def test_a_species_is_always_the_same_and_differs_from_others():
    assert Species.drawn(3) == Species.drawn(3)
    assert len({Species.drawn(number).pitch for number in range(24)}) == 24
    assert {Species.drawn(number).kind for number in range(8)} == set(KINDS)
    assert Species.drawn(3, seed=1) != Species.drawn(3)


@pytest.mark.parametrize("number", range(8))
def test_songs_vary_and_fit_into_a_clip(number):
    songs = [Species.drawn(number).song(np.random.default_rng(take)) for take in range(20)]
    for song in songs:
        assert song.shape == (24_000,)
        assert 0.29 < np.abs(song).max() <= 0.9
    assert not np.allclose(songs[0], songs[1])


def test_a_whistle_is_heard_at_its_pitch():
    whistle = next(species for number in range(99) if (species := Species.drawn(number)).kind == "whistle")
    heard = [loudest_frequency(whistle.song(np.random.default_rng(take))) for take in range(30)]
    assert np.median(heard) == pytest.approx(whistle.pitch, rel=0.05)


def test_files_are_recordings_of_species_that_training_reads(tmp_path):
    write_chirps(tmp_path / "recordings", species=3, recordings=5)
    files = sorted((tmp_path / "recordings").rglob("*.wav"))
    assert len(files) == 15
    assert soundfile.info(files[0]).samplerate == RATE
    write_chirps(tmp_path / "again", species=3, recordings=5)
    assert [file.read_bytes() for file in files] == [
        file.read_bytes() for file in sorted((tmp_path / "again").rglob("*.wav"))
    ]
    data = read_data(str(tmp_path / "recordings"))
    assert data.classes == ("species-01", "species-02", "species-03")
    assert len(data.train) + len(data.test) == 15
