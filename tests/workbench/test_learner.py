"""What is learnt from few answers finds the rest, is measured honestly, and is the same after a save."""

import json
from itertools import pairwise

import numpy as np
import pytest

from hypertorus.files.tensors import TensorFileError
from hypertorus.search import Index
from hypertorus.workbench import Items, Learner, open_classifiers, save_classifiers
from hypertorus.workbench.examples import Examples, points_of
from hypertorus.workbench.learner import MARGIN
from hypertorus.workbench.left_out import folds, skill_of
from hypertorus.workbench.linear import Background, fit_linear
from hypertorus.workbench.prototypes import fit_means, left_out_scores


def answered(items, is_call, yes=8, no=12):
    rows = [*np.flatnonzero(is_call)[:yes], *np.flatnonzero(~is_call)[:no]]
    return {items.key(row): "yes" if is_call[row] else "no" for row in rows}


@pytest.mark.parametrize(("bits", "least"), [(8, 0.9), (4, 0.9), (2, 0.75)])
def test_few_answers_find_the_rest(bits, least, archive):
    index, is_call = archive(bits=bits)
    items = Items.of(index)
    call = Learner(index).learn("call", answered(items, is_call))
    scores = call.scores(index)
    assert skill_of(scores.astype(float), is_call).average_precision > least
    assert call.skill is not None
    assert call.skill == call.compared[0][1]
    assert call.skill.average_precision >= max(skill.average_precision for _, skill in call.compared) - MARGIN
    np.testing.assert_array_equal(scores, call.scores_of(index.vectors(index.ids)))
    assert ((scores >= call.boundary) == is_call).mean() > 0.9


def test_scores_are_the_sums_of_the_tables(archive):
    index, is_call = archive(bits=4)
    call = Learner(index).learn("call", answered(Items.of(index), is_call))
    codes = index.vectors(index.ids)
    sums = [
        [int(offset) + sum(int(table[i, code[i]]) for i in range(len(code))) for code in codes[:20]]
        for table, offset in zip(call.tables, call.offsets, strict=True)
    ]
    best = np.max(sums[: call.yes_tables], axis=0)
    expected = best - np.max(sums[call.yes_tables :], axis=0) if call.yes_tables < len(sums) else best
    np.testing.assert_array_equal(call.scores(index)[:20], expected)


def test_shares_are_of_the_distance_between_yes_and_no():
    index = Index(2)
    codes = np.array([[0, 0], [1, 0], [2, 1], [3, 2], [60, 70], [80, 80], [90, 60], [128, 128]])
    index.add(codes, names=[f"{number}.jpg" for number in range(8)])
    said = dict.fromkeys(("1.jpg", "2.jpg", "3.jpg", "4.jpg", "5.jpg"), "no") | {"0.jpg": "yes"}
    owl = Learner(index).learn("owl", said)  # the boundary is nearer to the yes than the nos usually are
    scores = owl.scores(index)
    shares = owl.share(scores)
    assert owl.share(np.array([owl.boundary]))[0] == 0.5
    assert shares[7] > 1e-6  # the farthest is a no like others, not an impossible one
    assert (np.argsort(shares, kind="stable") == np.argsort(scores, kind="stable")).all()
    assert owl.share(np.array([-(2**31), 2**31 - 1])).tolist() == [0, 1]  # without a warning of overflow


def test_calls_that_fall_apart_get_a_prototype_each(archive):
    index, is_call = archive()
    call = Learner(index).learn("call", answered(Items.of(index), is_call, yes=12, no=20))
    skills = {name: skill.average_precision for name, skill in call.compared}
    assert skills["2 prototypes"] > skills["1 prototype"] + 0.1


def some_examples(seed=3, n=40):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 256, (n, 6), np.uint8)
    yes = rng.random(n) < 0.4
    codes[yes, :3] = 100 + rng.integers(0, 60, (yes.sum(), 3))
    return Examples(codes, 8, yes, rng.integers(0, 12, n)), Background.of(points_of(codes, 8))


def test_left_out_scores_are_those_of_fits_without_the_recording():
    examples, background = some_examples()
    fit = fit_linear(examples, examples.points, background, 0.03)
    rows = np.c_[examples.points - background.mean, np.ones(len(examples))]
    weights = np.where(examples.yes, 1 / examples.yes.sum(), 1 / (~examples.yes).sum())
    targets = np.where(examples.yes, 1.0, -1.0)
    for fold in folds(examples.recordings, examples.yes):
        kept = np.setdiff1d(np.arange(len(examples)), fold)
        normal = background.product + (rows[kept].T * weights[kept]) @ rows[kept]
        normal += np.diag([*np.full(rows.shape[1] - 1, 0.03), 1e-6])
        solved = np.linalg.solve(normal, rows[kept].T @ (weights * targets)[kept] - background.product[-1])
        np.testing.assert_allclose(fit.left_out[fold], rows[fold] @ solved, rtol=1e-6)
    np.testing.assert_allclose(
        left_out_scores(examples, examples.points, background.mean, 2)[fold],
        fit_means(examples.points[kept], examples.yes[kept], background.mean, 2).scores(examples.points[fold]),
    )


