"""Everything that can be learned from, by one name: a published set, a folder of images, a file of arrays."""

from __future__ import annotations

from pathlib import Path

from hypertorus.learn.data.archive import Progress, data_folder
from hypertorus.learn.data.cifar import LAYOUTS, read_cifar
from hypertorus.learn.data.data import Data
from hypertorus.learn.data.digits import read_digits

NAMES = ("digits", *LAYOUTS)


def read_data(
    source: str,
    *,
    folder: Path | None = None,
    labels: Path | None = None,
    size: int | None = None,
    test_share: float = 0.2,
    progress: Progress | None = None,
) -> Data:
    """The data set of this name, or in this folder or file.

    >>> data = read_data("digits")
    >>> len(data.train), len(data.test), data.train.shape, data.classes[:3]
    (1438, 359, (1, 8, 8), ('0', '1', '2'))
    """
    place = data_folder() if folder is None else folder
    if source == "digits":
        return read_digits(test_share)
    if source in LAYOUTS:
        return read_cifar(source, place, progress)
    raise ValueError(f"data is {source!r}; there are {', '.join(NAMES)}.")
