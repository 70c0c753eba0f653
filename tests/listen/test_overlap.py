"""Overlapping windows: every second of a recording is in one, none is padded, and the codes are those of the model."""

import numpy as np
import pytest
import torch

from hypertorus.listen.overlap import encode_spans, spans_of
from hypertorus.sound.wave import read_wave


@pytest.mark.parametrize("seconds", [0.5, 0.51, 0.7, 1.0, 61.3, 130.0])
@pytest.mark.parametrize("hop", [0.5, 0.25, 0.1])
def test_windows_cover_a_recording_and_stay_within_it(seconds, hop):
    spans = spans_of("owl.wav", seconds, 0.5, hop)
    starts = np.concatenate([span.starts for span in spans])
    assert starts[0] == 0
    assert seconds - 0.02 <= starts[-1] + 0.5 <= seconds + 0.02
    assert (np.diff(starts) <= hop + 1e-9).all()
    assert (np.diff(starts) > 0).all()
    assert max(span.windows for span in spans) * hop <= 60 + 1e-9


def test_codes_are_those_of_the_same_stretches(tmp_path, model, tones, write):
    path = str(write(tmp_path / "long.wav", tones(*np.geomspace(200, 7800, 140))))
    network = model().eval()
    spans = spans_of(path, 70.0, 0.5, 0.2)
    pieces = list(encode_spans(spans, network, 8))
    assert len(spans) == 2
    for span, piece in zip(spans, pieces, strict=True):
        assert len(piece.codes) == len(span.starts)
        for row in (0, 7, len(span.starts) - 1):
            wave = read_wave(path, 16_000)[round(span.starts[row] * 16_000) :][:8000]
            np.testing.assert_array_equal(piece.codes[row], network.encode(network.sound.inputs(wave))[0])


def test_silence_is_told_and_so_is_a_file_that_ends_early(tmp_path, model, tones, write):
    wave = np.concatenate([tones(500), np.zeros(8000), tones(900)])
    (piece,) = encode_spans(spans_of(str(write(tmp_path / "a.wav", wave)), 1.5, 0.5, 0.5), model(), 8)
    assert piece.silent.tolist() == [False, True, False]
    (sentence,) = encode_spans(spans_of(str(tmp_path / "a.wav"), 2.5, 0.5, 0.5), model(), 8)
    assert sentence.endswith("a.wav has 1.5 s of sound from 0 s on, and its header says more; copy it again.")


def test_resampled_recordings_have_all_their_windows(tmp_path, model, tones, write):
    path = str(write(tmp_path / "fast.wav", tones(*[700] * 7, rate=44_100), rate=44_100))
    torch.manual_seed(0)
    pieces = list(encode_spans(spans_of(path, 3.5, 0.5, 0.25), model(), 8))
    assert sum(len(piece.codes) for piece in pieces) == 13
