"""The listener of the examples: what it hears, learns and rejects on a board is what Python does, bit for bit."""

import numpy as np
import pytest
import torch

import hypertorus
from examples.listener.made_words import WORDS, make_words
from examples.listener.run import Listener, encoder_of, hear, spoken_digits
from examples.listener.tape import played, recorded
from hypertorus.boards import BOARDS
from hypertorus.export.from_model import integer_network_of
from hypertorus.export.known import Known, Labelled
from hypertorus.export.streamed import streamed
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.ear import ear
from hypertorus.training.ears import NEEDED


def test_a_tape_sounds_like_what_was_recorded():
    time = np.arange(3001)
    samples = (9000 * np.sin(time * 0.3) * np.sin(np.pi * time / 3001)).astype(np.int16)
    heard = played(recorded(samples), len(samples))
    assert len(heard) == 3001
    assert np.abs(heard[50:] - samples[50:].astype(int)).mean() < 400


def test_it_hears_spoken_digits_where_somebody_has_them(tmp_path, monkeypatch):
    monkeypatch.setenv("HYPERTORUS_DATA", str(tmp_path))
    assert spoken_digits() is None
    (tmp_path / "spoken-digits").mkdir()
    assert spoken_digits() == tmp_path / "spoken-digits"


def test_words_are_made_whole_or_not_at_all(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr("examples.listener.made_words._sound", stop)
        with pytest.raises(KeyboardInterrupt):
            make_words(tmp_path / "tones")
    assert not any(tmp_path.iterdir())
    make_words(tmp_path / "tones")
    assert {path.name for path in (tmp_path / "tones").iterdir()} == set(WORDS)


@pytest.mark.parametrize(
    ("name", "stream"),
    [("host", False), ("host", True), ("cortex-m4", False), ("cortex-m4", True), ("atmega328p", False)],
)
def test_a_listener_answers_as_python_does(name, stream, tmp_path):
    board = BOARDS[name]
    if missing := board.missing_tools():
        pytest.skip(f"not installed: {', '.join(missing)}")
    who = random_listener(encoder_of(board), stream=stream)
    row = hear(who, board, tmp_path, stream=stream)
    assert row["unlike Python"] == 0
    assert row["right"] == len(who.said)  # clips that were lessons or known are those words, and noise is none
    assert row["flash"] < (32_768 if name != "host" else 2**20)
    if name == "atmega328p":
        assert row["one window a second"] < board.hertz
        assert row["RAM"] <= board.ram


def random_listener(name, *, stream):
    """A network of random weights, which knows two chirps, learns a third, and is played all of them and noise."""
    torch.manual_seed(0)
    heard_by = ear({"kind": NEEDED[name]})
    model = Model(encoder(name, heard_by.shape), heard_by.shape, 32, "torusN", head="linear")
    model.train().features(torch.rand(32, *heard_by.shape))
    rng, time = np.random.default_rng(0), np.arange(3000)
    chirps = [
        (8000 * np.sin(time * (0.2 + 0.3 * n + rise * time))).astype(np.int16) for n, rise in enumerate((4e-5, 0, 2e-4))
    ]
    tapes = [played(recorded(chirp), len(chirp)) for chirp in chirps]
    windows = np.stack([np.pad(t, ((heard_by.samples - 3000) // 2, (heard_by.samples - 2999) // 2)) for t in tapes])
    inputs = heard_by.bytes(windows).reshape(3, -1)
    network = integer_network_of(model.eval(), inputs)
    codes = streamed(network, heard_by, windows) if stream else network.encode(inputs)
    stored = Labelled(codes[:2], np.arange(2))
    known = Known("chirps", stored, ("up", "flat"), 8, network=network, ear=heard_by)
    noise = rng.integers(-3000, 3000, 3000).astype(np.int16)
    store = hypertorus.Words(dim=network.dim, capacity=2, name_bytes=0)
    for code in codes[:2]:
        store.learn(code[None])
    threshold = int(store.judge(codes[:2]).scores.max())  # as sure as where a code is that of a word itself
    return Listener(name, known, store.records, threshold, [chirps[2]] * 2, [*chirps, noise], [0, 1, 2, -1])
