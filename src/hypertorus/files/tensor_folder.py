"""A folder of tensors and their configuration, such as that of a model or a coder: replaced in one step.

The file of tensors holds the configuration, too, so that its one rename replaces the whole: whoever opens the folder,
at any moment and after any crash, gets the old one or the new one. `config.json` follows and is what people and other
programs read. It counts where its checksum is that of the tensors, and otherwise the copy within them does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus import __version__
from hypertorus.files.atomic import replacing
from hypertorus.files.tensors import TensorFile, TensorFileError, tensor_bytes

CONFIG = "config.json"
_INSIDE, _CHECKSUM = "config", "sha256"
"""Names in the metadata of the tensors: the configuration as JSON, and a checksum of it and of all tensors."""


class OpenFolder(NamedTuple):
    """A configuration and a file of tensors, which belong together."""

    config: dict[str, Any]
    file: TensorFile


@dataclass(frozen=True)
class TensorFolder:
    """A kind of folder: how its parts are called, and what its configuration must have."""

    kind: str
    """What is in it, as errors call it: model or coder."""
    version: int
    fix: str
    """What makes a damaged one whole again, such as `save the model again`."""
    keys: Mapping[str, Callable[[Any], bool]]
    """What the configuration must have, with the test that each value must pass."""
    library: str
    """The library of the tensors, as the safetensors format names them: pt or np."""

    @property
    def format(self) -> str:
        return f"hypertorus-{self.kind}"

    @property
    def tensors(self) -> str:
        """Name of the file of tensors."""
        return f"{self.kind}.safetensors"

    def write(self, folder: Path, config: dict[str, Any], tensors: Mapping[str, npt.NDArray[Any]]) -> None:
        """Write both files; what is in the folder is replaced if it is of this kind."""
        content = {"format": self.format, "format_version": self.version, "hypertorus": __version__, **config}
        inside = self._json(content).decode()  # an error here must come before anything is written
        self.check_replaceable(folder)
        folder.mkdir(parents=True, exist_ok=True)
        metadata = {"format": self.library, _INSIDE: inside}
        metadata[_CHECKSUM] = _checksum(metadata, tensors)
        digest = hashlib.sha256()
        with replacing(folder / self.tensors) as file:
            for piece in tensor_bytes(tensors, metadata):
                file.write(piece)
                digest.update(piece)
        with replacing(folder / CONFIG) as file:
            file.write(self._json({**content, "sha256": digest.hexdigest()}))

    def check_replaceable(self, folder: Path) -> None:
        """Raise an error if the folder holds a file of one of the two names that is not of this kind."""
        if self.is_in(folder):
            return
        for name in (CONFIG, self.tensors):
            if (folder / name).exists():
                raise ValueError(
                    f"{folder / name} is not of a hypertorus {self.kind}, so it is not replaced; choose another folder."
                )

    def is_in(self, folder: Path) -> bool:
        """Whether `config.json` is of this kind or, as after a crash, is missing beside tensors that are."""
        try:
            return self._is_ours(json.loads((folder / CONFIG).read_bytes()))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, RecursionError):
            return False
        try:
            return self._is_ours(json.loads(TensorFile(folder / self.tensors).metadata[_INSIDE]))
        except (OSError, TensorFileError, KeyError, ValueError, RecursionError):
            return False

    def open(self, folder: Path) -> OpenFolder:
        """Return the configuration and the file of tensors, after checking that they belong together."""
        if not folder.is_dir():
            raise FileNotFoundError(f"there is no folder {folder}; pass the folder of a {self.kind}.")
        config, path = self._beside(folder / CONFIG), folder / self.tensors
        if config is None and not path.is_file():
            raise FileNotFoundError(f"{folder} has no {CONFIG}; pass the folder of a {self.kind}.")
        if not path.is_file():
            raise FileNotFoundError(
                f"{folder} has no {self.tensors}; its save was cut short, or the file was not copied: copy it, or "
                f"{self.fix}."
            )
        file = TensorFile(path)
        if config is not None and file.sha256() == config["sha256"]:
            return OpenFolder(config, file)
        metadata = dict(file.metadata)
        checksum, inside = metadata.pop(_CHECKSUM, None), metadata.get(_INSIDE)
        if inside is None and config is None:
            raise FileNotFoundError(f"{folder} has no {CONFIG}; pass the folder of a {self.kind}.")
        if inside is None or checksum != _checksum(metadata, {name: file[name] for name in file}):
            raise ValueError(
                f"{path} does not match the checksum in {CONFIG}; it was changed, or its save was cut short: "
                f"{self.fix}."
            )
        return OpenFolder(self._checked(path, inside.encode()), file)

    def _beside(self, path: Path) -> dict[str, Any] | None:
        """Return the configuration in `config.json`, or None if there is none yet."""
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return None
        config = self._checked(path, text)
        if not isinstance(config.get("sha256"), str):
            raise ValueError(f"{path} has no valid 'sha256'; it was changed, or is damaged: {self.fix}.")  # noqa: TRY004
        return config

    def _checked(self, path: Path, text: bytes) -> dict[str, Any]:
        try:
            config = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path} is not valid JSON; it was changed, or is damaged: {self.fix}.") from error
        if not self._is_ours(config):
            raise ValueError(f"{path} is not the config of a hypertorus {self.kind}; pass the folder of a {self.kind}.")
        version = config.get("format_version")
        if version != self.version:
            raise ValueError(
                f"{path} has format version {version!r}, and this hypertorus reads {self.version}; update hypertorus."
            )
        for key, is_valid in self.keys.items():
            if not is_valid(config.get(key)):
                raise ValueError(f"{path} has no valid {key!r}; it was changed, or is damaged: {self.fix}.")
        return config

    def _is_ours(self, config: Any) -> bool:
        return isinstance(config, dict) and config.get("format") == self.format

    def _json(self, config: dict[str, Any]) -> bytes:
        try:
            return json.dumps(config, indent=2, allow_nan=False).encode() + b"\n"
        except (TypeError, ValueError) as error:
            raise ValueError(f"the {self.kind}'s config cannot be written as JSON: {error}.") from error


def is_a(kind: type) -> Callable[[Any], bool]:
    """Return a test of a value in JSON: whether it is of this type, and a number not a yes or no.

    >>> is_a(int)(3), is_a(int)(True), is_a(str)(None)
    (True, False, False)
    """
    return lambda value: type(value) is kind


def _checksum(metadata: dict[str, str], tensors: Mapping[str, npt.NDArray[Any]]) -> str:
    digest = hashlib.sha256(json.dumps(metadata, sort_keys=True).encode())
    for name in sorted(tensors):
        digest.update(json.dumps([name, tensors[name].dtype.str, tensors[name].shape]).encode())
        digest.update(np.ascontiguousarray(tensors[name]).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
