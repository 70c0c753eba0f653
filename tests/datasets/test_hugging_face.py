import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from hypertorus.datasets import read_data

datasets = pytest.importorskip("datasets")
datasets.disable_progress_bars()

COUNT = 12
PIXELS = np.random.default_rng(0).integers(0, 256, (COUNT, 8, 8, 3), dtype=np.uint8)


def images(first: int = 0, last: int = COUNT):
    features = datasets.Features(
        {
            "id": datasets.Value("int32"),
            "picture": datasets.Image(),
            "bird": datasets.ClassLabel(names=["wren", "owl", "jay"]),
        }
    )
    pictures = [Image.fromarray(pixels) for pixels in PIXELS[first:last]]
    rows = {"id": list(range(first, last)), "picture": pictures, "bird": [n % 2 * 2 for n in range(first, last)]}
    return datasets.Dataset.from_dict(rows, features=features)


@pytest.mark.parametrize("spelling", ["{}", "hf:{}"])
@pytest.mark.parametrize("test", ["test", "validation"])
def test_splits_are_parts_and_images_their_pixels(spelling, test, tmp_path):
    datasets.DatasetDict({"train": images(0, 8), test: images(8)}).save_to_disk(tmp_path / "birds")
    data = read_data(spelling.format(tmp_path / "birds"))
    assert (data.name, data.classes, data.train.shape) == ("birds", ("wren", "owl", "jay"), (3, 8, 8))
    assert data.train.labels.tolist() == [0, 2] * 4  # there is no owl
    expected = torch.from_numpy(PIXELS).permute(0, 3, 1, 2)
    assert torch.equal(data.train.__getitems__(range(8)), expected[:8])
    assert torch.equal(data.test.take([3, 1]).__getitems__([0, 1]), expected[[11, 9]])


def test_a_single_split_is_split(tmp_path):
    images().save_to_disk(tmp_path / "birds")
    data = read_data(str(tmp_path / "birds"), size=4, test_share=0.25)
    assert data.train.shape == (3, 4, 4)
    assert (len(data.train), data.test.labels.bincount().tolist()) == (8, [2, 0, 2])
    sent = pickle.loads(pickle.dumps(data.test))
    assert torch.equal(sent.__getitems__(range(4)), data.test.__getitems__(range(4)))


def test_images_that_a_data_set_names_by_their_paths_are_read(monkeypatch, tmp_path):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    for number, pixels in enumerate(PIXELS):
        path = tmp_path / "birds" / f"class {number % 2}" / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(path)
    data = read_data(f"hf:{tmp_path / 'birds'}")
    assert data.classes == ("class 0", "class 1")
    seen = {
        image.permute(1, 2, 0).numpy().tobytes(): int(label)
        for part in (data.train, data.test)
        for image, label in zip(part, part.labels, strict=True)
    }
    assert seen == {pixels.tobytes(): number % 2 for number, pixels in enumerate(PIXELS)}


def test_an_unreadable_image_is_named_by_its_row(tmp_path):
    features = datasets.Features({"image": datasets.Image(), "label": datasets.Value("string")})
    rows = {"image": [{"bytes": b"nothing", "path": None}] * 4, "label": ["a", "a", "b", "b"]}
    datasets.Dataset.from_dict(rows, features=features).save_to_disk(tmp_path / "birds")
    with pytest.raises(ValueError, match=r"row \d of .*birds is not a readable image"):
        read_data(str(tmp_path / "birds"), size=4, test_share=0.5).train[0]


@pytest.mark.parametrize("labels", [["owl", "jay"] * 5, [7, 3] * 5])
def test_vectors_with_a_column_named_label(labels, tmp_path):
    vectors = np.random.default_rng(0).normal(size=(10, 5)).astype(np.float32)
    rows = {"file": [f"{n}.ogg" for n in range(10)], "features": vectors.tolist(), "label": labels}
    datasets.Dataset.from_dict(rows).save_to_disk(tmp_path / "birds")
    data = read_data(str(tmp_path / "birds"))
    assert data.train.shape == (5,)
    assert data.classes == tuple(map(str, sorted(set(labels))))
    seen = {
        tuple(vector.tolist()): data.classes[label]
        for part in (data.train, data.test)
        for vector, label in zip(part, part.labels, strict=True)
    }
    assert seen == {tuple(row): str(label) for row, label in zip(vectors.tolist(), labels, strict=True)}


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ({"text": ["a", "b"], "label": [0, 1]}, "one must hold images or lists of numbers"),
        ({"x": [[1.0], [2.0]], "class": ["a", "b"]}, "one must hold class labels or be named label"),
        ({"x": [[1.0], [2.0, 3.0]], "label": ["a", "b"]}, "the column x of .* has object"),
        ({"x": [[1.0], [2.0]], "label": [1, None]}, "the column label of .* has labels of float"),
    ],
)
def test_what_has_no_inputs_or_labels_is_refused(rows, sentence, tmp_path):
    datasets.Dataset.from_dict(rows).save_to_disk(tmp_path / "odd")
    with pytest.raises(ValueError, match=sentence):
        read_data(str(tmp_path / "odd"))


def test_splits_without_a_part_to_train_are_refused(tmp_path):
    datasets.DatasetDict({"one": images(), "two": images()}).save_to_disk(tmp_path / "birds")
    with pytest.raises(ValueError, match="has the splits one, two"):
        read_data(str(tmp_path / "birds"))


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"missing/birds could not be read \("):
        read_data(f"hf:{tmp_path / 'missing' / 'birds'}")


def test_without_the_library_the_install_is_named(monkeypatch, tmp_path):
    images().save_to_disk(tmp_path / "birds")
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ImportError, match=r"needs datasets.*pip install 'hypertorus\[hf\]'"):
        read_data(f"hf:{Path(tmp_path) / 'birds'}")
