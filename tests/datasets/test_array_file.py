from pathlib import Path

import numpy as np
import pytest
import torch

from hypertorus.datasets import read_data
from hypertorus.embeddings import Embeddings
from hypertorus.files.write import write_rows

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(20, 6))
LABELS = np.array(["owl", "jay"] * 10)


def all_rows(data) -> np.ndarray:
    """Inputs and labels of both parts, in the order of the inputs' first numbers."""
    rows = [
        (*np.ravel(part[number]), data.classes[part.labels[number]])
        for part in (data.train, data.test)
        for number in range(len(part))
    ]
    return np.array(sorted(rows, key=lambda row: row[0]), object)


@pytest.mark.parametrize("kind", ["npz", "npy", "csv", "fvecs"])
def test_vectors_come_back_with_their_labels(kind, tmp_path):
    file, labels = tmp_path / f"birds.{kind}", None
    if kind == "npz":
        np.savez(file, embeddings=VECTORS, labels=LABELS)
    elif kind in ("npy", "fvecs"):
        if kind == "npy":
            np.save(file, VECTORS)
        else:
            write_rows(file, [{"vectors": VECTORS}])
        labels = tmp_path / "labels.npy"
        np.save(labels, LABELS)
    else:
        lines = [",".join([*map(repr, row.tolist()), label]) for row, label in zip(VECTORS, LABELS, strict=True)]
        file.write_text("\n".join(["a,b,c,d,e,f,label", *lines]))
    data = read_data(str(file), labels=labels)
    assert (data.name, data.classes, data.train.shape) == ("birds", ("jay", "owl"), (6,))
    assert (len(data.train), len(data.test)) == (16, 4)
    expected = sorted(
        ((*row, label) for row, label in zip(VECTORS.astype(np.float32).tolist(), LABELS, strict=True)),
        key=lambda row: row[0],
    )
    assert all_rows(data).tolist() == [list(row) for row in expected]


@pytest.mark.parametrize(
    "names",
    [
        ("train", "train_labels", "test", "test_labels"),
        ("train", "train_labels", "val", "val_labels"),
        ("train_images", "train_labels", "test_images", "test_labels"),
        ("x_train", "y_train", "x_test", "y_test"),
    ],
)
def test_parts_are_as_the_file_names_them(names, tmp_path):
    arrays = (VECTORS[:12], np.arange(12) % 3 + 9, VECTORS[12:], np.full(8, 11))
    np.savez(tmp_path / "a.npz", **dict(zip(names, arrays, strict=True)))
    data = read_data(str(tmp_path / "a.npz"))
    assert torch.equal(data.train.inputs, torch.tensor(VECTORS[:12], dtype=torch.float32))
    assert torch.equal(data.test.inputs, torch.tensor(VECTORS[12:], dtype=torch.float32))
    assert data.classes == ("9", "10", "11")
    assert data.train.labels.tolist() == [0, 1, 2] * 4
    assert data.test.labels.tolist() == [2] * 8


def test_a_prefix_chooses_among_several(tmp_path):
    np.savez(
        tmp_path / "a.npz",
        big_train=VECTORS,
        big_test=VECTORS,
        small_train=VECTORS[:, :2],
        small_test=VECTORS[:, :2],
        train_labels=LABELS,
        test_labels=LABELS,
    )
    assert read_data(f"{tmp_path / 'a.npz'}:small").train.shape == (2,)
    assert read_data(f"{tmp_path / 'a.npz'}:big").train.shape == (6,)
    for wrong in (":none", ""):
        with pytest.raises(ValueError, match=r"name the array of its rows: .*a\.npz:NAME"):
            read_data(f"{tmp_path / 'a.npz'}{wrong}")


@pytest.mark.parametrize("layout", ["grey", "grey last", "grey first", "colour last", "colour first"])
def test_images_in_any_layout_become_channels_first(layout, tmp_path):
    first = RNG.integers(0, 256, (4, 1 if layout.startswith("grey") else 3, 5, 7), dtype=np.uint8)
    array = {"grey": first[:, 0], "grey last": np.moveaxis(first, 1, 3), "colour last": np.moveaxis(first, 1, 3)}
    np.savez(
        tmp_path / "a.npz",
        x_train=array.get(layout, first),
        y_train=[[0], [1]] * 2,
        x_test=array.get(layout, first),
        y_test=[[0]] * 4,
    )
    data = read_data(str(tmp_path / "a.npz"))
    assert data.train.is_images
    assert torch.equal(data.train.inputs, torch.from_numpy(first))
    assert data.train.labels.tolist() == [0, 1, 0, 1]


