"""Fashion-MNIST of Xiao, Rasul and Vollgraf, 2017, from the official files.

https://github.com/zalandoresearch/fashion-mnist
"""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from hypertorus.datasets.archive import Archive
from hypertorus.datasets.data import Data
from hypertorus.datasets.part import InMemory
from hypertorus.files.progress import Progress

_ADDRESS = "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion"

FILES = {
    "train": (
        Archive("train-images-idx3-ubyte.gz", _ADDRESS, "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        Archive("train-labels-idx1-ubyte.gz", _ADDRESS, "25c81989df183df01b3e8a0aad5dffbe"),
    ),
    "test": (
        Archive("t10k-images-idx3-ubyte.gz", _ADDRESS, "bef4ecab320f06d8554ea6380940ec79"),
        Archive("t10k-labels-idx1-ubyte.gz", _ADDRESS, "bb300cfdad3c16e7a12a480ee83cd310"),
    ),
}

CLASSES = (
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
)


def read_fashion_mnist(folder: Path, progress: Progress | None = None) -> Data:
    """Return the data set from the files in `folder`/fashion-mnist or in `folder`; missing ones are downloaded."""
    train, test = (_part(images, labels, folder, progress) for images, labels in FILES.values())
    return Data("fashion-mnist", train, test, CLASSES)


def _part(images: Archive, labels: Archive, folder: Path, progress: Progress | None) -> InMemory:
    pixels = _read_idx(_find(images, folder, progress), dimensions=3)
    numbers = _read_idx(_find(labels, folder, progress), dimensions=1)
    return InMemory(torch.from_numpy(pixels).unsqueeze(1), torch.from_numpy(numbers.astype(np.int64)))


def _find(archive: Archive, folder: Path, progress: Progress | None) -> Path:
    own = folder / "fashion-mnist"
    is_beside = (folder / archive.name).is_file() and not (own / archive.name).is_file()
    return archive.fetch(folder if is_beside else own, progress)


def _read_idx(path: Path, dimensions: int) -> npt.NDArray[np.uint8]:
    """Read LeCun's format: two zeros, 8 for uint8, the number of dimensions, each size as four bytes, the numbers."""
    try:
        with gzip.open(path) as file:
            content = file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is cut short or damaged ({error}); remove it to have it downloaded again.") from error
    start = 4 + 4 * dimensions
    sizes = [int.from_bytes(content[place : place + 4]) for place in range(4, start, 4)]
    if content[:4] != bytes([0, 0, 8, dimensions]) or len(content) != start + math.prod(sizes):
        raise ValueError(
            f"{path} is not an idx file of uint8 in {dimensions} dimensions; remove it to have it downloaded again."
        )
    return np.frombuffer(bytearray(content), np.uint8, offset=start).reshape(sizes)
