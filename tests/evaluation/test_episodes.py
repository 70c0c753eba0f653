import numpy as np
import pytest

from hypertorus.evaluation.episodes import Episodes


def recordings(n: int = 400, classes: int = 12, seed: int = 0):
    """Labels and groups of uneven sizes; some groups lie in several classes."""
    rng = np.random.default_rng(seed)
    labels = np.minimum(rng.geometric(0.15, n) - 1, classes - 1)
    groups = np.where(rng.random(n) < 0.1, rng.integers(0, 5, n), 100 * labels + rng.geometric(0.1, n))
    return labels, groups


@pytest.mark.parametrize("shots", [1, 3])
def test_all_classes_show_their_shots_and_ask_for_all_the_rest(shots):
    labels = np.array(["a"] * 7 + ["b"] * 4 + ["c"] * 3 + ["d"])
    for support, query in Episodes(labels, shots=shots).draw(20):
        assert sorted([*support, *query]) == list(range(len(labels)))
        assert {name: (labels[support] == name).sum() for name in "abcd"} == {
            "a": shots,
            "b": shots,
            "c": shots,
            "d": 1,
        }


def test_an_episode_has_so_many_classes_shots_and_queries():
    labels = np.repeat(np.arange(9), [40, 30, 20, 19, 18, 17, 12, 5, 4])
    for support, query in Episodes(labels, shots=5, ways=6, queries=10).draw(50):
        chosen, shown = np.unique(labels[support], return_counts=True)
        assert len(chosen) == 6
        assert (shown == 5).all()
        assert chosen.max() <= 6  # those of 5 and 4 rows have nothing left to ask for
        asked = {number: (labels[query] == number).sum() for number in chosen}
        assert asked == {number: min(10, (labels == number).sum() - 5) for number in chosen}
        assert len({*support, *query}) == len(support) + len(query)


@pytest.mark.parametrize("ways", [None, 4])
@pytest.mark.parametrize("one_per_group", [False, True])
def test_no_group_is_both_shown_and_asked_for(ways, one_per_group):
    labels, groups = recordings()
    drawn = Episodes(labels, groups, shots=3, ways=ways, queries=1000, one_per_group=one_per_group)
    for support, query in drawn.draw(50):
        assert not set(groups[support]) & set(groups[query])
        for number in np.unique(labels[support]):
            own = groups[support][labels[support] == number]
            assert len(own) == len(set(own)) == min(3, len(set(groups[labels == number])))
            askable = (labels == number) & ~np.isin(groups, groups[support])
            want = len(set(groups[askable])) if one_per_group else askable.sum()
            assert (labels[query] == number).sum() == want


def test_every_class_group_and_row_has_its_chance():
    labels = np.repeat([0, 1, 2], [10, 20, 30])
    groups = np.concatenate([np.repeat([0, 1, 2], [1, 1, 8]), np.repeat([3, 4], 10), np.repeat([5, 6], 15)])
    drawn = list(Episodes(labels, groups, shots=1, ways=2, one_per_group=True).draw(3000))
    shown = np.concatenate([episode.support for episode in drawn])
    asked = np.concatenate([episode.query for episode in drawn])
    np.testing.assert_allclose(np.bincount(labels[shown]) / 3000, 2 / 3, atol=0.04)
    by_group = np.bincount(groups[shown]) / 3000
    np.testing.assert_allclose(by_group, [2 / 9] * 3 + [1 / 3] * 4, atol=0.04)
    rows_of_5 = np.bincount(np.concatenate([shown, asked]), minlength=60)[30:45] / 3000
    np.testing.assert_allclose(rows_of_5, 2 / 3 / 15, atol=0.02)


def test_a_limit_on_queries_takes_them_by_chance_from_all_groups():
    labels, groups = np.repeat([0, 1], 40), np.repeat(np.arange(8), 10)
    asked = [episode.query for episode in Episodes(labels, groups, shots=1, ways=2, queries=5).draw(2000)]
    np.testing.assert_allclose(np.bincount(np.concatenate(asked)) / 2000, 5 / 40, atol=0.03)
    seen = np.mean([len(set(groups[query])) for query in asked])
    unseen = np.prod([(20 - i) / (30 - i) for i in range(5)])  # the chance that 5 of 30 rows miss a group of 10
    assert seen == pytest.approx(6 * (1 - unseen), abs=0.05)


def test_the_same_seed_draws_the_same():
    labels, groups = recordings()
    first, again, other = (
        np.concatenate([np.concatenate(e) for e in Episodes(labels, groups, 2, 4).draw(10, seed)]) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert first.tolist() != other.tolist()


def test_what_cannot_be_drawn_is_refused():
    labels = np.repeat([0, 1, 2], [2, 3, 4])
    for options, sentence in (
        ({"shots": 0}, "shots is 0; it must be a whole number of at least 1"),
        ({"ways": 1}, "ways is 1; it must be a whole number of at least 2"),
        ({"queries": 1.5}, "queries is 1.5; it must be a whole number of at least 1"),
        ({"one_per_group": True}, "one_per_group is set, but there are no groups"),
        ({"groups": np.arange(3)}, r"there are 9 labels but groups of shape \(3,\)"),
        (
            {"shots": 2, "ways": 3},
            "2 classes have more rows than that; an episode needs at least 3, so take fewer shots or ways",
        ),
        (
            {"shots": 4},
            "shots is 4, and 0 classes have more rows than that; an episode needs at least 1, so take fewer shots",
        ),
        ({"groups": 0 * labels}, "0 classes have more groups than that"),
        (
            {"groups": np.array([0, 1, 0, 0, 0, 1, 1, 1, 1])},
            "no row left for a query, because all rows are of support groups",
        ),
    ):
        with pytest.raises(ValueError, match=sentence):
            list(Episodes(labels, **options).draw(50))
    with pytest.raises(ValueError, match="labels has one class only"):
        Episodes(0 * labels)
    with pytest.raises(ValueError, match="episodes is 0; draw at least one"):
        list(Episodes(labels).draw(0))
