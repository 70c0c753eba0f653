"""Named tensors in one file: the safetensors format, read as a memory map and checked when it is opened.

A file is 8 bytes of little-endian header length, a JSON header, and the bytes of the tensors one after the other:
`{"codes": {"dtype": "U8", "shape": [3, 4], "data_offsets": [0, 12]}, "__metadata__": {"any": "strings"}}`.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

DTYPES = {
    "U8": "u1",
    "I8": "i1",
    "U16": "<u2",
    "I16": "<i2",
    "U32": "<u4",
    "I32": "<i4",
    "U64": "<u8",
    "I64": "<i8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
    "BOOL": "?",
}
"""The dtypes of the format that numpy supports."""

ALIGNMENT = 64
_LONGEST_HEADER = 100_000_000  # as the safetensors library has it


class TensorFileError(ValueError):
    """A file that is not a valid safetensors file, or that is damaged."""


class TensorFile:
    """The tensors of a file by name, mapped into memory and read-only; metadata is a dict of strings.

    Opening checks everything but the numbers: that the header is complete and valid, and that the tensors fill the
    file from the header to the last byte with neither gap nor overlap.
    """

    def __init__(self, path: Path, *, mmap: bool = True) -> None:
        if not path.exists():
            raise FileNotFoundError(f"there is no file {path}; check its name.")
        with path.open("rb") as file:  # once: a save may put another file in this place at any moment
            status = os.fstat(file.fileno())
            size = status.st_size if stat.S_ISREG(status.st_mode) else 0
            if size < 8:
                raise TensorFileError(f"{path} has {size} bytes; it is not a safetensors file, or was cut short.")
            content = np.asarray(np.memmap(file, np.uint8, mode="r", shape=size)) if mmap else _read(file, size)
        self.identity: Identity = identity(status)
        self._parse(path, content)

    @classmethod
    def of(cls, data: bytes | npt.NDArray[np.uint8], name: str) -> TensorFile:
        """The same of the bytes of a file; errors call them by this name."""
        content = np.frombuffer(data, np.uint8)
        if content.size < 8:
            raise TensorFileError(f"{name} has {content.size} bytes; it is not a safetensors file, or was cut short.")
        if content.ctypes.data % ALIGNMENT:
            content = _aligned(content.size)
            content[:] = np.frombuffer(data, np.uint8)
            content.flags.writeable = False
        file = cls.__new__(cls)
        file.identity = None
        file._parse(Path(name), content)  # noqa: SLF001
        return file

    def _parse(self, path: Path, content: npt.NDArray[np.uint8]) -> None:
        self.path = path
        self._bytes, size = content, content.size
        length = int(self._bytes[:8].view("<u8")[0])
        if length > min(size - 8, _LONGEST_HEADER):
            raise TensorFileError(f"{path} ends within its header; it is not a safetensors file, or was cut short.")
        self.start = 8 + length
        self.header = _header(path, bytes(self._bytes[8 : self.start]))
        self.metadata = _metadata(path, self.header)
        self._entries = {name: entry for name, entry in self.header.items() if name != "__metadata__"}
        self._check_entries(size - self.start)

    def __iter__(self) -> Any:
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def get(self, name: str) -> npt.NDArray[Any] | None:
        return self[name] if name in self else None  # noqa: SIM401

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        entry = self._entries[name]
        if entry["dtype"] not in DTYPES:
            raise TensorFileError(
                f"{self.path} holds {name} as {entry['dtype']}; save it as one of {', '.join(DTYPES)}."
            )
        begin, end = entry["data_offsets"]
        part = self._bytes[self.start + begin : self.start + end]
        return np.ndarray(tuple(entry["shape"]), DTYPES[entry["dtype"]], buffer=part)

    def header_sha256(self) -> bytes:
        """Return the SHA-256 checksum of the header, which tells files apart whose headers have checksums of all."""
        return hashlib.sha256(self._bytes[: self.start].data).digest()

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._bytes.size

    def sha256(self) -> str:
        """Return the SHA-256 checksum of the file."""
        return hashlib.sha256(self._bytes.data).hexdigest()

    def _check_entries(self, size: int) -> None:
        for name, entry in self._entries.items():
            if not _is_entry(entry):
                raise TensorFileError(f"{self.path} describes tensor {name!r} wrongly; it is not a safetensors file.")
        expected = 0
        for begin, end in sorted(entry["data_offsets"] for entry in self._entries.values()):
            if begin != expected:
                raise TensorFileError(f"{self.path} has tensors that overlap or leave gaps; it is damaged.")
            expected = end
        if expected != size:
            raise TensorFileError(
                f"{self.path} has {size} bytes after its header, not the {expected} that the header describes; "
                "it was cut short or added to."
            )


Identity = tuple[int, ...] | None


def identity(status: os.stat_result) -> Identity:
    """What tells one file from another that takes its name, or from what is written over it."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _read(file: BinaryIO, size: int) -> npt.NDArray[np.uint8]:
    content = _aligned(size)
    read = file.readinto(content.data)  # type: ignore[attr-defined]
    content.flags.writeable = False
    return content[:read]


