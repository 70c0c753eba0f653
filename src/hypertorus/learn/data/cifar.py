"""CIFAR-10 and CIFAR-100 of Krizhevsky, 2009, from their official binary archives: https://www.cs.toronto.edu/~kriz/cifar.html."""

from __future__ import annotations

import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from hypertorus.learn.data.archive import Archive, Progress
from hypertorus.learn.data.data import Data
from hypertorus.learn.data.part import InMemory

_PIXELS = 3 * 32 * 32


@dataclass(frozen=True)
class _Layout:
    """A record is `label_bytes` bytes, the last of which is the label, and then red, green and blue of 32 x 32."""

    archive: Archive
    folder: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    class_names: str
    label_bytes: int


LAYOUTS = {
    "cifar10": _Layout(
        Archive(
            "cifar-10-binary.tar.gz",
            "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
            "c32a1d4ab5d03f1284b67883e8d87530",
        ),
        folder="cifar-10-batches-bin",
        train=tuple(f"data_batch_{number}.bin" for number in range(1, 6)),
        test=("test_batch.bin",),
        class_names="batches.meta.txt",
        label_bytes=1,
    ),
    "cifar100": _Layout(
        Archive(
            "cifar-100-binary.tar.gz",
            "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
            "03b5dce01913d631647c71ecec9e9cb8",
        ),
        folder="cifar-100-binary",
        train=("train.bin",),
        test=("test.bin",),
        class_names="fine_label_names.txt",
        label_bytes=2,  # coarse, then fine
    ),
}


def read_cifar(name: str, folder: Path, progress: Progress | None = None) -> Data:
    """From the extracted folder or the archive in `folder`, whichever is there; else the archive is downloaded."""
    layout = LAYOUTS[name]
    place = folder / layout.folder
    if place.is_dir():
        files = _from_folder(place, layout)
    else:
        place = layout.archive.fetch(folder, progress)
        files = _from_archive(place, layout)
    classes = tuple(files[layout.class_names].decode().split())
    train, test = (
        _part([files[part] for part in parts], len(classes), layout, f"{place} ({', '.join(parts)})")
        for parts in (layout.train, layout.test)
    )
    return Data(name, train, test, classes)


def _from_folder(place: Path, layout: _Layout) -> dict[str, bytes]:
    wanted = (*layout.train, *layout.test, layout.class_names)
    missing = [name for name in wanted if not (place / name).is_file()]
    if missing:
        raise FileNotFoundError(f"{place} has no {', '.join(missing)}; extract {layout.archive.name} there again.")
    return {name: (place / name).read_bytes() for name in wanted}


def _from_archive(path: Path, layout: _Layout) -> dict[str, bytes]:
    """Read within the archive: nothing of it is written, so no name in it can lead astray."""
    wanted = {f"{layout.folder}/{name}": name for name in (*layout.train, *layout.test, layout.class_names)}
    found = {}
    try:
        with tarfile.open(path, "r|gz") as archive:
            for member in archive:
                content = archive.extractfile(member) if member.name.removeprefix("./") in wanted else None
                if content is not None:
                    found[wanted[member.name.removeprefix("./")]] = content.read()
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path} is cut short or damaged ({error}); remove it to have it downloaded again.") from error
    if missing := set(wanted.values()) - set(found):
        raise ValueError(f"{path} has no {', '.join(sorted(missing))}; remove it to have it downloaded again.")
    return found


def _part(files: list[bytes], classes: int, layout: _Layout, place: str) -> InMemory:
    record = layout.label_bytes + _PIXELS
    for content in files:
        if not content or len(content) % record:
            raise ValueError(f"{place} holds a file of {len(content):,} bytes, which is no multiple of {record:,}.")
    records = np.frombuffer(bytearray().join(files), np.uint8).reshape(-1, record)
    labels = records[:, layout.label_bytes - 1].astype(np.int64)
    if labels.max() >= classes:
        raise ValueError(f"{place} has the label {labels.max()}, but {layout.class_names} names {classes} classes.")
    images = np.ascontiguousarray(records[:, layout.label_bytes :]).reshape(-1, 3, 32, 32)
    return InMemory(torch.from_numpy(images), torch.from_numpy(labels))
