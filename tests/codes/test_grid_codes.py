import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hypertorus import Sphere, TorusC, TorusN, space
from hypertorus.codes import GridCodes, SignCodes, quantiser
from hypertorus.codes.minmax import SIGMAS, Range

TORI = (TorusN(8), TorusC(4))


@pytest.mark.parametrize("bits", range(1, 9))
@pytest.mark.parametrize("torus", TORI, ids=lambda torus: torus.name)
def test_depths_nest_for_every_value(torus, bits):
    turns = (np.arange(256)[:, None] + np.array([0.0, 0.25, 0.5, 0.999])) / 256
    raw = turns if torus.dim == 4 else torus.point(turns + 1e-9)
    codes8 = GridCodes(torus, 8).encode(raw)
    assert set(codes8.ravel()) == set(range(256))
    np.testing.assert_array_equal(GridCodes(torus, bits).encode(raw), codes8 >> (8 - bits))


@given(hnp.arrays(np.float32, (3, 8), elements=st.floats(-100, 100, width=32)), st.integers(1, 8))
def test_codes_are_the_floor_of_turns(raw, bits):
    for torus in (TorusN(8), TorusC(8)):
        want = np.floor(torus.turns(raw).astype(np.float64) * 2**bits)
        np.testing.assert_array_equal(GridCodes(torus, bits).encode(raw), want)


@pytest.mark.parametrize("bits", range(1, 9))
@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_decoding_lands_in_the_middle_of_the_cell(name, bits):
    here = space(name, 8)
    raw = here.random(200, seed=0) if name != "torusC" else np.random.default_rng(0).random((200, 8))
    grid = GridCodes(here, bits).fit(raw)
    codes = grid.encode(raw)
    back = grid.decode(codes)
    assert back.shape == (200, 8)
    if name == "sphere":
        half_cell = np.ptp(raw, axis=0) / 2 ** (bits + 1)
        assert (np.abs(back - raw) <= half_cell + 1e-6).all()
    else:
        np.testing.assert_array_equal(grid.encode(back), codes)
        off = here.turns(back.astype(np.float64)) - here.turns(raw)
        assert (np.abs(off - np.round(off)) <= 0.5 / 2**bits + 1e-6).all()


def test_the_published_grid_is_the_formula_of_the_published_code():
    torus = TorusC(4)
    train, test = np.random.default_rng(0).random((2, 50, 4)).astype(np.float32)
    low, span = train.min(axis=0), train.max(axis=0) - train.min(axis=0)
    want = np.floor((test - low) * 256 / span).clip(0, 255)
    np.testing.assert_array_equal(GridCodes(torus, 8, minmax=True).fit(train).encode(test), want)


def test_a_constant_column_is_one_cell():
    raw = np.tile([[1.0, 0.0]], (5, 1))
    np.testing.assert_array_equal(GridCodes(Sphere(2), 4).fit(raw).encode(raw), np.zeros((5, 2)))


def test_sizes_are_those_of_the_papers_table():
    assert [GridCodes(Sphere(64), bits).bits_per_vector for bits in (8, 1)] == [512, 64]
    assert GridCodes(TorusN(64), 8).bits_per_vector == 256
    assert GridCodes(TorusC(64), 8).possible_values == 256**64
    assert GridCodes(Sphere(64), 8).codebook_size == 128
    assert GridCodes(TorusC(64), 8, minmax=True).codebook_size == 128
    assert GridCodes(TorusC(64), 8).codebook_size == 0
    assert SignCodes(TorusN(64)).bits_per_vector == 64
    assert GridCodes(TorusN(64), 1).bits_per_vector == 32


def test_sign_codes_are_the_gray_code_of_two_bits():
    raw = np.random.default_rng(0).normal(size=(500, 16))
    two_bits = GridCodes(TorusN(16), 2).encode(raw)
    gray = two_bits ^ (two_bits >> 1)
    signs = SignCodes(TorusN(16)).encode(raw)
    np.testing.assert_array_equal(signs[:, 0::2] | (signs[:, 1::2] << 1), gray)


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_signs_decode_to_a_place_with_these_signs(name):
    here = space(name, 8)
    raw = np.random.default_rng(0).normal(size=(50, 8))
    codes = SignCodes(here).encode(raw)
    assert codes.shape == (50, here.ambient_dim)
    np.testing.assert_array_equal(SignCodes(here).encode(SignCodes(here).decode(codes)), codes)


def test_encoding_works_in_pieces(monkeypatch):
    raw = np.random.default_rng(0).normal(size=(100, 8))
    whole = GridCodes(TorusN(8)).encode(raw)
    monkeypatch.setattr("hypertorus.codes.grid_codes._ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(GridCodes(TorusN(8)).encode(raw), whole)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match=r"bits is 9; a coordinate has 1 to 8 bits\."):
        GridCodes(TorusN(8), 9)
    with pytest.raises(ValueError, match="8bit has not seen data yet"):
        GridCodes(Sphere(8)).encode(np.ones((1, 8)))
    with pytest.raises(ValueError, match="sign-minmax has not seen data yet"):
        SignCodes(TorusN(8), minmax=True).encode(np.ones((1, 8)))
    with pytest.raises(ValueError, match="sphere has no period"):
        GridCodes(Sphere(8), minmax=False)
    with pytest.raises(ValueError, match="NaN or an infinity in row 1"):
        GridCodes(TorusN(2)).encode(np.array([[1.0, 1.0], [np.nan, 1.0]]))
    with pytest.raises(ValueError, match=r"raw has shape \(1, 6\); its last axis must hold 8"):
        GridCodes(TorusN(8)).encode(np.ones((1, 6)))
    with pytest.raises(ValueError, match=r"codes is uint8 of shape \(1, 8\); pass integers \[n, 4\]"):
        GridCodes(TorusN(8)).decode(np.ones((1, 8), np.uint8))
    with pytest.raises(ValueError, match="codes go from 4 to 4; 2 bits hold 0 to 3"):
        GridCodes(TorusN(8), 2).decode(np.full((1, 4), 4))


@pytest.mark.parametrize(("bits", "sigmas"), [(1, 1.6), (2, 1.99), (4, 2.68)])
def test_the_grid_around_the_mean_of_a_sphere_is_its_formula(bits, sigmas):
    train, test = Sphere(8).random(500, seed=0), Sphere(8).random(100, seed=1)
    low = train.mean(axis=0) - sigmas * train.std(axis=0)
    want = np.floor((test - low) / (2 * sigmas * train.std(axis=0)) * 2**bits).clip(0, 2**bits - 1)
    grid = quantiser(f"{bits}bit-sigma", Sphere(8)).fit(train)
    np.testing.assert_array_equal(grid.encode(test), want)
    assert grid.name == f"{bits}bit-sigma"


@pytest.mark.parametrize("bits", range(1, 9))
def test_no_other_width_of_equal_steps_loses_less_of_a_normal_distribution(bits):
    numbers = np.random.default_rng(0).normal(size=200_000)
    losses = []
    for reach in (0.93 * SIGMAS[bits], SIGMAS[bits], 1.07 * SIGMAS[bits]):
        steps = Range(np.array(-reach), np.array(2 * reach)).levels(numbers, bits)
        losses.append(np.square(numbers - ((steps + 0.5) / 2**bits * 2 - 1) * reach).mean())
    assert losses[1] == min(losses)


def test_a_torus_has_no_grid_around_the_mean():
    with pytest.raises(ValueError, match="the grid of torusN is its period; sigma=True is for the sphere"):
        quantiser("4bit-sigma", TorusN(8))