def _aligned(size: int) -> npt.NDArray[np.uint8]:
    memory = np.empty(size + ALIGNMENT - 1, np.uint8)
    offset = -memory.ctypes.data % ALIGNMENT
    return memory[offset : offset + size]


def header_of(tensors: dict[str, tuple[str, list[int]]], metadata: dict[str, str]) -> dict[str, Any]:
    """Return the header of a file with these tensors (dtype and shape by name), stored in this order.

    >>> header_of({"codes": ("U8", [3, 4])}, {})
    {'__metadata__': {}, 'codes': {'dtype': 'U8', 'shape': [3, 4], 'data_offsets': [0, 12]}}
    """
    header: dict[str, Any] = {"__metadata__": metadata}
    offset = 0
    for name, (dtype, shape) in tensors.items():
        size = int(np.prod(shape, dtype=object)) * np.dtype(DTYPES[dtype]).itemsize
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    return header


def header_bytes(tensors: dict[str, tuple[str, list[int]]], metadata: dict[str, str], room: int | None = None) -> bytes:
    """Return the start of a file with these tensors, padded so that the first is aligned, or to `room` bytes.

    With `room`, the header can be written after the tensors, for example because it has their checksum.
    """
    text = json.dumps(header_of(tensors, metadata), separators=(",", ":")).encode()
    needed = 8 + len(text)
    size = needed + -needed % ALIGNMENT if room is None else room
    if needed > size:
        raise ValueError(f"room is {room} bytes, but this header takes {needed}; leave more room.")
    return (size - 8).to_bytes(8, "little") + text.ljust(size - 8)


def tensor_bytes(tensors: Mapping[str, npt.NDArray[Any]], metadata: dict[str, str]) -> Iterator[memoryview]:
    """Yield the bytes of a file with these tensors, piece by piece.

    >>> pieces = tensor_bytes({"a": np.arange(3, dtype=np.uint8)}, {})
    >>> sum(len(piece) for piece in pieces)
    131
    """
    unfit = [name for name, array in tensors.items() if array.dtype not in _NAMES]
    if unfit:
        raise TypeError(f"{unfit[0]} holds {tensors[unfit[0]].dtype}; convert it to one of {', '.join(DTYPES)}.")
    # The widest numbers first: with the first aligned, all are.
    ordered = dict(sorted(tensors.items(), key=lambda item: -item[1].dtype.itemsize))
    yield memoryview(header_bytes({name: (_NAMES[a.dtype], list(a.shape)) for name, a in ordered.items()}, metadata))
    for array in ordered.values():
        yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


_NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}


def _header(path: Path, text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode(), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise TensorFileError(f"{path} has no readable header; it is not a safetensors file, or is damaged.") from error
    if not isinstance(header, dict):
        raise TensorFileError(f"{path} has a header that is not an object; it is not a safetensors file.")
    return header


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name occurs twice")
    return dict(pairs)


def _metadata(path: Path, header: dict[str, Any]) -> dict[str, str]:
    metadata = header.get("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise TensorFileError(f"{path} has metadata that are not strings; it is not a safetensors file.")
    return metadata


_ITEM_BYTES = {
    **{name: np.dtype(dtype).itemsize for name, dtype in DTYPES.items()},
    "BF16": 2,
    "F8_E4M3": 1,
    "F8_E5M2": 1,
}


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        return False
    if not isinstance(entry["dtype"], str) or entry["dtype"] not in _ITEM_BYTES:
        return False
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not (_are_sizes(shape) and _are_sizes(offsets) and len(offsets) == 2 and len(shape) <= 32):
        return False
    elements = int(np.prod(shape, dtype=object))
    return bool(offsets[0] <= offsets[1] and offsets[1] - offsets[0] == elements * _ITEM_BYTES[entry["dtype"]])


def _are_sizes(numbers: Any) -> bool:
    return isinstance(numbers, list) and all(type(number) is int and 0 <= number < 2**63 for number in numbers)
