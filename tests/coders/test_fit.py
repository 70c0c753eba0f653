import numpy as np
import pytest
import torch

import hypertorus as ht
from hypertorus.coders.fit import USES, Sample, fitted
from hypertorus.coders.recall import held_out_recall, nearest_by_cosine, peers
from hypertorus.coders.vectors import as_rows


@pytest.mark.parametrize("kind, size", [("plain", 4), ("torus", 6)])
def test_fitting_keeps_more_neighbours_of_rows_it_has_not_seen(vectors, kind, size):
    sample = Sample.of(as_rows(vectors), seed=0)
    before, after = (
        held_out_recall(fitted(sample.base, size, kind, steps=steps), sample.base, sample.held_out)
        for steps in (0, 120)
    )
    assert after > before + 0.02


def test_the_same_seed_gives_the_same_coder_and_leaves_the_callers_seed_alone(vectors):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    first, second, other = (ht.codes_for(vectors, 4, steps=3, seed=seed).fingerprint for seed in (1, 1, 2))
    assert first == second != other
    assert torch.rand(1) == expected


def test_where_the_fit_loses_neighbours_its_beginning_is_kept():
    """Vectors without any structure are such a case: the first principal components are all that there is to keep."""
    vectors = np.random.default_rng(0).normal(size=(900, 64))
    begun, coder = (ht.codes_for(vectors, 8, steps=steps) for steps in (0, 20))
    sample = Sample.of(as_rows(vectors))
    assert held_out_recall(fitted(sample.base, 8, "plain", steps=20), sample.base, sample.held_out) < 0.34
    assert coder.facts["recall"] == begun.facts["recall"] > 0.34
    assert coder.facts["steps"] == 0


def test_a_use_chooses_the_kind(vectors):
    assert {use: ht.codes_for(vectors, 4, use=use, steps=0).kind for use in USES} == USES
    assert ht.codes_for(vectors, 4, kind="torus", steps=0).kind == "torus"


def test_recall_is_of_rows_held_out(vectors, coder):
    facts = coder.facts
    assert (facts["rows"], facts["fitted_on"], facts["held_out"]) == (1000, 900, 100)
    sample = Sample.of(as_rows(vectors), seed=0)
    assert not {row.tobytes() for row in sample.base} & {row.tobytes() for row in sample.held_out}
    assert facts["recall"] == round(held_out_recall(coder, sample.base, sample.held_out), 4)
    exact = nearest_by_cosine(sample.base, sample.held_out)
    np.testing.assert_array_equal(exact, np.argsort(-(sample.held_out @ sample.base.T), axis=1, kind="stable")[:, :10])


def test_held_out_rows_are_searched_among_all_up_to_a_hundred_thousand():
    rows = np.random.default_rng(0).normal(size=(110_000, 2))
    sample = Sample.of(as_rows(rows))
    assert (len(sample.base), len(sample.held_out), sample.rows) == (99_000, 1_000, 110_000)


def test_product_codes_are_measured_on_the_same_rows(vectors):
    sample = Sample.of(as_rows(vectors), seed=0)
    found = peers(sample.base, sample.held_out, 4)
    assert found.keys() == {"PQ", "OPQ"}
    assert all(0.1 < recall < 1 for recall in found.values())
    assert peers(sample.base, sample.held_out, 3) == {}


def test_constant_numbers_and_few_rows_do_no_harm():
    rows = np.random.default_rng(0).normal(size=(20, 30))
    rows[:, 10:] = 1
    for kind in ("plain", "torus"):
        coder = ht.codes_for(rows, 15, kind=kind, steps=5)
        assert np.isfinite(np.concatenate([array.ravel() for array in coder.weights.values()])).all()


@pytest.mark.parametrize(
    "options, sentence",
    [
        (
            {"bytes": 21},
            "bytes is 21, but vectors of 40 numbers at no more than 4 bits each fill 20; choose 20 or fewer",
        ),
        ({"bytes": 0}, "bytes is 0; pass a whole number from 1"),
        ({"use": "boat"}, "use is 'boat'; choose one of search, cells, microcontroller"),
        ({"kind": "round"}, "kind is 'round'; choose one of plain, torus"),
        ({"steps": -1}, "steps is -1"),
        ({"vectors": np.ones((5, 40))}, "there are 5 vectors; a coder is fitted to at least 20"),
        ({"vectors": np.ones(5)}, "pass a matrix of numbers"),
        ({"vectors": "nowhere.npy"}, "there is no file nowhere.npy"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_a_sentence(vectors, options, sentence):
    with pytest.raises((ValueError, OSError), match=sentence):
        ht.codes_for(**{"vectors": vectors, "bytes": 4, "steps": 1} | options)
