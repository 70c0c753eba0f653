"""Classes from a few examples: what they say, how they grow, and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest

from hypertorus.classes import Classes, read_classes
from hypertorus.classes.groups import groups_of
from hypertorus.classes.means import Means
from hypertorus.embeddings import Embeddings, read_embeddings
from hypertorus.search import Index

WIDTH = 32


def examples(centres, count, spread=10.0, seed=0, bits=8):
    """So many codes around each centre [width], in turn."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(scale=spread, size=(count, len(centres), WIDTH))
    return np.rint(np.asarray(centres) + noise).astype(np.int64).swapaxes(0, 1).reshape(-1, WIDTH) % 256 >> (8 - bits)


def record(codes, labels, names=("jay", "owl", "wren"), **columns):
    paths = [f"{names[label]}/{number}.wav" for number, label in enumerate(labels)]
    columns = {"model": "0123456789abcdef", "names": paths, "starts": np.zeros(len(labels)), **columns}
    return Embeddings(codes.astype(np.uint8), "codes", "torusN", labels=labels, classes=names, **columns)


@pytest.fixture(scope="module")
def centres():
    return np.random.default_rng(5).integers(256, size=(4, WIDTH))


@pytest.fixture(scope="module")
def guide(centres):
    return Classes(record(examples(centres[:3], 5), np.repeat([0, 1, 2], 5)))


def points(codes):
    angles = 2 * np.pi * np.asarray(codes, float) / 256
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)


