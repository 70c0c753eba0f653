from pathlib import Path

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid

from hypertorus import Sphere, TorusC, TorusN, space
from hypertorus.codes import GridCodes, ProductCodes
from hypertorus.embeddings import read_embeddings
from hypertorus.evaluation import few_shot
from hypertorus.evaluation.episodes import Episodes

EMBEDDINGS = np.load(Path(__file__).parent / "golden" / "embeddings_16d.npz")
BIRDS = Path(__file__).parents[2] / "../shared/data/birds225_birdnet.npz"


def clouds(n: int = 240, classes: int = 8, noise: float = 1.2):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, n)
    return rng.normal(size=(classes, 16))[labels] + noise * rng.normal(size=(n, 16)), labels, rng.integers(0, 80, n)


def told_by_codes(codes, labels, queries, bits):
    """Nearest circular means by wrapped l1, from the definition, in floats; half-way goes up, cancelling is 0."""
    turn = 2**bits
    names, prototypes = np.unique(labels), []
    for name in names:
        sums = np.exp(2j * np.pi * codes[labels == name] / turn).sum(axis=0)
        mean = np.floor(np.angle(sums) / (2 * np.pi) * turn + 0.5 + 1e-6) % turn
        prototypes.append(np.where(np.abs(sums) < 1e-9, 0, mean))
    difference = (queries[:, None].astype(int) - np.array(prototypes)) % turn
    return names[np.minimum(difference, turn - difference).sum(axis=-1).argmin(axis=1)]


@pytest.mark.parametrize("ways", [None, 3])
@pytest.mark.parametrize("here", [Sphere(16), TorusN(16), TorusC(16)], ids=str)
def test_floats_are_measured_by_the_definition(here, ways):
    rows, labels, groups = clouds()
    points, accuracies = here.project(rows), []
    for support, query in Episodes(labels, groups, shots=3, ways=ways).draw(12, seed=5):
        told = NearestCentroid().fit(points[support], labels[support]).predict(points[query])
        accuracies.append(np.mean(told == labels[query]))
    found = few_shot(rows, labels, here, shots=3, ways=ways, episodes=12, groups=groups, seed=5)
    assert found.accuracy == pytest.approx(np.mean(accuracies))
    assert found.deviation == pytest.approx(np.std(accuracies, ddof=1))
    assert found.interval == pytest.approx(1.96 * np.std(accuracies, ddof=1) / np.sqrt(12))
    assert (found.ways, found.chance, found.quantiser) == ((8, 1 / 8, "none") if ways is None else (3, 1 / 3, "none"))


@pytest.mark.parametrize("bits", [8, 4, 2])
@pytest.mark.parametrize("here", [TorusN(16), TorusC(16)], ids=str)
def test_codes_are_measured_by_the_definition(here, bits):
    rows, labels, groups = clouds()
    rows, grid = rows / 8, GridCodes(here, bits)
    codes, accuracies = grid.encode(rows), []
    for support, query in Episodes(labels, groups, shots=3, ways=4).draw(40):
        told = told_by_codes(codes[support], labels[support], codes[query], bits)
        accuracies.append(np.mean(told == labels[query]))
    found = few_shot(rows, labels, here, grid, shots=3, ways=4, episodes=40, groups=groups)
    assert found.accuracy == pytest.approx(np.mean(accuracies))
    assert (found.quantiser, found.bits_per_vector) == (f"{bits}bit", grid.bits_per_vector)


def test_ten_draws_of_all_classes_or_600_of_some():
    rows, labels, _ = clouds()
    assert few_shot(rows, labels, TorusN(16)).episodes == 10
    assert few_shot(rows, labels, TorusN(16), GridCodes(TorusN(16)), ways=5).episodes == 600
    alone = few_shot(rows, labels, TorusN(16), episodes=1)
    assert np.isnan(alone.deviation)
    assert np.isnan(alone.interval)


def test_labels_without_meaning_are_told_by_chance():
    rows, labels, _ = clouds(2000)
    shuffled = np.random.default_rng(1).permutation(labels)
    for grid in (None, GridCodes(TorusN(16))):
        found = few_shot(rows, shuffled, TorusN(16), grid, shots=5, ways=5, episodes=200)
        assert abs(found.accuracy - found.chance) < 3 * found.interval


@pytest.mark.parametrize("shots", [1, 5])
def test_real_heads_lose_little_as_codes(shots):
    rows, labels, torus = EMBEDDINGS["torusN_val"], EMBEDDINGS["val_labels"], space("torusN", 16)
    floats, bytes_, nibbles = (
        few_shot(rows, labels, torus, grid, shots=shots, ways=5, episodes=150).accuracy
        for grid in (None, GridCodes(torus, 8), GridCodes(torus, 4))
    )
    assert floats > 0.6
    assert bytes_ == pytest.approx(floats, abs=0.03)
    assert nibbles == pytest.approx(bytes_, abs=0.02)


@pytest.mark.skipif(not BIRDS.exists(), reason="the bird embeddings are not beside this repository")
def test_40_bird_species_by_ready_made_features():
    """The accuracies known are of 40 species, no one knows which; so they are held against ten choices of 40."""
    birds, rng = read_embeddings(BIRDS, space="sphere"), np.random.default_rng(0)
    rows, labels, groups = birds.rows, birds.labels, birds.groups
    choices = [np.isin(labels, rng.choice(np.unique(labels), 40, replace=False)) for _ in range(10)]
    for shots, want in ((1, 0.85), (5, 0.94)):
        options = {"shots": shots, "ways": 5, "one_per_group": True, "episodes": 100}
        found = [few_shot(rows[c], labels[c], Sphere(1024), groups=groups[c], **options).accuracy for c in choices]
        assert abs(np.mean(found) - want) < 2 * np.std(found)
        assert np.std(found) < 0.04


def test_what_cannot_be_measured_is_refused():
    rows, labels, _ = clouds()
    torus = TorusN(16)
    for arguments, sentence in (
        ((rows[0], labels, torus), r"embeddings has shape \(16,\); pass a matrix \[rows, 16\]"),
        ((rows, labels[1:], torus), r"embeddings has 240 rows but labels of shape \(239,\)"),
        ((rows, labels, Sphere(16), GridCodes(Sphere(16))), "need GridCodes of a torus"),
        ((rows, labels, torus, GridCodes(torus, minmax=True)), "need GridCodes of a torus"),
        ((rows, labels, torus, GridCodes(torus, 3)), "of 8, 4, 2, 1 bits"),
        ((rows, labels, torus, ProductCodes(torus, 4, 4)), "the quantiser is ProductCodes"),
        ((rows, labels, torus, GridCodes(TorusN(8))), r"the quantiser is for TorusN\(dim=8\)"),
        ((rows * np.nan, labels, torus), "NaN or an infinity in row 0"),
    ):
        with pytest.raises(ValueError, match=sentence):
            few_shot(*arguments)
