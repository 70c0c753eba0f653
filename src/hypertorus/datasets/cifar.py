"""CIFAR-10 and CIFAR-100 of Krizhevsky, 2009, from the official binary archives.

https://www.cs.toronto.edu/~kriz/cifar.html
"""

from __future__ import annotations

import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from hypertorus.datasets.archive import Archive
from hypertorus.datasets.data import Data
from hypertorus.datasets.part import InMemory
from hypertorus.files.progress import Progress

_ADDRESS = "https://www.cs.toronto.edu/~kriz"


@dataclass(frozen=True)
class _Layout:
    """A record is `label_bytes` bytes, the last of them the label, and then red, green and blue of 32 x 32 pixels."""

    archive: Archive
    folder: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    class_names: str
    label_bytes: int


LAYOUTS = {
    "cifar10": _Layout(
        Archive("cifar-10-binary.tar.gz", _ADDRESS, "c32a1d4ab5d03f1284b67883e8d87530"),
        folder="cifar-10-batches-bin",
        train=tuple(f"data_batch_{number}.bin" for number in range(1, 6)),
        test=("test_batch.bin",),
        class_names="batches.meta.txt",
        label_bytes=1,
    ),
    "cifar100": _Layout(
        Archive("cifar-100-binary.tar.gz", _ADDRESS, "03b5dce01913d631647c71ecec9e9cb8"),
        folder="cifar-100-binary",
        train=("train.bin",),
        test=("test.bin",),
        class_names="fine_label_names.txt",
        label_bytes=2,  # the coarse one first
    ),
}


def read_cifar(name: str, folder: Path, progress: Progress | None = None) -> Data:
    """Return the data set from the extracted folder or the archive in `folder`; else the archive is downloaded."""
    layout = LAYOUTS[name]
    place = folder / layout.folder
    if place.is_dir():
        files = _from_folder(place, layout)
    else:
        place = layout.archive.fetch(folder, progress)
        files = _from_archive(place, layout)
    classes = tuple(files[layout.class_names].decode().split())
    train, test = (
        _part({f"{place}/{file}": files[file] for file in names}, len(classes), layout)
        for names in (layout.train, layout.test)
    )
    return Data(name, train, test, classes)


def _from_folder(place: Path, layout: _Layout) -> dict[str, bytes]:
    names = (*layout.train, *layout.test, layout.class_names)
    missing = [name for name in names if not (place / name).is_file()]
    if missing:
        raise FileNotFoundError(f"{place} has no {', '.join(missing)}; extract {layout.archive.name} again.")
    return {name: (place / name).read_bytes() for name in names}


def _from_archive(path: Path, layout: _Layout) -> dict[str, bytes]:
    """Return the files in the archive; nothing is extracted to disk, so no name in it can do harm."""
    names = {f"{layout.folder}/{name}": name for name in (*layout.train, *layout.test, layout.class_names)}
    files = {}
    try:
        with tarfile.open(path, "r|gz") as archive:
            for member in archive:
                name = names.get(member.name.removeprefix("./"))
                content = archive.extractfile(member) if name and member.isfile() else None
                if name and content:
                    files[name] = content.read()
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path} is cut short or damaged ({error}); remove it to have it downloaded again.") from error
    if missing := [name for name in names.values() if name not in files]:
        raise ValueError(f"{path} has no {', '.join(missing)}; remove it to have it downloaded again.")
    return files


def _part(files: dict[str, bytes], classes: int, layout: _Layout) -> InMemory:
    record = layout.label_bytes + 3 * 32 * 32
    labels, images = [], []
    for place, content in files.items():
        if not content or len(content) % record:
            raise ValueError(
                f"{place} has {len(content):,} bytes; expected a multiple of {record:,}, so download it again."
            )
        records = np.frombuffer(content, np.uint8).reshape(-1, record)
        numbers = records[:, layout.label_bytes - 1]
        if numbers.max() >= classes:
            raise ValueError(
                f"{place} has the label {numbers.max()}, but {layout.class_names} names {classes} classes; "
                "download it again."
            )
        labels.append(numbers)
        images.append(records[:, layout.label_bytes :])
    pixels = torch.from_numpy(np.concatenate(images)).view(-1, 3, 32, 32)
    return InMemory(pixels, torch.from_numpy(np.concatenate(labels).astype(np.int64)))
