"""Computes the inputs of many clips once, on all cores, into a file of the user's cache.

The name of the cache file is a checksum of the settings and of the path, size and time of every sound file, so a change
to any of them leads to a new cache file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from itertools import chain
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

VERSION = 3
"""Version of the computation; increase it when the same settings give other numbers."""
DTYPES = {torch.float16: "F16", torch.float32: "F32"}
HEADER = 1024
"""Bytes reserved for the header, which is written after the inputs."""
TOGETHER = 32
"""Number of clips that a process reads at once."""
FEW = 16
"""Number of clips up to which no other processes are started."""


class CachedInputs(NamedTuple):
    """A file of inputs, and the clip of each."""

    file: Path
    clips: npt.NDArray[np.int64]
    """Number of the clip of each input; a long clip has several inputs."""
    errors: list[str]
    """A sentence for each clip that could not be read."""


def inputs_of(
    clips: list[Clip], ear: Ear, folder: Path | None = None, progress: Progress | None = None
) -> CachedInputs:
    """Return the cached inputs of these clips; they are computed unless the cache has them undamaged."""
    folder = cache_folder("sounds") if folder is None else folder
    file = folder / f"{_checksum(clips, ear)}.safetensors"
    try:
        return _read(file)
    except (FileNotFoundError, TensorFileError, KeyError, ValueError):
        ear.check()  # otherwise every clip would be reported as unreadable
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(file) as target:
            _write(target, clips, ear, progress)
        return _read(file)


class _Inputs(Dataset[Tensor | str]):
    """The inputs of each clip, or a sentence on why it cannot be read."""

    def __init__(self, clips: list[Clip], ear: Ear) -> None:
        self.clips, self.ear = clips, ear

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, index: int) -> Tensor | str:
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: list[int]) -> list[Tensor | str]:
        """Return the inputs of several clips; the ear hears short ones together, which makes resonators fast."""
        inputs: dict[int, Tensor | str] = {}
        short: dict[int, Tensor] = {}
        for index in indices:
            try:
                pieces = self.clips[index].pieces(self.ear.seconds)
                if len(pieces) == 1:
                    short[index] = self.ear.windows(pieces[0].wave(self.ear.rate))
                else:
                    heard = [self.ear.inputs(piece.wave(self.ear.rate)) for piece in pieces]
                    inputs[index] = torch.cat(heard).to(self.ear.dtype)
            except (ValueError, OSError) as error:
                inputs[index] = str(error)
        if short:
            together = self.ear.inputs(torch.cat(list(short.values())).flatten()).to(self.ear.dtype)
            inputs |= zip(short, torch.split(together, [len(windows) for windows in short.values()]), strict=True)
        return [inputs[index] for index in indices]


def _write(file: BinaryIO, clips: list[Clip], ear: Ear, progress: Progress | None) -> None:
    file.write(bytes(HEADER))
    checksum, owners, errors = hashlib.sha256(), [], []
    for number, inputs in enumerate(chain.from_iterable(_in_processes(_Inputs(clips, ear)))):
        if isinstance(inputs, str):
            errors.append(inputs)
        else:
            content = inputs.numpy().tobytes()
            file.write(content)
            checksum.update(content)
            owners += [number] * len(inputs)
        if progress:
            progress(number + 1, len(clips))
    error_text = json.dumps(errors).encode()
    file.write(np.array(owners, "<i8").tobytes())
    file.write(error_text)
    tensors = {
        NAME: (DTYPES[ear.dtype], [len(owners), *ear.shape]),
        "clips": ("I64", [len(owners)]),
        "broken": ("U8", [len(error_text)]),
    }
    file.seek(0)
    file.write(header_bytes(tensors, {"format": "hypertorus-sounds", "sha256": checksum.hexdigest()}, room=HEADER))


def _in_processes(inputs: _Inputs) -> Iterable[list[Tensor | str]]:
    workers = 0 if len(inputs) <= FEW else thread_count(None)
    return DataLoader(inputs, TOGETHER, collate_fn=list, num_workers=workers if workers > 1 else 0)


def _read(file: Path) -> CachedInputs:
    tensors = TensorFile(file)
    if hashlib.sha256(tensors[NAME].reshape(-1).view(np.uint8).data).hexdigest() != tensors.metadata["sha256"]:
        raise TensorFileError(f"{file} is damaged: its checksum is wrong; remove it.")
    return CachedInputs(file, tensors["clips"].copy(), json.loads(tensors["broken"].tobytes()))


def _checksum(clips: list[Clip], ear: Ear) -> str:
    checksum = hashlib.sha256(repr((VERSION, ear)).encode())
    stamps: dict[str, str] = {}
    for clip in clips:
        if clip.path not in stamps:
            stamps[clip.path] = _stamp(clip.path)
        checksum.update(f"{clip}{stamps[clip.path]}\0".encode(errors="surrogateescape"))
    return checksum.hexdigest()[:32]


def _stamp(path: str) -> str:
    try:
        stat = Path(path).stat()
    except OSError:
        return "absent"
    return f"{Path(path).resolve()} {stat.st_size} {stat.st_mtime_ns}"
