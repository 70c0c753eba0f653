"""Images or feature vectors with labels from an .npz, .npy or .csv file."""

from __future__ import annotations

from pathlib import Path

from hypertorus.evaluate.labelled import Split, read_labelled
from hypertorus.learn.data.data import Data
from hypertorus.learn.data.inputs import as_inputs, as_labels
from hypertorus.learn.data.part import InMemory
from hypertorus.learn.data.split import stratified


def read_array_file(file: Path, labels: Path | None = None, test_share: float = 0.2) -> Data:
    """The parts that the file names, or of all its rows a share of each class set aside for testing."""
    found, place, name = read_labelled(file, labels), str(file), file.name.partition(".")[0]
    if isinstance(found, Split):
        classes, numbers = as_labels(found.train_labels, found.test_labels, place=place)
        train, test = (
            InMemory(as_inputs(rows, place), part)
            for rows, part in zip((found.train, found.test), numbers, strict=True)
        )
        return Data(name, train, test, classes)
    classes, (own,) = as_labels(found.labels, place=place)
    everything = InMemory(as_inputs(found.rows, place), own)
    rest, aside = stratified(own, test_share)
    return Data(name, everything.take(rest), everything.take(aside), classes)
