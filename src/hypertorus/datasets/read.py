"""Reads a data set by name or path: a published one, a folder of images or sounds, or a file of texts or arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from hypertorus.datasets.archive import data_folder
from hypertorus.datasets.array_file import read_array_file, read_array_rows
from hypertorus.datasets.cifar import LAYOUTS, read_cifar
from hypertorus.datasets.data import Data
from hypertorus.datasets.digits import read_digits
from hypertorus.datasets.fashion_mnist import read_fashion_mnist
from hypertorus.datasets.kinds import IMAGES, SOUND_FILES, has_classes, holds_sounds, holds_texts
from hypertorus.datasets.part import Part
from hypertorus.datasets.text_file import has_labels, read_plain_texts, read_texts
from hypertorus.datasets.unlabelled import read_unlabelled
from hypertorus.embeddings.split import NoSplitError
from hypertorus.files.progress import Progress
from hypertorus.files.suffixes import SUFFIXES, is_array_file
from hypertorus.sound.ear import ear

NAMES = ("digits", *LAYOUTS, "fashion-mnist")


def read_data(
    source: str,
    *,
    folder: Path | None = None,
    labels: Path | None = None,
    size: int | None = None,
    sound: Mapping[str, Any] | None = None,
    group: str | None = None,
    test_share: float = 0.2,
    progress: Progress | None = None,
) -> Data:
    """Return the data set that `source` names, which may be one of these.

    * `digits`, `cifar10`, `cifar100` or `fashion-mnist`. Their files are read from `folder`, by default
      $HYPERTORUS_DATA or a folder of the user's cache, and missing ones are downloaded there, with
      `progress(bytes done, total)`.
    * A folder of images, with a folder for each class, below `train` and `test` if there are such folders. They become
      squares of `size` pixels; the default suits the images.
    * A folder of sounds (.wav, .flac, .ogg, .mp3, or .pt as in the ProtoCLR benchmark) with the same layout, a .csv
      with their path, label and, if need be, start and end in seconds, or one .pt with `data` and `label`. They
      become spectrograms, stored in the user's cache, with `progress(sounds done, total)`. `sound` has settings of
      `Spectrogram`, by default the published ones and windows that suit the length of the sounds. With
      `{"kind": "keyword"}` they are those for words on a microcontroller, and `{"kind": "birdnet"}` is for the vectors
      of BirdNET.
    * A .csv, .tsv or .jsonl of texts, with the columns text and label, or anchor and positive for pairs; and, if need
      be, part (train or test) and group (texts that stay together). A text is read up to its first 2,000 bytes.
    * A file of images or feature vectors, such as an .npz, .npy, .csv, .safetensors, .parquet, .hdf5 or .fbin, see
      `read_table`; `labels` is the file with the labels of one that has none. If the vectors were made from sounds,
      `sound` has the settings of their ear.
    * `hf:NAME`, a data set of Hugging Face, or a folder to which one was saved.

    Without a test part, `test_share` of each class is set aside for testing, always the same rows. Sounds, and rows
    with a `path`, are split by recordings, into which `group` says how to group files, see `recordings`.

    >>> data = read_data("digits")
    >>> len(data.train), len(data.test), data.train.shape, data.classes[:3]
    (1438, 359, (1, 8, 8), ('0', '1', '2'))
    """
    path = Path(source).expanduser()
    if source in NAMES:
        _refuse(source, labels=labels, size=size, sound=sound, group=group)
        return _read_by_name(source, data_folder() if folder is None else folder, test_share, progress)
    if not source.startswith("hf:") and holds_sounds(path):
        _refuse(source, labels=labels, size=size)
        return _read_sounds(path, sound, group, test_share, progress)
    if not source.startswith("hf:") and holds_texts(path):
        _refuse(source, labels=labels, size=size, sound=sound, group=group)
        return read_texts(path, test_share)
    if not source.startswith("hf:") and not path.is_dir() and is_array_file(source):
        _refuse(source, size=size)
        return _with_ear(read_array_file(str(path), labels, test_share, group), sound)
    _refuse(source, labels=labels, sound=sound, group=group)
    return _read_images(source, path, size, test_share, progress)


def read_any(source: str, **options: Any) -> Data | Part:
    """Return the data set at a source, as `read_data` does, or only its inputs if it has no classes or no split."""
    path = Path(source).expanduser()
    files = not (source in NAMES or source.startswith("hf:"))
    if files and not path.exists() and not is_array_file(source):
        raise FileNotFoundError(f"{source} does not exist; pass a file, a folder, or one of {', '.join(NAMES)}.")
    if files and holds_texts(path):
        return _read_any_texts(path, options.get("test_share", 0.2))
    if files and (_is_single(path) or (path.is_dir() and not _is_saved(path) and not has_classes(path))):
        return read_unlabelled(path, **_without_classes(options))
    if files and is_array_file(source) and not path.is_dir() and not holds_sounds(path):
        everything = read_array_rows(source)
        if options.get("labels") is None and bool((everything.labels < 0).any()):
            return everything
    try:
        return read_data(source, **options)
    except NoSplitError:
        if not path.is_dir():
            raise
        return _labelled_by_folder(read_unlabelled(path, **_without_classes(options)))


def _read_any_texts(path: Path, test_share: float) -> Data | Part:
    try:
        return read_texts(path, test_share) if has_labels(path) else read_plain_texts(path)
    except NoSplitError:
        return read_plain_texts(path)


def _without_classes(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("size", "sound", "progress") if name in options}


def _labelled_by_folder(part: Part) -> Part:
    """Return the part with the first folder of each name as its class."""
    assert part.columns.names is not None
    folders = [name.partition("/")[0] for name in part.columns.names.tolist()]
    part.classes = tuple(sorted(set(folders)))
    part.columns = replace(part.columns, labels=torch.tensor([part.classes.index(folder) for folder in folders]))
    return part


def _is_single(path: Path) -> bool:
    return path.is_file() and path.name.lower().endswith((*IMAGES, *SOUND_FILES))


def _is_saved(path: Path) -> bool:
    from hypertorus.datasets.hugging_face import is_saved

    return is_saved(path)


def _refuse(source: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} is {value}, which has no meaning for {source}; leave it out.")


def _read_by_name(name: str, folder: Path, test_share: float, progress: Progress | None) -> Data:
    if name == "digits":
        return read_digits(test_share)
    if name == "fashion-mnist":
        return read_fashion_mnist(folder, progress)
    return read_cifar(name, folder, progress)


def _read_sounds(
    path: Path, sound: Mapping[str, Any] | None, group: str | None, test_share: float, progress: Progress | None
) -> Data:
    from hypertorus.datasets.sound_csv import read_sound_csv
    from hypertorus.datasets.sound_folder import read_sound_folder
    from hypertorus.datasets.sound_tensors import read_sound_tensors

    if path.is_dir():
        sounds = read_sound_folder(path, group)
    elif path.suffix == ".csv":
        sounds = read_sound_csv(path, group)
    else:
        _refuse(str(path), group=group)
        sounds = read_sound_tensors(path)
    return sounds.data(sound, test_share, progress)


def _with_ear(data: Data, sound: Mapping[str, Any] | None) -> Data:
    """Return data whose vectors were made from sounds elsewhere, with the ear that makes more of them."""
    if sound is None:
        return data
    ear_used = ear(sound)
    if ear_used.shape != data.train.shape:
        raise ValueError(
            f"sound is {dict(sound)}, which makes inputs of shape {ear_used.shape}, but those of {data.name} have "
            f"shape {data.train.shape}; leave it out."
        )
    return replace(data, sound=ear_used)


def _read_images(source: str, path: Path, size: int | None, test_share: float, progress: Progress | None) -> Data:
    if not source.startswith("hf:") and not path.is_dir():
        if "/" in source and not path.exists():
            raise FileNotFoundError(f"there is no folder {source}; check its name.")
        raise ValueError(
            f"data is {source!r}; it must be one of {', '.join(NAMES)}, a folder of images or sounds with a folder for "
            f"each class, a file of texts (.csv, .tsv, .jsonl) or of arrays ({', '.join(SUFFIXES)}) or a .pt, or "
            "hf:NAME for a data set of Hugging Face."
        )
    if size is not None and size < 1:
        raise ValueError(f"size is {size}; an image needs at least 1 pixel.")
    from hypertorus.datasets.hugging_face import is_saved, read_hugging_face
    from hypertorus.datasets.image_folder import read_image_folder

    if source.startswith("hf:"):
        return read_hugging_face(source.removeprefix("hf:"), size, test_share)
    if is_saved(path):
        return read_hugging_face(str(path), size, test_share)
    return read_image_folder(path, size, test_share, progress)
