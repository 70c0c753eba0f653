import copy
from pathlib import Path

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid

from hypertorus import TorusN, space
from hypertorus.codes import GridCodes
from hypertorus.evaluation import CodePrototypes, PointPrototypes

GOLDEN = np.load(Path(__file__).parents[1] / "losses" / "golden" / "protoclr_16d.npz")


def clouds(n: int = 120, classes: int = 6, dim: int = 16, seed: int = 0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % classes
    centres = np.random.default_rng(9).normal(size=(classes, dim))
    return centres[labels] + 0.9 * rng.normal(size=(n, dim)), labels


@pytest.mark.parametrize("name", ["sphere", "torusN"])
def test_the_published_accuracy_comes_out(name):
    here = space(name, 16)
    prototypes = PointPrototypes().fit(here.project(GOLDEN["support"]), GOLDEN["support_labels"])
    right = prototypes.predict(here.project(GOLDEN["query"])) == GOLDEN["query_labels"]
    assert right.mean() == pytest.approx(float(GOLDEN[f"{name}_accuracy"]), abs=1e-6)


def test_points_are_told_as_by_scikit_learn():
    (rows, labels), (queries, _) = clouds(60), clouds(500, seed=1)
    names = np.array([f"class {label}" for label in labels])
    points, asked = (TorusN(16).project(raw) + 5 for raw in (rows, queries))
    want = NearestCentroid().fit(points, names).predict(asked)
    np.testing.assert_array_equal(PointPrototypes().fit(points, names).predict(asked), want)


@pytest.mark.parametrize("bits", [8, 4, 2, 1])
def test_codes_are_told_as_by_the_definition(bits):
    grid = GridCodes(TorusN(16), bits)
    (rows, labels), (queries, _) = clouds(18), clouds(200, seed=1)
    codes, asked = grid.encode(rows), grid.encode(queries)
    prototypes = CodePrototypes(bits).fit(codes, labels)
    for label, code in zip(prototypes.labels, prototypes.codes, strict=True):
        sums = np.exp(2j * np.pi * codes[labels == label] / 2**bits).sum(axis=0)
        off = np.angle(sums * np.exp(-2j * np.pi * code / 2**bits)) / (2 * np.pi) * 2**bits
        assert np.abs(off[np.abs(sums) > 0.1]).max() < 0.52
    for query, found in zip(asked, prototypes.predict(asked), strict=True):
        l1 = [
            sum(min((int(a) - int(b)) % 2**bits, (int(b) - int(a)) % 2**bits) for a, b in zip(query, code, strict=True))
            for code in prototypes.codes
        ]
        assert found == prototypes.labels[l1.index(min(l1))]


@pytest.mark.parametrize("kind", ["points", "codes"])
def test_examples_learned_one_by_one_are_examples_fitted(kind):
    (rows, labels), (queries, _) = clouds(60), clouds(300, seed=1)
    as_rows = TorusN(16).project if kind == "points" else GridCodes(TorusN(16)).encode
    rows, queries = as_rows(rows), as_rows(queries)
    fitted, learned = (PointPrototypes() if kind == "points" else CodePrototypes() for _ in range(2))
    fitted.fit(rows, labels)
    for row, label in zip(rows, labels, strict=True):
        learned.learn(row, label)
    np.testing.assert_array_equal(learned.predict(queries), fitted.predict(queries))


def test_a_new_class_moves_no_other():
    codes = GridCodes(TorusN(16)).encode(clouds(60)[0])
    prototypes = CodePrototypes().fit(codes[:40], ["wren", "robin"] * 20)
    before = prototypes.codes
    prototypes.learn(codes[50], "nightingale")
    np.testing.assert_array_equal(prototypes.codes[:2], before)
    assert prototypes.labels.tolist() == ["robin", "wren", "nightingale"]
    assert prototypes.predict(codes[50:51]).tolist() == ["nightingale"]


def test_equally_near_classes_go_to_the_first():
    codes = np.array([[10], [30]], np.uint8)
    assert CodePrototypes().fit(codes, ["b", "a"]).predict(np.array([[20]], np.uint8)).tolist() == ["a"]
    assert CodePrototypes().learn(codes[0], "b").learn(codes[1], "a").predict(np.array([[20]])).tolist() == ["b"]


def test_fit_forgets_what_was_known():
    codes = GridCodes(TorusN(16)).encode(clouds(60)[0])
    prototypes = CodePrototypes().fit(codes[:, :3], ["a"] * 60).fit(codes, [1] * 60)
    assert prototypes.labels.tolist() == [1]
    assert prototypes.codes.shape == (1, 8)


def test_what_cannot_be_learned_is_refused_and_changes_nothing():
    points, labels = TorusN(16).project(clouds(60)[0]), clouds(60)[1]
    codes = GridCodes(TorusN(16), 4).encode(clouds(60)[0])
    with pytest.raises(ValueError, match="there are no prototypes yet; call fit or learn first"):
        CodePrototypes().predict(codes)
    with pytest.raises(ValueError, match=r"there are 60 examples but labels of shape \(59,\); give each one label"):
        PointPrototypes().fit(points, labels[1:])
    with pytest.raises(ValueError, match="4 bits hold 0 to 15"):
        CodePrototypes(4).fit(codes + np.uint8(9), labels)
    with pytest.raises(ValueError, match="bits is 3; a coordinate has 8, 4, 2 or 1"):
        CodePrototypes(3)
    with pytest.raises(ValueError, match=r"rows has shape \(16,\); pass a matrix"):
        PointPrototypes().fit(points[0], labels)
    known = PointPrototypes().fit(points, labels)
    before = copy.deepcopy(known.predict(points))
    with pytest.raises(ValueError, match="its last axis must hold 16 numbers"):
        known.learn(points[0, :8], 3)
    with pytest.raises(ValueError, match="NaN or an infinity"):
        known.learn(points[0] * np.nan, 3)
    with pytest.raises(TypeError, match="label is 'wren', but the others are int64; use one kind of label"):
        known.learn(points[0], "wren")
    np.testing.assert_array_equal(known.predict(points), before)
