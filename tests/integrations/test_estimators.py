import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from hypertorus.integrations.sklearn import NeighbourCoder, TorusKNeighborsClassifier, TorusQuantizer
from hypertorus.search import distances


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [TorusQuantizer(), TorusQuantizer("torusC", 4), TorusKNeighborsClassifier(), NeighbourCoder(1, steps=2)]
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def digits():
    pixels, labels = load_digits(return_X_y=True)
    return train_test_split(pixels / 32, labels, random_state=0)


def test_codes_drop_into_a_pipeline():
    train, test, train_labels, test_labels = digits()
    pipeline = make_pipeline(TorusQuantizer("torusC"), TorusKNeighborsClassifier(3))
    assert pipeline.fit(train, train_labels).score(test, test_labels) > 0.97
    direct = TorusKNeighborsClassifier(3, space="torusC").fit(train, train_labels)
    np.testing.assert_array_equal(direct.predict(test), pipeline.predict(test))
    found = GridSearchCV(pipeline, {"torusquantizer__bits": [4, 8]}, cv=2, error_score="raise")
    pipeline.set_params(torusquantizer__bits=8)
    assert found.fit(train[:300], train_labels[:300]).best_score_ > 0.9


def test_neighbours_are_those_of_scikit_learn_on_the_same_distances():
    train, test, train_labels, _ = digits()
    quantizer = TorusQuantizer("torusC").fit(train)
    codes, queries = quantizer.transform(train), quantizer.transform(test)
    ours = TorusKNeighborsClassifier(5, metric="l1").fit(codes, train_labels)
    theirs = KNeighborsClassifier(5, metric="precomputed", algorithm="brute")
    theirs.fit(distances(codes, codes, "l1"), train_labels)
    np.testing.assert_array_equal(ours.kneighbors(queries)[0], np.sort(distances(queries, codes, "l1"))[:, :5])
    same = ours.predict(queries) == theirs.predict(distances(queries, codes, "l1"))
    assert same.mean() > 0.99


def test_distance_weights_favour_the_near():
    codes, labels = np.array([[0], [10], [11]], np.uint8), np.array(["a", "b", "b"])
    near = TorusKNeighborsClassifier(3, metric="l1", weights="distance").fit(codes, labels)
    assert near.predict(np.array([[1], [0], [10]], np.uint8)).tolist() == ["a", "a", "b"]
    even_votes = TorusKNeighborsClassifier(3, metric="l1").fit(codes, labels)
    assert even_votes.predict(np.array([[1]], np.uint8)).tolist() == ["b"]


def test_decoding_gives_back_the_angle():
    rows = np.random.default_rng(0).normal(size=(20, 6))
    quantizer = TorusQuantizer().fit(rows)
    codes = quantizer.transform(rows)
    np.testing.assert_array_equal(quantizer.transform(quantizer.inverse_transform(codes)), codes)
    assert quantizer.get_feature_names_out().tolist() == ["torusquantizer0", "torusquantizer1", "torusquantizer2"]


def test_what_makes_no_sense_is_refused():
    rows, labels = np.random.default_rng(0).random((10, 4)), np.arange(10) % 2
    with pytest.raises(ValueError, match="space is 'sphere'; choose a torus"):
        TorusQuantizer("sphere").fit(rows)
    with pytest.raises(ValueError, match="weights is 'square'"):
        TorusKNeighborsClassifier(weights="square").fit(rows, labels)
    fitted = TorusKNeighborsClassifier().fit(rows, labels)
    with pytest.raises(ValueError, match="X holds codes, but this classifier was fitted on raw numbers"):
        fitted.predict(rows.astype(np.uint8))
