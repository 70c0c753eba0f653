"""Handwritten digits: a folder of images, a network that learns them, and an index of 16 bytes an image."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

from hypertorus.datasets import Data, read_data
from hypertorus.datasets.digits import read_digits
from hypertorus.files.whole_folder import whole_folder
from hypertorus.models import Model
from hypertorus.welcome.exhibit import Exhibit, Thing, asked, trained

IMAGES, MODEL, INDEX = "digits", "digits-model", "digits.index"
"""Names of the folder of images, the folder of the model and the file of the index."""
EPOCHS = 20


def write_images(folder: Path) -> Path:
    """Write the digits as images into `train` and `test`, with a folder for each class, unless they are there."""
    if not (folder / IMAGES).exists():
        data = read_digits()
        with whole_folder(folder / IMAGES) as place:
            for name, part in {"train": data.train, "test": data.test}.items():
                for number, label in enumerate(part.labels.tolist()):
                    own = place / name / data.classes[label]
                    own.mkdir(parents=True, exist_ok=True)
                    Image.fromarray(part[number][0].numpy()).save(own / f"{number:04}.png")
    return folder / IMAGES


def digits(folder: Path, epochs: int = EPOCHS) -> tuple[Exhibit, Model]:
    """Train on the digits, save the index of the training part, and search it for those of the test part."""
    images = write_images(folder)
    data = read_data(str(images))
    settings: dict[str, Any] = {"space": "torusN", "dim": 32, "encoder": "mlp:128", "batch": 128, "epochs": epochs}
    model = trained(data, folder / MODEL, **settings)
    index = model.index(data.train)
    index.save(folder / INDEX)

    @cache
    def thing(name: str) -> Thing:
        return Thing(name, Path(name).parent.name, (images / name).read_bytes())

    names = _names(data)
    queries = [thing(name) for name in names["test"]]
    first = [next(row for row, query in enumerate(queries) if query.label == digit) for digit in data.classes]
    # The page opens with a 3, whose picture nobody takes for a letter.
    shown = [*first[3:], *first[:3]]
    return asked(
        "digits", index, queries, model.encode(data.test), shown, lambda row: thing(names["train"][row])
    ), model


def _names(data: Data) -> dict[str, list[str]]:
    parts = {"train": data.train, "test": data.test}
    return {part: [] if rows.columns.names is None else rows.columns.names.tolist() for part, rows in parts.items()}
