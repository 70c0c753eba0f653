"""What a compiled export answers: the nearest, classes, what it learned and labels, as Python has them."""

import numpy as np
import pytest

from hypertorus.evaluation.prototypes import CodePrototypes
from hypertorus.export.known import Known, Labelled
from hypertorus.search import distances


def random_codes(rng, count, dim, bits):
    return rng.integers(0, 2**bits, size=(count, dim), dtype=np.uint8)


def known_codes(rng, dim, bits, classes=("ant", "bee", "cicada"), count=30):
    return Known(
        "insects", Labelled(random_codes(rng, count, dim, bits), np.arange(count) % len(classes)), classes, bits
    )


@pytest.mark.parametrize("target", ["portable", "cortex-m"])
@pytest.mark.parametrize(("dim", "bits"), [(16, 8), (7, 4), (9, 2), (21, 1)])
def test_the_nearest_is_the_first_of_the_closest(device, dim, bits, target):
    rng = np.random.default_rng(dim)
    known = known_codes(rng, dim, bits)
    built, order = device(known, target=target), np.argsort(known.stored.labels, kind="stable")
    codes, labels = known.stored.codes[order], known.stored.labels[order]
    for query in random_codes(rng, 40, dim, bits):
        away = distances(query[None], codes, "l1", bits)[0]
        match = built.nearest(query)
        assert (match.code, match.distance) == (int(away.argmin()), int(away.min()))
        assert match.class_number == labels[match.code] == built.classify(query)


@pytest.mark.parametrize("bits", [8, 4, 2, 1])
def test_a_class_is_learned_as_python_learns_it(device, bits):
    rng = np.random.default_rng(bits)
    known = known_codes(rng, 13, bits)
    built = device(known)
    learned, python = built.Learned(), CodePrototypes(bits)
    for n, code in enumerate(random_codes(rng, 50, 13, bits), 1):
        built.learn(learned, code)
        assert np.array_equal(built.learned_code(learned), python.learn(code, "new").codes[0])
        assert learned.examples == n


def test_learned_classes_are_counted_on_from_the_stored_and_only_win_when_nearer(device):
    rng = np.random.default_rng(5)
    known = known_codes(rng, 8, 8)
    built, code = device(known), known.stored.codes[1]
    empty, same, other = built.Learned(), built.Learned(), built.Learned()
    built.learn(same, code)
    built.learn(other, (code + 100).astype(np.uint8))
    assert built.classify(code, [empty, same, other]) == known.stored.labels[1]
    assert built.classify((code + 99).astype(np.uint8), [empty, same, other]) == 3 + 2
    assert built.classify(np.zeros(8, np.uint8), [empty]) == built.classify(np.zeros(8, np.uint8))


def test_a_class_that_is_full_learns_no_more(device):
    built = device(known_codes(np.random.default_rng(6), 4, 8))
    learned = built.Learned(examples=65_534)
    built.learn(learned, np.array([1, 2, 3, 4], np.uint8))
    before = bytes(learned)
    assert learned.examples == 65_535
    built.learn(learned, np.array([9, 9, 9, 9], np.uint8))
    assert bytes(learned) == before


def test_labels_are_any_text_and_others_are_empty(device):
    classes = ('say "hi"', "back\\slash ??/", "Grüße 1", "x", "tab\tand 7\x017")
    built = device(known_codes(np.random.default_rng(7), 4, 8, classes))
    assert [built.label(number) for number in range(6)] == [*classes, ""]
    assert built.label(65_535) == ""


def test_more_than_256_classes_are_told_apart(device):
    codes = np.arange(600).astype("<u2").view(np.uint8).reshape(600, 2)
    built = device(Known("many", Labelled(codes, np.arange(600)), tuple(map(str, range(600))), 8))
    assert [built.classify(codes[number]) for number in (0, 255, 256, 599)] == [0, 255, 256, 599]
    assert built.label(599) == "599"
