import numpy as np
import pytest

from hypertorus import Sphere, TorusC, TorusN
from hypertorus.codes import GridCodes, ProductCodes
from hypertorus.evaluation import evaluate_split
from hypertorus.evaluation.agreement import rank_agreement
from hypertorus.evaluation.measures import hits, map_at_r, precision_at, r_precision, recall_at
from hypertorus.evaluation.neighbours import nearest_codes, nearest_vectors


def clouds(n: int = 60, classes: int = 3, seed: int = 0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % classes
    centres = np.random.default_rng(9).normal(size=(classes, 8))
    return centres[labels] + 0.4 * rng.normal(size=(n, 8)), labels


def test_measures_are_their_definitions():
    rng = np.random.default_rng(0)
    labels, queries = rng.integers(0, 3, 40), rng.integers(0, 3, 25)
    order = np.stack([rng.permutation(40) for _ in range(25)])
    found = hits(order, labels, queries)
    relevant = np.array([(labels == q).sum() for q in queries])
    mean_r, mean_map, recall = [], [], []
    for row, q, r in zip(order, queries, relevant, strict=True):
        right = [labels[p] == q for p in row]
        mean_r.append(sum(right[:r]) / r)
        mean_map.append(sum(sum(right[: i + 1]) / (i + 1) for i in range(r) if right[i]) / r)
        recall.append(sum(right[:7]) / r)
    assert r_precision(found, relevant) == pytest.approx(np.mean(mean_r))
    assert map_at_r(found, relevant) == pytest.approx(np.mean(mean_map))
    assert recall_at(found, relevant, 7) == pytest.approx(np.mean(recall))
    assert precision_at(found, 7) == pytest.approx(
        np.mean([labels[row[:7]] == q for row, q in zip(order, queries, strict=True)])
    )


def test_equal_vectors_come_in_order_of_position():
    vectors = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [1, 0]], np.float32)
    np.testing.assert_array_equal(nearest_vectors(vectors, vectors[:2], 4), [[0, 2, 4, 1], [1, 3, 0, 2]])


def test_equal_distances_come_in_order_of_position():
    vectors = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]], np.float32)
    np.testing.assert_array_equal(nearest_vectors(vectors, np.zeros((1, 2)), 3), [[0, 1, 2]])


@pytest.mark.parametrize("bits", range(1, 9))
def test_codes_are_searched_as_integers(bits):
    torus = TorusN(16)
    grid = GridCodes(torus, bits)
    rng = np.random.default_rng(bits)
    codes, queries = (grid.encode(rng.normal(size=(n, 16))) for n in (300, 20))
    steps = np.abs(codes[None].astype(int) - queries[:, None])
    l1 = np.minimum(steps, 2**bits - steps).sum(axis=-1)
    want = np.argsort(l1, axis=1, kind="stable")[:, :10]
    np.testing.assert_array_equal(nearest_codes(codes, queries, 10, grid, "l1"), want)


def test_one_call_measures_everything():
    (train, train_labels), (test, test_labels) = clouds(90), clouds(30, seed=1)
    row = evaluate_split(train, train_labels, test, test_labels, TorusN(8), GridCodes(TorusN(8), 4), k=5, full=True)
    assert (row.space, row.dim, row.intrinsic_dim, row.quantiser, row.bits_per_vector) == ("torusN", 8, 4, "4bit", 16)
    assert row.precision_at_1 > 0.9
    assert 0 < row.map_at_r <= row.r_precision <= 1
    assert 0.1 < row.recall_at_k < 5 / 30 + 1e-9
    assert 0.4 < row.neighbour_recall < 1
    assert 0 < row.rank_agreement <= 1
    assert 2 < row.bits_used < 4
    assert list(row.as_dict())[:4] == ["space", "dim", "intrinsic_dim", "quantiser"]


def test_agreement_without_a_shared_pair_is_not_a_number():
    assert np.isnan(rank_agreement(np.array([[1, 2]]), np.array([[3, 4]])))


def test_what_cannot_be_measured_is_refused():
    (train, labels), torus = clouds(30), TorusN(8)
    with pytest.raises(ValueError, match=r"test has 30 rows but labels of shape \(29,\); give each row one"):
        evaluate_split(train, labels, train, labels[1:], torus)
    with pytest.raises(ValueError, match="train has one class only"):
        evaluate_split(train, 0 * labels, train, 0 * labels, torus)
    with pytest.raises(ValueError, match="k is 31; train has 30 rows, so it must be 1 to 30"):
        evaluate_split(train, labels, train, labels, torus, k=31)
    with pytest.raises(ValueError, match=r"the quantiser is for TorusN\(dim=16\), the embeddings for TorusN\(dim=8\)"):
        evaluate_split(train, labels, train, labels, torus, GridCodes(TorusN(16)))
    with pytest.raises(ValueError, match=r"test has labels such as .*7.*, and no row of train has any of them"):
        evaluate_split(train, labels, train, labels + 7, torus)
    with pytest.warns(UserWarning, match="1 of 30 test rows have labels that no row of train has"):
        known = evaluate_split(train, labels, train, np.where(np.arange(30) == 3, 99, labels), torus)
    assert known.precision_at_1 == pytest.approx(29 / 30)
    broken = train.copy()
    broken[3, 3] = np.nan
    with pytest.raises(ValueError, match="NaN or an infinity in row 3"):
        evaluate_split(broken, labels, train, labels, torus)
    with pytest.raises(ValueError, match=r"train has shape \(8,\); pass a matrix"):
        evaluate_split(train[0], labels, train, labels, torus)
    with pytest.raises(ValueError, match="asymmetric comparison is for codes of a torus"):
        evaluate_split(train, labels, train, labels, Sphere(8), GridCodes(Sphere(8)), asymmetric=True)
    with pytest.raises(ValueError, match="the grid has 3 bits; asymmetric comparison is for 8, 4, 2 and 1"):
        evaluate_split(train, labels, train, labels, torus, GridCodes(torus, 3), asymmetric=True)
    with pytest.raises(ValueError, match="10 neighbours are too few; the largest class needs 12"):
        r_precision(np.ones((2, 10), bool), np.array([3, 12]))


def test_asymmetric_is_allowed_where_it_makes_sense():
    train, labels = clouds(300)
    for space, on in ((TorusC(8), "codes"), (Sphere(8), "floats")):
        product = ProductCodes(space, 4, 4, on=on)
        assert evaluate_split(train, labels, train, labels, space, product, asymmetric=True).precision_at_1 > 0.5


def test_asymmetric_grid_codes_are_nearer_to_the_floats():
    train, labels = clouds(300)
    test, test_labels = clouds(300, seed=1)
    for torus in (TorusN(8), TorusC(8)):
        for bits in (1, 2):
            rows = [
                evaluate_split(train, labels, test, test_labels, torus, GridCodes(torus, bits), asymmetric=asymmetric)
                for asymmetric in (False, True)
            ]
            assert rows[1].neighbour_recall > rows[0].neighbour_recall
    floats = [evaluate_split(train, labels, test, test_labels, torus, asymmetric=flag) for flag in (False, True)]
    assert floats[0] == floats[1]