def test_the_first_folder_of_a_path_is_its_label(tmp_path):
    np.savez(tmp_path / "a.npz", embedding=VECTORS, path=[f"{label}/{n}/x.ogg" for n, label in enumerate(LABELS)])
    assert all_rows(read_data(str(tmp_path / "a.npz")))[:, -1].tolist() == LABELS[np.argsort(VECTORS[:, 0])].tolist()
    np.savez(tmp_path / "b.npz", embedding=VECTORS, path=[f"{n}.ogg" for n in range(20)])
    with pytest.raises(ValueError, match=r"b\.npz has no labels; pass them with --labels FILE"):
        read_data(str(tmp_path / "b.npz"))


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"embeddings": VECTORS, "labels": LABELS[:5]}, "there are 20 rows but labels of shape .5,."),
        ({"embeddings": VECTORS, "labels": np.linspace(0, 1, 20)}, "has labels of float64"),
        ({"embeddings": VECTORS, "labels": np.zeros((20, 2), int)}, r"labels of shape \(20, 2\)"),
        ({"embeddings": np.where(VECTORS > 2, np.nan, VECTORS), "labels": LABELS}, "that is not finite"),
        ({"embeddings": VECTORS * 1e300, "labels": LABELS}, "in row 0 that is not finite as float32"),
        ({"images": RNG.random((20, 5, 5)), "labels": LABELS}, r"has float64 of shape \(20, 5, 5\); pass images as"),
        ({"images": np.zeros((20, 5, 5, 4), np.uint8), "labels": LABELS}, "they may have 1 or 3 channels"),
        ({"data": np.zeros(20), "labels": LABELS}, r"has float64 of shape \(20,\)"),
        ({"data": VECTORS}, "has no labels; pass them with --labels FILE"),
        (
            {"train": VECTORS, "train_labels": LABELS, "test": VECTORS, "val_labels": LABELS},
            "name the array of its rows",
        ),
        (
            {"x_train": VECTORS, "y_train": LABELS, "x_test": VECTORS[:, 1:], "y_test": LABELS},
            r"training rows have shape \(6,\) and test rows \(5,\)",
        ),
        ({"embeddings": VECTORS, "labels": np.array([{}] * 20)}, "is not a readable .npz file"),
    ],
)
def test_files_that_cannot_be_learned_from_say_why(arrays, sentence, tmp_path):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match=sentence):
        read_data(str(tmp_path / "a.npz"))


def test_damaged_and_missing_files_are_named(tmp_path):
    np.savez(tmp_path / "a.npz", embeddings=VECTORS, labels=LABELS)
    whole = bytearray((tmp_path / "a.npz").read_bytes())
    whole[400] ^= 1
    (tmp_path / "a.npz").write_bytes(whole)
    with pytest.raises(ValueError, match=r"a\.npz is not a readable \.npz file"):
        read_data(str(tmp_path / "a.npz"))
    (tmp_path / "a.npy").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"a\.npy is not a readable \.npy file"):
        read_data(str(tmp_path / "a.npy"), labels=tmp_path / "a.npy")
    with pytest.raises(FileNotFoundError, match=r"missing\.npz"):
        read_data(str(tmp_path / "missing.npz"))


def test_rows_of_one_recording_are_on_one_side_where_the_file_has_paths(tmp_path):
    paths = np.array([f"{'owl' if row % 2 else 'jay'}/{row // 4}_{row}.ogg" for row in range(20)])
    np.savez(tmp_path / "a.npz", embedding=VECTORS, path=paths)
    data = read_data(str(tmp_path / "a.npz"))
    assert data.classes == ("jay", "owl")
    row_of = {tuple(row): number // 4 for number, row in enumerate(VECTORS.astype(np.float32).tolist())}
    sides = [{row_of[tuple(row)] for row in part.inputs.tolist()} for part in (data.train, data.test)]
    assert sides[0] | sides[1] == set(range(5))
    assert not sides[0] & sides[1]
    assert data.train.groups is not None
    alone = read_data(str(tmp_path / "a.npz"), group="none")
    assert (len(alone.test), alone.train.groups) == (4, None)


def test_recordings_cannot_be_told_without_paths(tmp_path):
    np.savez(tmp_path / "a.npz", embeddings=VECTORS, labels=LABELS)
    with pytest.raises(ValueError, match="no `path`"):
        read_data(str(tmp_path / "a.npz"), group="stem")


def test_features_of_birds_are_split_by_recording():
    file = Path(__file__).parents[2] / "../shared/data/birds225_birdnet.npz"
    if not file.exists():
        pytest.skip("the features of birds225 are not beside the project")
    data = read_data(str(file))
    with np.load(file) as arrays:
        path_of = {row.tobytes(): str(path) for row, path in zip(arrays["embedding"], arrays["path"], strict=True)}
    sources = [
        {path_of[row.numpy().tobytes()].rpartition("_")[0] for row in part.inputs} for part in (data.train, data.test)
    ]
    assert len(data.test) > 100
    assert not sources[0] & sources[1]


def test_embeddings_take_other_labels(tmp_path):
    names = [f"{number}.wav" for number in range(len(VECTORS))]
    Embeddings(VECTORS, "raw", "sphere", names=names).save(tmp_path / "birds.safetensors")
    np.save(tmp_path / "labels.npy", LABELS)
    data = read_data(str(tmp_path / "birds.safetensors"), labels=tmp_path / "labels.npy")
    assert data.classes == tuple(map(str, np.unique(LABELS)))
    rows = dict(zip(names, VECTORS, strict=True))
    assert all(np.allclose(data.train[n], rows[name]) for n, name in enumerate(data.train.columns.names))
