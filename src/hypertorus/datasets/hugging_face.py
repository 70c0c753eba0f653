"""Reads data sets of Hugging Face: from its hub, or saved to disk."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from hypertorus.datasets.data import Data
from hypertorus.datasets.images import ImageFile, Images, size_for
from hypertorus.datasets.inputs import as_inputs, as_labels
from hypertorus.datasets.part import Columns, InMemory, Part
from hypertorus.embeddings.part_names import train_and_test
from hypertorus.embeddings.split import stratified
from hypertorus.files.extras import require

_LABEL_COLUMNS = ("label", "labels")


def is_saved(folder: Path) -> bool:
    """Return whether `save_to_disk` wrote this folder."""
    one = all((folder / name).is_file() for name in ("dataset_info.json", "state.json"))
    return one or (folder / "dataset_dict.json").is_file()


def read_hugging_face(name: str, size: int | None = None, test_share: float = 0.2) -> Data:
    """Return the first column of images, else of vectors, with the first column of class labels, else `label`.

    The splits `train` and `test` (or `validation`) are the parts; from a single split a share of each class is set
    aside for testing. Images are decoded batch by batch, vectors are read at once.
    """
    require("datasets", extra="hf")
    splits = _splits(name)
    inputs, is_images = _input_column(splits[0], name)
    classes, labels = _labels(splits, name)
    parts: list[Part] = []
    done = 0
    for split, numbers in zip(splits, labels, strict=True):
        places = torch.arange(done, done + len(numbers))
        done += len(numbers)
        if is_images:
            files = _Encoded(split, inputs, name)
            size = size_for(files, len(split)) if size is None else size
            parts.append(Images(files, Columns(numbers, places=places), size))
        else:
            vectors = as_inputs(_array(split, inputs), f"the column {inputs} of {name}")
            parts.append(InMemory(vectors, numbers, places=places))
    if len(parts) == 1:
        parts = [parts[0].take(rows) for rows in stratified(labels[0], test_share)]
    return Data(Path(name).name, parts[0], parts[1], classes)


class _Encoded:
    """The encoded images of a column."""

    def __init__(self, split: Any, column: str, name: str) -> None:
        encoded = import_module("datasets").Image(decode=False)
        self.split = split.with_format(None).select_columns([column]).cast_column(column, encoded)
        self.column, self.name = column, name

    def at(self, rows: Sequence[int]) -> list[ImageFile]:
        images = self.split[list(rows)][self.column]
        return [self._file(row, image or {}) for row, image in zip(rows, images, strict=True)]

    def _file(self, row: int, image: dict[str, Any]) -> ImageFile:
        content, path = image.get("bytes"), image.get("path")
        if content is None and path is not None:
            return ImageFile(path)
        return ImageFile(f"row {row} of {self.name}", content or b"")


def _splits(name: str) -> list[Any]:
    """Return the only split, or the training and the test split."""
    datasets = import_module("datasets")
    folder = Path(name).expanduser()
    try:
        data_set = datasets.load_from_disk(str(folder)) if is_saved(folder) else datasets.load_dataset(name)
    except (OSError, ValueError, datasets.exceptions.DatasetsError) as error:
        raise ValueError(
            f"{name} could not be read ({' '.join(str(error).split())}); "
            "pass the name of a data set of the hub, or a folder that save_to_disk wrote."
        ) from error
    if not isinstance(data_set, dict):
        return [data_set]
    if parts := train_and_test(data_set):
        return [data_set[part] for part in parts]
    if len(data_set) == 1:
        return list(data_set.values())
    raise ValueError(f"{name} has the splits {', '.join(data_set)}; there must be train and test, or a single one.")


def _input_column(split: Any, name: str) -> tuple[str, bool]:
    """Return the name of the column of inputs, and whether it holds images."""
    kinds = import_module("datasets")
    for column, feature in split.features.items():
        if isinstance(feature, kinds.Image):
            return column, True
    for column, feature in split.features.items():
        inner = getattr(feature, "feature", None)  # of a list
        if isinstance(inner, kinds.Value) and inner.dtype.startswith(("float", "int", "uint")):
            return column, False
    raise ValueError(f"{name} has the columns {', '.join(split.features)}; one must hold images or lists of numbers.")


def _labels(splits: list[Any], name: str) -> tuple[tuple[str, ...], list[Tensor]]:
    features = splits[0].features
    named = [column for column, feature in features.items() if hasattr(feature, "int2str")]  # a ClassLabel
    column = next(iter(named + [column for column in _LABEL_COLUMNS if column in features]), None)
    if column is None:
        raise ValueError(f"{name} has the columns {', '.join(features)}; one must hold class labels or be named label.")
    if any(split.features.get(column) != features[column] for split in splits):
        raise ValueError(f"the column {column} of {name} differs between its splits; give both the same classes.")
    classes, labels = as_labels(*(_array(split, column) for split in splits), place=f"the column {column} of {name}")
    if not named:
        return classes, labels
    # as_labels counts only the classes that occur; a ClassLabel has its own numbers
    own = torch.tensor([int(number) for number in classes])
    return tuple(features[column].names), [own[numbers] for numbers in labels]


def _array(split: Any, column: str) -> Any:
    return split.select_columns([column]).with_format("numpy")[:][column]
