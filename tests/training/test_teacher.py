"""A teacher: embeddings get the neighbours that the vectors of another network have."""

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge

from hypertorus.datasets import Data, InMemory
from hypertorus.embeddings import Embeddings
from hypertorus.losses.neighbours import NeighboursLoss
from hypertorus.training import train
from hypertorus.training.contrast import contrast
from hypertorus.training.prepare import build_model
from hypertorus.training.settings import Settings
from hypertorus.training.start import RIDGE, start_head
from hypertorus.training.teacher import taught

NAMES = np.array([f"{number}.wav" for number in range(60)])


def data_with(names):
    inputs = torch.randn(60, 12, generator=torch.Generator().manual_seed(0))
    labels = torch.arange(60) % 2
    return Data("sounds", InMemory(inputs, labels, names=names), InMemory(inputs, labels), ("a", "b"))


def teach(folder, rows, names):
    np.savez(folder / "teacher.npz", embeddings=rows, path=names)
    return str(folder / "teacher.npz")


def test_vectors_are_found_by_name_and_those_of_one_recording_are_averaged(tmp_path):
    rows = np.random.default_rng(0).normal(size=(62, 3))
    source = teach(tmp_path, rows[::-1], np.append(NAMES, ["7.wav", "other.wav"])[::-1])
    part = taught(data_with(NAMES), source).train
    wanted = np.array([rows[[7, 60]].mean(axis=0) if number == 7 else rows[number] for number in range(60)])
    assert np.allclose(part.columns.teacher, wanted - wanted.mean(axis=0), atol=1e-6)
    assert torch.equal(part.take([5, 7]).columns.teacher, part.columns.teacher[[5, 7]])


def test_a_file_of_embeddings_has_the_vectors_and_the_names(tmp_path):
    rows = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    record = Embeddings(rows[::-1], "raw", "torusN", names=NAMES[::-1])
    record.save(tmp_path / "teacher.safetensors")
    points = Embeddings(rows, "raw", "torusN").points()
    part = taught(data_with(NAMES), str(tmp_path / "teacher.safetensors")).train
    assert np.allclose(part.columns.teacher, points - points.mean(axis=0), atol=1e-6)


def test_embeddings_get_the_neighbours_of_the_teacher_and_not_of_the_inputs(tmp_path):
    """The teacher sees two of twelve numbers, which nothing else tells apart from the others."""
    data = data_with(NAMES)
    vectors = data.train.inputs[:, :2].numpy()
    settings = {"encoder": "none", "head": "linear", "dim": 8, "loss": "neighbours", "epochs": 12, "validation": 0.0}
    source = teach(tmp_path, vectors, NAMES)
    model = train(data, tmp_path / "out", teacher=source, lr=0.03, batch=20, show=False, **settings)
    points, centred = model.embed(data.train), vectors - vectors.mean(axis=0)
    theirs, inputs = (
        rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (centred, data.train.inputs.numpy())
    )
    pairs = np.triu_indices(60, 1)
    like_teacher, like_inputs = (
        np.corrcoef((points @ points.T)[pairs], (rows @ rows.T)[pairs])[0, 1] for rows in (theirs, inputs)
    )
    assert like_teacher > like_inputs + 0.15


def test_a_head_begins_as_the_ridge_regression_onto_the_principal_components_of_the_teacher(tmp_path):
    """scikit-learn is the oracle; a rotation at random leaves the products of the outputs as they are."""
    data = data_with(NAMES)
    rng = np.random.default_rng(1)
    vectors = data.train.inputs.numpy() @ rng.normal(size=(12, 20)) + rng.normal(size=(60, 20))
    part = taught(data, teach(tmp_path, vectors, NAMES)).train
    settings = Settings(encoder="none", head="linear", dim=8, loss="neighbours", teacher="given", start="teacher")
    model = build_model(data, settings)
    start_head(model, part, "teacher", seed=0)
    begun = model.head[0](model.features(part.inputs)).detach().double().numpy()
    directions = part.columns.teacher.double().numpy()
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    targets = PCA(4).fit_transform(directions)
    inputs = data.train.inputs.double().numpy()
    inputs = (inputs - inputs.mean(axis=0)) / inputs.std(axis=0, ddof=1)
    wanted = Ridge(alpha=RIDGE * 60).fit(inputs, targets).predict(inputs)
    wanted /= np.sqrt((wanted**2).sum() / begun.size)  # the deviation of raw numbers is 1
    assert np.allclose(begun @ begun.T, wanted @ wanted.T, rtol=0.02, atol=0.05)


@pytest.mark.parametrize(
    ("names", "file_names", "message"),
    [
        (NAMES, NAMES[1:], r"has no vector of 0.wav \(1 of 60 training inputs\); make it of the same files"),
        (NAMES, NAMES[:0], r"has no vector of 0.wav \(60 of 60 training inputs\); make it of the same files"),
        (None, NAMES, "sounds has no names, and a teacher's vectors are found by the names of the inputs"),
    ],
)
def test_a_teacher_of_other_inputs_is_refused_in_a_sentence(tmp_path, names, file_names, message):
    source = teach(tmp_path, np.ones((len(file_names), 3)), file_names)
    with pytest.raises(ValueError, match=message):
        taught(data_with(names), source)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (np.where(np.arange(60)[:, None] == 3, np.nan, np.ones((60, 3))), "has a number in row 3 that is not finite"),
        (np.full((60, 3), "a"), r"has <U1 of shape \(60, 3\); pass images as uint8 .* or vectors as numbers"),
    ],
)
def test_vectors_that_are_no_numbers_are_refused_in_a_sentence(tmp_path, broken, message):
    with pytest.raises(ValueError, match=message):
        taught(data_with(NAMES), teach(tmp_path, broken, NAMES))


def test_a_teacher_needs_the_loss_that_looks_at_it(tmp_path):
    with pytest.raises(ValueError, match=r"teacher is 'x\.npz', and the loss is 'supcon'; choose the loss neigh"):
        train(data_with(NAMES), tmp_path / "out", teacher="x.npz", loss="supcon", show=False)


def test_a_teacher_is_learnt_from_by_points_and_vectors_themselves_by_codes():
    """Codes of 4 bits are what coders are fitted for; to a whole network their steps are noise."""
    first, second = (torch.nn.functional.normalize(torch.randn(40, 8), dim=1) for _ in range(2))
    vectors = torch.nn.functional.normalize(torch.randn(40, 5), dim=1)
    exact = NeighboursLoss()(first @ second.T, (vectors @ vectors.T).fill_diagonal_(-torch.inf))
    taught_by, alone = (
        contrast(Settings(loss="neighbours", dim=8, koleo=0.0, teacher=teacher))(first, second, vectors)
        for teacher in ("given", "")
    )
    assert torch.isclose(taught_by, exact)
    assert not torch.isclose(alone, exact, rtol=1e-3)
