import numpy as np
import pytest

from hypertorus import Sphere, TorusC, TorusN, space
from hypertorus.codes import ProductCodes


def raw_for(name: str, n: int = 600):
    here = space(name, 8)
    return np.random.default_rng(0).random((n, 8)) if name == "torusC" else here.random(n, seed=0)


@pytest.mark.parametrize("on", ["codes", "floats"])
@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_each_piece_goes_to_its_nearest_centroid(name, on):
    raw = raw_for(name)
    product = ProductCodes(space(name, 8), bits=4, subspaces=4, on=on).fit(raw)
    codes = product.encode(raw)
    assert codes.shape == (600, 4)
    assert codes.max() == 15
    pieces = product._pieces(raw)
    for piece in range(4):
        d = ((pieces[:, piece, None] - product.centroids[piece]) ** 2).sum(axis=-1)
        np.testing.assert_allclose(d[np.arange(600), codes[:, piece]], d.min(axis=1), atol=1e-6)


@pytest.mark.parametrize("name", ["torusN", "torusC"])
def test_a_cluster_across_the_wrap_is_one_cluster(name):
    here = TorusN(2) if name == "torusN" else TorusC(1)
    turns = np.random.default_rng(0).normal(0, 0.02, (400, 1)) + np.repeat([0.0, 0.5], 200)[:, None]
    raw = here.point(turns) if name == "torusN" else turns
    product = ProductCodes(here, bits=1, subspaces=1).fit(raw)
    centres = np.sort(here.turns(product.decode(np.array([[0], [1]]))).ravel())
    off = centres - np.round(2 * centres) / 2
    assert np.abs(off).max() < 0.01
    codes = product.encode(raw)[:, 0]
    assert len(set(codes[:200])) == len(set(codes[200:])) == 1


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_table_distances_are_those_of_the_vectors(name):
    raw = raw_for(name)
    product = ProductCodes(space(name, 8), bits=4, subspaces=2, on="floats").fit(raw)
    codes = product.encode(raw[:40])
    vectors = product.vectors(codes)
    symmetric = ((product.vectors(product.encode(raw[40:50]))[:, None] - vectors) ** 2).sum(axis=-1)
    np.testing.assert_allclose(product.distances(raw[40:50], codes), symmetric, atol=1e-5)
    points = space(name, 8).project(raw[40:50])
    asymmetric = ((points[:, None] - vectors) ** 2).sum(axis=-1)
    np.testing.assert_allclose(product.distances(raw[40:50], codes, symmetric=False), asymmetric, atol=1e-5)


def test_decoded_tori_are_tori_and_more_bits_are_closer():
    raw = raw_for("torusN", 2000)
    errors = []
    for bits in (2, 4, 6):
        product = ProductCodes(TorusN(8), bits, subspaces=4).fit(raw)
        back = product.decode(product.encode(raw))
        assert TorusN(8).check(back) == (True, "")
        errors.append(TorusN(8).distance(back, raw.astype(np.float32)).mean())
    assert errors[0] > 2 * errors[1] > 4 * errors[2]


def test_a_sphere_decodes_to_its_own_scale():
    raw = raw_for("sphere", 2000)
    for on in ("codes", "floats"):
        product = ProductCodes(Sphere(8), 8, subspaces=4, on=on).fit(raw)
        assert np.abs(product.decode(product.encode(raw)) - raw).mean() < 0.06


def test_padding_changes_no_distance():
    raw = TorusC(6).turns(np.random.default_rng(0).random((500, 6)))
    product = ProductCodes(TorusC(6), bits=4, subspaces=4, pad=True).fit(raw)
    assert product.decode(product.encode(raw)).shape == (500, 6)
    assert product.vectors(product.encode(raw)).shape == (500, 12)


def test_the_papers_settings_have_the_papers_sizes():
    settings = {(8, 16): 128, (8, 4): 32, (8, 2): 16, (8, 1): 8, (4, 4): 16, (4, 2): 8}
    for (bits, subspaces), total in settings.items():
        product = ProductCodes(Sphere(64), bits, subspaces)
        assert product.bits_per_vector == total
        assert product.codebook_size == 2**bits * 64
        assert product.possible_values == 2**total
    assert ProductCodes(Sphere(64), 8, 16).name == "pq8x16"


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="8 circles do not divide into 16 pieces; choose a divisor, or pad=True"):
        ProductCodes(TorusN(16), 8, 16)
    with pytest.raises(ValueError, match="100 rows are too few for 256 centroids"):
        ProductCodes(TorusN(16), 8, 2).fit(np.ones((100, 16)))
    with pytest.raises(ValueError, match="pq8x2 has not seen data yet"):
        ProductCodes(TorusN(16), 8, 2).encode(np.ones((1, 16)))
    with pytest.raises(ValueError, match="bits is 12; a coordinate has 1 to 8 bits"):
        ProductCodes(TorusN(16), 12, 2)
    with pytest.raises(ValueError, match="on is 'bytes'"):
        ProductCodes(TorusN(16), 8, 2, on="bytes")
