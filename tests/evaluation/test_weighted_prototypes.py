import numpy as np
import pytest

from hypertorus import CodePrototypes, GridCodes, PointPrototypes, TorusN, WeightedPrototypes, few_shot


def clouds(n, seed, classes=6, dim=32, noise=1.5):
    """Classes that agree on some coordinates and are spread over the circle on others."""
    labels, rng = np.arange(n) % classes, np.random.default_rng(seed)
    centres = np.random.default_rng(9).normal(size=(classes, dim)) * np.repeat([2.0, 0.0], dim // 2)
    return centres[labels] + noise * rng.normal(size=(n, dim)), labels


@pytest.mark.parametrize("bits", [8, 4, 2, 1])
def test_rows_are_told_as_by_the_definition(bits):
    grid = GridCodes(TorusN(32), bits)
    (rows, labels), (queries, _) = clouds(30, 0), clouds(100, 1)
    codes, asked = grid.encode(rows), grid.encode(queries)
    prototypes = WeightedPrototypes(bits).fit(codes, labels)
    means = np.array([np.exp(2j * np.pi * codes[labels == c] / 2**bits).mean(axis=0) for c in prototypes.labels])
    sure = np.abs(3 * np.abs(means) % 1 - 0.5) > 1e-3
    np.testing.assert_array_equal(prototypes.lengths[sure], np.rint(3 * np.abs(means))[sure])
    angles = 2 * np.pi * (asked[:, None].astype(float) - prototypes.codes) / 2**bits
    closeness = (prototypes.lengths * np.cos(angles) - prototypes.lengths**2 / 6.0).sum(axis=-1)
    best = np.sort(closeness, axis=1)
    clear = best[:, -1] - best[:, -2] > 1e-3
    np.testing.assert_array_equal(prototypes.predict(asked)[clear], prototypes.labels[closeness.argmax(axis=1)][clear])
    assert clear.mean() > 0.7


def test_lengths_win_back_what_codes_lose_against_points():
    (rows, labels), (queries, wanted), torus = clouds(30, 0), clouds(2000, 1), TorusN(32)
    codes, asked = (GridCodes(torus).encode(raw) for raw in (rows, queries))
    points = PointPrototypes().fit(torus.project(rows), labels).predict(torus.project(queries))
    found = [kind().fit(codes, labels).predict(asked) for kind in (CodePrototypes, WeightedPrototypes)]
    plain, weighted, floats = ((each == wanted).mean() for each in (*found, points))
    assert plain < floats - 0.02
    assert weighted > floats - 0.01


def test_examples_learned_one_by_one_are_examples_fitted():
    rows, labels = clouds(40, 0)
    codes, taught = GridCodes(TorusN(32)).encode(rows), WeightedPrototypes()
    for code, label in zip(codes, labels, strict=True):
        taught.learn(code, label)
    np.testing.assert_array_equal(taught.lengths, WeightedPrototypes().fit(codes, labels).lengths)


def test_no_shift_of_all_codes_changes_what_codes_find():
    """Centring by the mean of the examples is such a shift: it cannot help codes, whose distances only differ by it."""
    (rows, labels), (queries, _) = clouds(30, 0), clouds(200, 1)
    codes, asked = (GridCodes(TorusN(32)).encode(raw) for raw in (rows, queries))
    shift = np.random.default_rng(0).integers(256, size=16).astype(np.uint8)
    for kind in (CodePrototypes, WeightedPrototypes):
        found, shifted = (kind().fit(codes - by, labels).predict(asked - by) for by in (np.uint8(0), shift))
        assert (found == shifted).mean() > 0.98  # a tie, or a mean between two codes, may fall the other way


def test_few_shot_measures_them_by_name():
    rows, labels = clouds(300, 0)
    measured = few_shot(rows, labels, TorusN(32), GridCodes(TorusN(32)), shots=5, episodes=3, lengths=True)
    assert measured.quantiser == "8bit-lengths"
    with pytest.raises(ValueError, match="points keep the lengths of their means anyway"):
        few_shot(rows, labels, TorusN(32), lengths=True)
