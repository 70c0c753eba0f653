"""Convolutional networks in integers: the C computes what Python does, bit for bit, and both what the floats meant."""

import numpy as np
import pytest

from hypertorus.export.c_columns import stream_bytes, window_bytes
from hypertorus.export.memory_plan import memory_plan, ring_bytes
from hypertorus.export.stages import Columns, as_columns

NETWORKS = {
    "full": ({"kind": "keyword", "bands": 32, "width": 48}, 50),
    "odd": ({"kind": "keyword", "bands": 11, "width": 9, "channels": 3, "blocks": 2, "reach": 5}, 17),
    "smallest": ({"kind": "keyword", "bands": 8, "width": 1, "channels": 1, "blocks": 0}, 8),
    "one dimension": ({"kind": "keyword-1d", "bands": 12, "width": 24}, 25),
    "odd, one dimension": ({"kind": "keyword-1d", "bands": 5, "width": 6, "blocks": 1, "reach": 3}, 4),
}


@pytest.mark.parametrize(
    ("name", "space", "head", "bits"),
    [
        ("full", "torusN", "linear", 8),
        ("odd", "torusC", "two-layer", 4),
        ("smallest", "torusN", "two-layer", 8),
        ("one dimension", "torusC", "linear", 8),
        ("odd, one dimension", "torusN", "linear", 2),
    ],
)
def test_c_and_python_agree_on_every_code(name, space, head, bits, random_keyword, device):
    _, known, inputs = random_keyword(len(name), space, *NETWORKS[name], head=head, bits=bits)
    assert np.array_equal(device(known).encode(inputs), known.stored.codes)
    assert len(np.unique(known.stored.codes, axis=0)) > 3


@pytest.mark.parametrize(("name", "bits"), [("full", 8), ("odd", 4), ("smallest", 8), ("one dimension", 8)])
def test_a_stream_is_that_of_python_at_every_moment(name, bits, random_keyword, device):
    _, known, inputs = random_keyword(3, "torusN", *NETWORKS[name], bits=bits)
    columns = known.network.columns
    heard = np.concatenate(list(inputs.reshape(len(inputs), columns.bands, columns.frames)), axis=1)
    streamed = device(known).stream(heard, stream_bytes(columns))
    assert np.array_equal(streamed, known.network.stream(heard[None], bits)[0])
    assert len(streamed) > 10 * columns.moments  # the ring went round


def test_in_a_stream_a_frame_is_computed_once(random_keyword):
    """The literal formula: all frames convolved at once, then a mean over the last columns of it."""
    _, known, inputs = random_keyword(3, "torusN", *NETWORKS["odd"])
    columns = known.network.columns
    heard = np.concatenate(list(inputs.reshape(len(inputs), columns.bands, columns.frames)), axis=1)
    whole = Columns(columns.stages, heard.shape[1])
    left = as_columns(heard[None], columns.bands, heard.shape[1])
    before = left
    for stage in columns.stages:
        left, before = stage(left, before), left
    sums = columns.stream(heard[None])[0]
    assert whole.moments - len(sums) == 1 + 1 + 2 + 2  # which wait for frames to come, at four stages
    for moment in (0, 5, len(sums) - 1):
        last = left[0, max(0, moment + 1 - columns.moments) : moment + 1]
        assert np.array_equal(sums[moment], last.sum(axis=(0, 1)))


@pytest.mark.parametrize("frames", [0, 1, 9])
def test_a_stream_that_just_began_has_no_code_yet(frames, random_keyword):
    _, known, _ = random_keyword(3, "torusN", *NETWORKS["full"])
    assert known.network.stream(np.zeros((2, 32, frames), np.uint8)).shape == (2, 0, known.network.dim)


def distances(codes, others):
    return np.abs((codes.astype(int) - others.astype(int) + 128) % 256 - 128)


@pytest.mark.parametrize("space", ["torusN", "torusC"])
@pytest.mark.parametrize("name", ["full", "odd", "one dimension"])
def test_integers_lie_near_the_floats(name, space, random_keyword):
    config, frames = NETWORKS[name]
    model, known, inputs = random_keyword(1, space, config, frames, dim=32, count=64)
    floats, codes = model.encode(inputs.reshape(-1, *model.shape)), known.stored.codes
    assert distances(codes, floats).mean() < 0.1 * distances(floats[1:], floats[:-1]).mean()


def test_every_ring_has_a_place_of_its_own_and_nothing_more(random_keyword):
    _, known, _ = random_keyword(0, "torusN", *NETWORKS["full"])
    columns = known.network.columns
    plan, lasting = memory_plan(columns), [stage for stage in columns.stages if stage.kernel.size[1] > 1]
    passing = 64 + 64  # of two stages in a row, one column each
    assert plan.bytes == sum(map(ring_bytes, lasting)) + passing == 5 * 36 + 3 * 18 * 8 + 4 * 9 * 48 + 128
    taken = [0] * plan.bytes
    for stage, begin in zip(columns.stages, plan.rings, strict=True):
        if stage.kernel.size[1] > 1:
            for place in range(begin, begin + ring_bytes(stage)):
                taken[place] += 1
    assert set(taken[passing:]) == {1}
    assert not any(taken[:passing])
    assert window_bytes(columns) == plan.bytes + 2 * 48 + 2 * len(columns.stages)
