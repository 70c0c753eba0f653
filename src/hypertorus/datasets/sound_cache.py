"""The inputs of many clips: computed once, in all cores, into a file of the user's cache.

Its name is a checksum of the settings and of the name, size and time of every sound file, so a file that changed is
computed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from hypertorus.datasets.mapped import NAME
from hypertorus.files.atomic import replacing
from hypertorus.files.cache import cache_folder
from hypertorus.files.progress import Progress
from hypertorus.files.tensors import TensorFile, TensorFileError, header_bytes
from hypertorus.files.threads import thread_count
from hypertorus.sound.clip import Clip
from hypertorus.sound.ear import Ear

VERSION = 1
"""To be counted up when the same settings give other numbers."""
DTYPES = {torch.float16: "F16", torch.float32: "F32"}
HEADER = 1024
"""Bytes kept free for the header, which can only be written when all inputs are."""
FEW = 16
"""Clips that are not worth the start of other processes."""


class Computed(NamedTuple):
    file: Path
    clips: npt.NDArray[np.int64]
    """Of which clip each input is: a long one has several."""
    broken: list[str]
    """A sentence for each clip that could not be read."""


def inputs_of(clips: list[Clip], ear: Ear, folder: Path | None = None, progress: Progress | None = None) -> Computed:
    """Where the inputs of these clips lie, which are computed unless they are there and whole."""
    folder = cache_folder("sounds") if folder is None else folder
    file = folder / f"{_checksum(clips, ear)}.safetensors"
    try:
        return _read(file)
    except (FileNotFoundError, TensorFileError, KeyError, ValueError):
        ear.check()  # or else every clip would be blamed
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(file) as target:
            _write(target, clips, ear, progress)
        return _read(file)


class _Inputs(Dataset[Tensor | str]):
    """The inputs of each clip, or a sentence on why there are none."""

    def __init__(self, clips: list[Clip], ear: Ear) -> None:
        self.clips, self.ear = clips, ear

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, index: int) -> Tensor | str:
        try:
            return self.ear.inputs(self.clips[index].wave(self.ear.rate)).to(self.ear.dtype)
        except (ValueError, OSError) as error:
            return str(error)


def _write(file: BinaryIO, clips: list[Clip], ear: Ear, progress: Progress | None) -> None:
    file.write(bytes(HEADER))
    checksum, owners, broken = hashlib.sha256(), [], []
    for number, inputs in enumerate(_in_processes(_Inputs(clips, ear))):
        if isinstance(inputs, str):
            broken.append(inputs)
        else:
            content = inputs.numpy().tobytes()
            file.write(content)
            checksum.update(content)
            owners += [number] * len(inputs)
        if progress:
            progress(number + 1, len(clips))
    said = json.dumps(broken).encode()
    file.write(np.array(owners, "<i8").tobytes())
    file.write(said)
    tensors = {
        NAME: (DTYPES[ear.dtype], [len(owners), *ear.shape]),
        "clips": ("I64", [len(owners)]),
        "broken": ("U8", [len(said)]),
    }
    file.seek(0)
    file.write(header_bytes(tensors, {"format": "hypertorus-sounds", "sha256": checksum.hexdigest()}, room=HEADER))


def _in_processes(inputs: _Inputs) -> Iterable[Tensor | str]:
    workers = 0 if len(inputs) <= FEW else thread_count(None)
    return DataLoader(inputs, batch_size=None, num_workers=workers if workers > 1 else 0)


def _read(file: Path) -> Computed:
    found = TensorFile(file)
    if hashlib.sha256(found[NAME].reshape(-1).view(np.uint8).data).hexdigest() != found.metadata["sha256"]:
        raise TensorFileError(f"{file} is not what was written; it is damaged.")
    return Computed(file, found["clips"].copy(), json.loads(found["broken"].tobytes()))


def _checksum(clips: list[Clip], ear: Ear) -> str:
    seen = hashlib.sha256(repr((VERSION, ear)).encode())
    stamps: dict[str, str] = {}
    for clip in clips:
        if clip.path not in stamps:
            stamps[clip.path] = _stamp(clip.path)
        seen.update(f"{clip}{stamps[clip.path]}\0".encode(errors="surrogateescape"))
    return seen.hexdigest()[:32]


def _stamp(path: str) -> str:
    try:
        found = Path(path).stat()
    except OSError:
        return "absent"
    return f"{Path(path).resolve()} {found.st_size} {found.st_mtime_ns}"
