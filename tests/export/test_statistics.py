"""Networks on statistics of bands: the C computes what Python does, bit for bit, and both what the floats meant."""

import numpy as np
import pytest

from hypertorus.export.c_statistics import statistics_bytes
from hypertorus.export.firmware import firmware
from hypertorus.export.statistics import Statistics

BANDS = {"kind": "bands", "bands": 7}


@pytest.mark.parametrize(
    ("space", "head", "bits", "frames"),
    [("torusN", "linear", 8, 255), ("torusC", "two-layer", 4, 9), ("torusN", "two-layer", 2, 2)],
)
def test_c_and_python_agree_on_every_code(space, head, bits, frames, random_keyword, device):
    _, known, inputs = random_keyword(1, space, BANDS, frames, head=head, bits=bits)
    assert np.array_equal(device(known).encode(inputs), known.stored.codes)
    assert len(np.unique(known.stored.codes, axis=0)) > 3


@pytest.mark.parametrize("space", ["torusN", "torusC"])
def test_integers_lie_near_the_floats(space, random_keyword):
    model, known, inputs = random_keyword(2, space, BANDS, 40, dim=32, count=64)
    floats, codes = model.encode(inputs.reshape(-1, *model.shape)), known.stored.codes
    apart = [
        np.abs((a.astype(int) - b.astype(int) + 128) % 256 - 128).mean()
        for a, b in ((codes, floats), (floats[1:], floats[:-1]))
    ]
    assert apart[0] < 0.1 * apart[1]


def test_deviations_are_the_largest_whole_numbers_that_fit():
    """The literal formula in Python's integers, where windows are longest and loudest and where they are constant."""
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, (40, 255), dtype=np.uint8)
    pictures[:3] = [[0], [255], [77]]
    pictures[3], pictures[3, :128] = 0, 255
    numbers = Statistics(1, 255)(pictures)
    for picture, (total, deviation, largest) in zip(pictures.tolist(), numbers.tolist(), strict=True):
        square = 255 * sum(byte * byte for byte in picture) - sum(picture) ** 2
        assert (total, largest) == (sum(picture), 255 * max(picture))
        assert deviation**2 <= square < (deviation + 1) ** 2


def test_the_window_is_counted_and_there_is_no_stream(random_keyword):
    _, known, _ = random_keyword(1, "torusN", BANDS, 40)
    sizes = firmware(known).sizes
    assert statistics_bytes(known.network.columns) == 4 * 7 + 2 * 21 + 2  # whole words
    assert (sizes.stream, sizes.arrays) == (0, 72 + 7)
    with pytest.raises(ValueError, match="has no convolutions along time"):
        known.network.stream(np.zeros((1, 7, 40), np.uint8))


def test_too_long_windows_are_refused_in_a_sentence(random_keyword):
    with pytest.raises(ValueError, match="windows have 256 frames, and statistics on a device are of 2 to 255"):
        random_keyword(1, "torusN", BANDS, 256)