def test_no_recording_is_on_both_sides():
    rng = np.random.default_rng(1)
    recordings, yes = rng.integers(0, 50, 300), rng.random(300) < 0.2
    parts = folds(recordings, yes)
    assert sorted(np.concatenate(parts).tolist()) == list(range(300))
    assert len(parts) == 20
    for one, other in pairwise(parts):
        assert not set(recordings[one]) & set(recordings[other])


def test_skill_is_that_of_the_definitions():
    rng = np.random.default_rng(0)
    scores, yes = rng.permutation(60), rng.random(60) < 0.3
    found = skill_of(scores.astype(float), yes)
    precisions = [yes[scores >= scores[row]].mean() for row in np.flatnonzero(yes)]
    pairs = [one > other for one in scores[yes] for other in scores[~yes]]
    assert found == pytest.approx((np.mean(precisions), np.mean(pairs)))


def test_one_yes_is_enough_and_is_not_measured(archive):
    index, is_call = archive()
    items = Items.of(index)
    call = Learner(index).learn("call", answered(items, is_call, yes=1, no=0))
    assert call.skill is None
    assert call.scores(index).argmax() == np.flatnonzero(is_call)[0]


def test_what_teaches_nothing_is_an_error(archive):
    index, _ = archive()
    items = Items.of(index)
    with pytest.raises(ValueError, match="answered with yes for 'call'"):
        Learner(index).learn("call", {items.key(0): "no"})
    with pytest.raises(ValueError, match="answer some first"):
        Learner(index).learn("call", {items.key(0): "unsure", "elsewhere": "yes"})
    with pytest.raises(ValueError, match="the index is empty"):
        _ = Learner(Index(4)).background


def test_a_saved_classifier_is_the_same_and_grows(tmp_path, archive):
    index, is_call = archive()
    items, learner = Items.of(index), Learner(index)
    said = answered(items, is_call, yes=3, no=4)
    call, other = learner.learn("call", said), learner.learn("other", {items.key(0): "yes"})
    save_classifiers([call, other], tmp_path / "classes.safetensors")
    again, _ = open_classifiers(tmp_path / "classes.safetensors")
    assert (again.name, again.method, again.boundary, again.skill, again.compared, again.model) == (
        *(call.name, call.method, call.boundary, call.skill, call.compared, index.model),
    )
    np.testing.assert_array_equal(again.scores(index), call.scores(index))
    more = answered(items, is_call, yes=10, no=10)
    grown = learner.grown(again, {key: more[key] for key in list(more)[3:]} | {next(iter(said)): "no"})
    assert len(grown.examples) == len(more)
    assert grown.examples.yes.sum() == 9
    np.testing.assert_array_equal(np.sort(grown.examples.codes, axis=0), np.sort(learner.examples(more).codes, axis=0))


def test_a_flip_in_any_byte_and_every_cut_is_noticed(tmp_path, archive):
    index, is_call = archive(bits=1)
    path = tmp_path / "classes.safetensors"
    save_classifiers([Learner(index).learn("call", answered(Items.of(index), is_call, yes=2, no=2))], path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 5):
        content = bytearray(whole)
        content[place] ^= 1 << place % 7
        path.write_bytes(content)
        try:
            (opened,) = open_classifiers(path)
        except TensorFileError:
            continue
        assert json.loads(whole[8:][: whole[0] + 256 * whole[1]]) == json.loads(
            content[8:][: whole[0] + 256 * whole[1]]
        )
        assert opened.name == "call"  # a space of the header that became another space
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        with pytest.raises(TensorFileError):
            open_classifiers(path)


def test_classifiers_of_another_index_are_refused(tmp_path, archive):
    index, is_call = archive()
    call = Learner(index).learn("call", answered(Items.of(index), is_call))
    with pytest.raises(ValueError, match="learn it again on this index"):
        call.scores(Index(index.dim, bits=4))
    with pytest.raises(ValueError, match="codes of another model"):
        call.scores(Index(index.dim, model="e" * 64))
    with pytest.raises(ValueError, match="two classifiers are named 'call'"):
        save_classifiers([call, call], tmp_path / "classes.safetensors")
    with pytest.raises(ValueError, match="learn at least one"):
        save_classifiers([], tmp_path / "classes.safetensors")
