"""Product codes as the paper has them, to compare ours with."""

from pathlib import Path

import numpy as np
import pytest

from hypertorus.codes import PlainProductCodes, ProductCodes, quantiser
from hypertorus.evaluation import evaluate_split
from hypertorus.spaces import Sphere, TorusC, TorusN, space

GOLDEN = Path(__file__).parent.parent / "evaluation" / "golden"


def across_the_wrap(seed):
    """Turns of two groups on each circle, one of them across the wrap."""
    rng = np.random.default_rng(seed)
    return (rng.choice([0.0, 0.5], size=(600, 2)) + rng.normal(scale=0.03, size=(600, 2))) % 1


def test_plain_means_lie_where_nobody_is():
    turns = across_the_wrap(0)
    errors = {}
    for kind in (PlainProductCodes, ProductCodes):
        codes = kind(TorusC(2), bits=1, subspaces=2).fit(turns)
        errors[kind] = TorusC(2).distance(codes.decode(codes.encode(turns)), turns, "l1").mean()
    assert errors[ProductCodes] < 0.06
    assert errors[PlainProductCodes] > 0.2


def test_plain_and_wrapped_agree_away_from_the_wrap():
    turns = across_the_wrap(1) / 4 + 0.3
    turns = np.where(turns > 0.5, turns - 0.1, turns)
    plain, wrapped = (kind(TorusC(2), bits=2, subspaces=1).fit(turns) for kind in (PlainProductCodes, ProductCodes))
    loss = [TorusC(2).distance(each.decode(each.encode(turns)), turns, "l1").mean() for each in (plain, wrapped)]
    assert loss[0] == pytest.approx(loss[1], abs=0.005)


PUBLISHED = {
    "torusN": {"pq8x2": 0.706, "pq8x1": 0.693, "pq4x4": 0.714, "pq4x2": 0.676},
    "torusC": {"pq8x2": 0.664, "pq8x1": 0.580, "pq4x4": 0.653, "pq4x2": 0.619},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_as_published_gives_the_published_precision(name):
    """On the published embeddings, up to the chance of k-means and of equal distances."""
    with np.load(GOLDEN / "embeddings_16d.npz") as file:
        sets = file[f"{name}_train"], file["train_labels"], file[f"{name}_val"], file["val_labels"]
    torus = space(name, 16)
    for quantised, precision in PUBLISHED[name].items():
        found = evaluate_split(*sets, torus, quantiser(f"{quantised}-published", torus))
        assert found.precision_at_1 == pytest.approx(precision, abs=0.01)


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("torus", [TorusC(2), TorusN(4)])
def test_decoding_gives_numbers_near_those_encoded(torus, published):
    turns = across_the_wrap(2) / 4 + 0.3
    raw = torus.point(turns) if torus.dim == 4 else turns
    codes = PlainProductCodes(torus, bits=8, subspaces=2, published=published).fit(raw)
    assert torus.distance(torus.turns(codes.decode(codes.encode(raw))), turns, "l1").max() < 0.02


def test_names_and_errors():
    assert quantiser("pq4x2-plain", TorusN(8)).name == "pq4x2-plain"
    assert repr(quantiser("pq4x2-published", TorusN(8))) == "PlainProductCodes(TorusN(dim=8), bits=4, subspaces=2)"
    with pytest.raises(ValueError, match="no wrap to be blind to"):
        quantiser("pq4x2-plain", Sphere(8))
    with pytest.raises(ValueError, match="has not seen data"):
        quantiser("pq4x2-plain", TorusN(8)).encode(np.ones((3, 8)))
