"""Everything that can be learned from, by one word: a published set, a folder of images or sounds, a file of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypertorus.datasets.archive import data_folder
from hypertorus.datasets.array_file import read_array_file, read_array_rows
from hypertorus.datasets.cifar import LAYOUTS, read_cifar
from hypertorus.datasets.data import Data
from hypertorus.datasets.digits import read_digits
from hypertorus.datasets.fashion_mnist import read_fashion_mnist
from hypertorus.datasets.kinds import IMAGES, SOUND_FILES, has_classes, holds_sounds
from hypertorus.datasets.part import Part
from hypertorus.datasets.unlabelled import read_unlabelled
from hypertorus.files.arrays import is_array_file
from hypertorus.files.progress import Progress
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
    """The data set that `source` names, which may be one of these.

    * `digits`, `cifar10`, `cifar100` or `fashion-mnist`. Their files are looked for in `folder`, by default
      $HYPERTORUS_DATA or a folder of the user's cache, and downloaded there, with `progress(bytes done, of all)`.
    * A folder of images, one folder a class, below `train` and `test` if there are such folders. They become squares
      of `size` pixels, by default what suits them.
    * A folder of sounds (.wav, .flac, .ogg, .mp3, or .pt as the ProtoCLR benchmark has them) laid out likewise, a .csv
      with their path, label and, if need be, start and end in seconds, or one .pt with `data` and `label`. They
      become spectrograms, kept in the user's cache, with `progress(sounds done, of all)`. `sound` has settings of
      `Spectrogram`, by default the published ones and windows that suit the length of the sounds, or it is
      `{"kind": "birdnet"}` for the vectors of BirdNET.
    * An .npz, .npy, .csv, .safetensors or .parquet file of images or feature vectors, see `read_table`; the `labels`
      of an .npy lie in a file of their own. `sound` says by which ear vectors were made, if by one.
    * `hf:NAME`, a data set of Hugging Face, or a folder to which one was saved.

    Where there is no part for testing, `test_share` of each class is set aside, always the same rows. Sounds, and rows
    of an .npz with a `path` each, are set aside by recordings, which `group` tells from their names, see `recordings`.

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
    if not source.startswith("hf:") and not path.is_dir() and is_array_file(source):
        _refuse(source, size=size)
        return _heard(read_array_file(str(path), labels, test_share, group), sound)
    _refuse(source, labels=labels, sound=sound, group=group)
    return _read_images(source, path, size, test_share)


def read_any(source: str, **options: Any) -> Data | Part:
    """The data set at a source, as `read_data` reads it, or where nothing in it has a class, its inputs alone."""
    path = Path(source).expanduser()
    files = not (source in NAMES or source.startswith("hf:"))
    if files and not path.exists() and not is_array_file(source):
        raise FileNotFoundError(f"there is no {source}; pass a file, a folder, or one of {', '.join(NAMES)}.")
    if files and (_is_single(path) or (path.is_dir() and not _is_saved(path) and not has_classes(path))):
        alone = {name: options[name] for name in ("size", "sound", "progress") if name in options}
        return read_unlabelled(path, **alone)
    if files and is_array_file(source) and not path.is_dir() and not holds_sounds(path):
        everything = read_array_rows(source)
        if options.get("labels") is None and bool((everything.labels < 0).any()):
            return everything
    return read_data(source, **options)


def _is_single(path: Path) -> bool:
    return path.is_file() and path.name.lower().endswith((*IMAGES, *SOUND_FILES))


def _is_saved(path: Path) -> bool:
    from hypertorus.datasets.hugging_face import is_saved

    return is_saved(path)


def _refuse(source: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} is {value}, which means nothing for {source}; leave it out.")


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
        found = read_sound_folder(path, group)
    elif path.suffix == ".csv":
        found = read_sound_csv(path, group)
    else:
        _refuse(str(path), group=group)
        found = read_sound_tensors(path)
    return found.data(sound, test_share, progress)


def _heard(data: Data, sound: Mapping[str, Any] | None) -> Data:
    """Vectors that somebody else made of sounds, with the ear by which more can be made."""
    if sound is None:
        return data
    heard_by = ear(sound)
    if heard_by.shape != data.train.shape:
        raise ValueError(
            f"sound is {dict(sound)}, by which sounds become inputs of shape {heard_by.shape}; those of {data.name} "
            f"have {data.train.shape}; leave it out."
        )
    return replace(data, sound=heard_by)


def _read_images(source: str, path: Path, size: int | None, test_share: float) -> Data:
    if not source.startswith("hf:") and not path.is_dir():
        raise ValueError(
            f"data is {source!r}; it may be one of {', '.join(NAMES)}, a folder of images or sounds with a folder for "
            "each class, an .npz, .npy, .csv, .safetensors, .parquet or .pt file, or hf:NAME for a data set of Hugging "
            "Face."
        )
    if size is not None and size < 1:
        raise ValueError(f"size is {size}; an image needs at least 1 pixel.")
    from hypertorus.datasets.hugging_face import is_saved, read_hugging_face
    from hypertorus.datasets.image_folder import read_image_folder

    if source.startswith("hf:"):
        return read_hugging_face(source.removeprefix("hf:"), size, test_share)
    if is_saved(path):
        return read_hugging_face(str(path), size, test_share)
    return read_image_folder(path, size, test_share)