def test_distances_are_those_of_points_to_their_means(centres):
    codes, others = examples(centres[:2], 6, spread=40.0), examples(centres[2:], 3).astype(np.uint8)
    groups = np.repeat([0, 1], 6)
    means = Means.of(codes.astype(np.uint8), groups, 8)
    expected = [points(codes[groups == group]).mean(axis=0) for group in (0, 1)]
    squared = ((points(others)[:, None] - np.array(expected)[None]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(means.distances(others, 8), squared / (4 * WIDTH), atol=2e-4)
    left = means.without_each(codes.astype(np.uint8), groups, 8)
    mean = points(codes[1:6]).mean(axis=0)
    assert left[0] == pytest.approx(((points(codes[:1])[0] - mean) ** 2).sum() / (4 * WIDTH), abs=2e-4)
    assert np.isnan(
        Means.of(codes[:1].astype(np.uint8), groups[:1], 8).without_each(codes[:1].astype(np.uint8), groups[:1], 8)
    )


def test_what_is_like_a_class_is_that_class_and_what_is_like_none_is_none(guide, centres):
    judged = guide.judge(examples(centres, 50, seed=1).astype(np.uint8))
    assert judged.classes.tolist() == np.repeat([0, 1, 2, -1], 50).tolist()
    assert judged.shares[:150].min() > 0.9
    assert (judged.shares[150:] == 0).all()
    assert judged.distances[:150].max() < judged.distances[150:].min()
    assert guide.counts == {"jay": 5, "owl": 5, "wren": 5}


def test_a_code_between_two_classes_is_sure_of_neither(centres):
    middle = (centres[0] + 16) % 256
    guide = Classes(
        record(examples([centres[0], (centres[0] + 32) % 256], 5, spread=20.0), np.repeat([0, 1], 5), ("a", "b"))
    )
    judged = guide.judge(middle[None].astype(np.uint8))
    assert judged.shares[0] < 0.8 < guide.judge(centres[:1].astype(np.uint8)).shares[0]


def test_growing_gives_exactly_what_learning_at_once_gives(centres, tmp_path):
    codes, labels = examples(centres[:3], 6, spread=60.0, seed=3), np.repeat([0, 1, 2], 6)
    whole = record(codes, labels)
    at_once, queries = Classes(whole), examples(centres, 20, spread=60.0, seed=4).astype(np.uint8)
    shuffled = np.random.default_rng(0).permutation(18)
    pieces = [Classes(whole.take(shuffled[begin : begin + 5])) for begin in (0, 5, 10, 15)]
    grown = pieces[3].with_examples([pieces[1]]).with_examples([pieces[0], pieces[2], pieces[1]])
    assert grown.names == at_once.names
    for one, other in zip(grown.judge(queries), at_once.judge(queries), strict=True):
        np.testing.assert_array_equal(one, other)
    for name, guide in (("grown", grown), ("at_once", at_once)):
        guide.examples.save(tmp_path / f"{name}.safetensors")
    assert (tmp_path / "grown.safetensors").read_bytes() == (tmp_path / "at_once.safetensors").read_bytes()


def test_examples_that_fall_apart_have_several_means(centres):
    song, call = examples([centres[0]], 3)[:, :], examples([centres[1]], 3)
    guide = Classes(record(np.concatenate([song, call, examples([centres[2]], 6)]), [0] * 6 + [1] * 6, ("owl", "wren")))
    assert guide.means == {"owl": 2, "wren": 1}
    judged = guide.judge(examples(centres, 20, seed=9).astype(np.uint8))
    assert judged.classes.tolist() == np.repeat([0, 0, 1, -1], 20).tolist()


def test_groups_of_many_examples_are_those_of_a_few_of_them(centres):
    codes = examples(centres[:2], 400).astype(np.uint8)
    assert groups_of(codes, 8).tolist() == [0] * 400 + [1] * 400
    assert groups_of(codes[:1], 8).tolist() == [0]
    assert (groups_of(np.repeat(codes[:1], 9, axis=0), 8) == 0).all()


def test_background_is_none_of_these(centres):
    names = ("jay", "Noise", "owl")
    guide = Classes(record(examples(centres[:3], 5), np.repeat([0, 1, 2], 5), names))
    judged = guide.judge(examples(centres[:3], 10, seed=1).astype(np.uint8))
    assert [guide.name(number) for number in judged.classes[::10]] == ["jay", "none of these", "owl"]
    assert guide.names == ("Noise", "jay", "owl")


@pytest.mark.parametrize("count", [1, 2])
def test_one_class_and_single_examples_have_a_radius(centres, count):
    guide = Classes(record(examples(centres[:1], count), [0] * count, ("owl",)))
    judged = guide.judge(examples(centres[:2], 5, seed=1).astype(np.uint8))
    assert judged.classes.tolist() == [0] * 5 + [-1] * 5


@pytest.mark.parametrize("bits", [4, 2, 1])
def test_codes_of_fewer_bits(centres, bits):
    guide = Classes(record(examples(centres[:3], 5, bits=bits), np.repeat([0, 1, 2], 5), bits=bits))
    judged = guide.judge(examples(centres, 20, seed=1, bits=bits).astype(np.uint8))
    assert (judged.classes == np.repeat([0, 1, 2, -1], 20)).mean() > 0.9


def test_classes_are_read_from_codes_and_from_an_index(guide, centres, tmp_path):
    queries = examples(centres, 5, seed=1).astype(np.uint8)
    guide.examples.save(tmp_path / "classes.safetensors")
    index = Index(WIDTH, model=guide.examples.model)
    index.add(guide.examples.rows, labels=guide.examples.label_names)
    index.save(tmp_path / "birds.index")
    for name in ("classes.safetensors", "birds.index"):
        opened = read_classes(tmp_path / name)
        assert opened.examples.model == guide.examples.model
        for one, other in zip(opened.judge(queries), guide.judge(queries), strict=True):
            np.testing.assert_array_equal(one, other)
    assert read_embeddings(tmp_path / "classes.safetensors").classes == ("jay", "owl", "wren")


def test_what_does_not_fit_is_told(guide, tmp_path):
    other = Classes(replace(guide.examples, model="f" * 16))
    with pytest.raises(
        ValueError, match="classes have model 0123456789abcdef and others ffffffffffffffff; put together"
    ):
        guide.with_examples([other])
    with pytest.raises(ValueError, match="uint8 of shape"):
        guide.judge(np.zeros((1, 31), np.uint8))
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nothing\.safetensors; learn classes with"):
        read_classes(tmp_path / "nothing.safetensors")
    replace(guide.examples, labels=None).save(tmp_path / "plain.safetensors")
    with pytest.raises(ValueError, match=r"plain\.safetensors has no labels; learn classes with"):
        read_classes(tmp_path / "plain.safetensors")
