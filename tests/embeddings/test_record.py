import numpy as np
import pytest

from hypertorus.codes import GridCodes
from hypertorus.embeddings import Embeddings
from hypertorus.spaces import space

RAW = np.random.default_rng(0).normal(size=(40, 8))
SPACES = ("sphere", "torusN", "torusC")


def records(name):
    """The same embeddings as each kind that the space has."""
    here = space(name, 8)
    kinds = {"raw": RAW, "points": here.project(RAW)}
    if name != "sphere":
        kinds |= {"turns": here.turns(RAW), "codes": GridCodes(here).encode(RAW)}
    return {kind: Embeddings(rows, kind, name) for kind, rows in kinds.items()}


@pytest.mark.parametrize("name", SPACES)
def test_every_kind_knows_the_dimension_and_gives_every_other(name):
    here = space(name, 8)
    for kind, record in records(name).items():
        assert (record.dim, record.home, len(record)) == (8, here, 40)
        tolerance = 0.013 if kind == "codes" else 1e-9
        np.testing.assert_allclose(record.points(), here.project(RAW), atol=tolerance)
        np.testing.assert_allclose(here.project(record.raw()), here.project(RAW), atol=tolerance)
        if name != "sphere":
            apart = record.turns() - here.turns(RAW)
            assert np.abs(apart - np.round(apart)).max() < tolerance
            for bits in (8, 4, 3, 1):
                np.testing.assert_array_equal(record.codes(bits), GridCodes(here, bits).encode(RAW))


def test_a_sphere_has_no_angles_and_its_codes_no_points():
    with pytest.raises(ValueError, match="live on the sphere, which has no angles"):
        records("sphere")["points"].turns()
    codes = Embeddings(np.zeros((3, 8), np.uint8), "codes", "sphere")
    with pytest.raises(ValueError, match="steps of a fitted grid"):
        codes.points()


def test_codes_have_fewer_bits_and_never_more():
    record = Embeddings(np.array([[0, 15], [7, 8]]), "codes", "torusC", bits=4)
    assert record.codes(2).tolist() == [[0, 3], [1, 2]]
    with pytest.raises(ValueError, match="bits is 8, but these codes have 4"):
        record.codes(8)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"rows": RAW, "kind": "numbers", "space": "torusN"}, "kind is 'numbers'; choose one of raw, points"),
        ({"rows": RAW[0], "kind": "raw", "space": "torusN"}, r"shape \(8,\); pass a matrix"),
        ({"rows": RAW[:0], "kind": "raw", "space": "torusN"}, "that is not empty"),
        ({"rows": RAW, "kind": "raw", "space": "moon"}, "space is 'moon'"),
        ({"rows": RAW[:, :7], "kind": "raw", "space": "torusN"}, "dim is 7, which is odd"),
        (
            {"rows": RAW, "kind": "points", "space": "torusC", "dim": 8},
            "rows have 8 numbers; points of torusC with dim 8",
        ),
        ({"rows": RAW, "kind": "turns", "space": "sphere"}, "the sphere has no angles"),
        ({"rows": RAW, "kind": "raw", "space": "torusN", "bits": 8}, "bits is 8, but raw have none"),
        ({"rows": np.full((2, 2), 16), "kind": "codes", "space": "torusC", "bits": 4}, "4 bits hold 0 to 15"),
        ({"rows": RAW, "kind": "raw", "space": "torusN", "labels": [0] * 39}, r"40 rows but labels of shape \(39,\)"),
        ({"rows": RAW, "kind": "raw", "space": "torusN", "labels": [0] * 40}, r"labels lie in 0\.\.0; there are 0"),
        ({"rows": RAW, "kind": "raw", "space": "torusN", "names": ["a"]}, r"names of shape \(1,\)"),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        Embeddings(**arguments)


def test_floats_are_no_codes():
    with pytest.raises(TypeError, match="rows hold float64; codes are integers"):
        Embeddings(RAW, "codes", "torusC")


def test_rows_take_all_that_is_known_of_them_along():
    record = Embeddings(
        RAW,
        "raw",
        "torusN",
        labels=np.arange(40) % 2,
        classes=("jay", "owl"),
        parts=np.where(np.arange(40) < 30, "train", "test"),
        groups=np.arange(40) // 4,
        names=[f"{row}.wav" for row in range(40)],
        starts=np.arange(40.0),
        model="abc",
    )
    test = record.part("test").take([9, 0])
    assert (test.names.tolist(), test.starts.tolist()) == (["39.wav", "30.wav"], [39.0, 30.0])
    assert (test.groups.tolist(), test.label_names.tolist(), test.model) == ([9, 7], ["owl", "jay"], "abc")
    assert repr(record) == (
        "Embeddings: 40 rows of raw numbers in torusN of 8 numbers, 2 classes, 30 to train, 10 to test, 10 recordings"
    )
    with pytest.raises(ValueError, match="part is 'val', and these embeddings have the parts test, train"):
        record.part("val")
