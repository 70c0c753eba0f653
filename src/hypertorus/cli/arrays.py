"""Arrays from files and into files: .npy and .safetensors, mapped rather than loaded, never a pickle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.files.atomic import replacing
from hypertorus.files.tensors import TensorFile, header_bytes
from hypertorus.spaces import Torus, space


def read_array(file: str, role: str) -> npt.NDArray[Any]:
    """The array in FILE.npy, in FILE.safetensors, or under a name of several: FILE.safetensors:NAME.

    Without a name it is the only tensor, or the one that is called as what it is wanted for: codes, ids, labels. Labels
    may also be the lines of a FILE.txt.
    """
    name = None
    if named := re.fullmatch(r"(.+\.safetensors):(.+)", file):
        file, name = named.groups()
    path = Path(file)
    if path.suffix == ".npy":
        return _read_npy(path)
    if path.suffix == ".safetensors":
        return _read_tensor(TensorFile(path), name, role)
    if path.suffix == ".txt" and role == "labels":
        return np.array(path.read_text().splitlines(), np.str_)
    raise ValueError(f"{path} has the suffix {path.suffix!r}; pass {role} as .npy or .safetensors.")


def pieces(array: npt.NDArray[Any], space_name: str | None, file: str) -> Iterator[npt.NDArray[Any]]:
    """An array of vectors as an index takes them, piece by piece: integer codes, or raw numbers by their space."""
    if array.ndim != 2:
        raise ValueError(f"{file} has shape {array.shape}; pass a matrix [vectors, numbers].")
    raw = array.dtype.kind == "f"
    if raw and space_name is None:
        raise ValueError(f"{file} holds {array.dtype}; for raw numbers name their space: --space torusN or torusC.")
    if not raw and space_name is not None:
        raise ValueError(f"{file} holds {array.dtype}, but --space {space_name} takes raw floating-point numbers.")
    torus = None if space_name is None else torus_of(space_name, array.shape[1])
    step = max(1, 2**24 // max(1, array.shape[1]))
    for begin in range(0, len(array), step):
        piece = array[begin : begin + step]
        yield piece if torus is None else torus.turns(piece)


def torus_of(name: str, dim: int) -> Torus:
    torus = space(name, dim)
    if not isinstance(torus, Torus):
        raise TypeError(f"--space is {name}, which has no integer codes; there are torusN and torusC.")
    return torus


def code_dim(array: npt.NDArray[Any], space_name: str | None) -> int:
    """How many coordinates the codes of these vectors have."""
    width = int(array.shape[-1]) if array.ndim else 0
    return width if space_name is None else torus_of(space_name, width).flat_dim


def write_arrays(path: Path, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Arrays by name to an .npz or .safetensors file, whole or not at all."""
    if path.suffix not in (".npz", ".safetensors"):
        raise ValueError(f"--out is {path}; results are written as .npz or .safetensors.")
    with replacing(path) as file:
        if path.suffix == ".npz":
            np.savez(file, allow_pickle=False, **arrays)
            return
        dtypes = {np.dtype(np.int64): "I64", np.dtype(np.uint32): "U32"}
        file.write(header_bytes({name: (dtypes[a.dtype], list(a.shape)) for name, a in arrays.items()}, {}))
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data)


def _read_npy(path: Path) -> npt.NDArray[Any]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} is no .npy file of numbers or strings ({error}); write it with np.save.") from error
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{path} holds several arrays; pass one array, written with np.save.")
    return array


def _read_tensor(file: TensorFile, name: str | None, role: str) -> npt.NDArray[Any]:
    names = list(file)
    wanted = name or (names[0] if len(names) == 1 else role)
    if wanted not in names:
        raise ValueError(f"{file.path} has no tensor {wanted!r} but {', '.join(names)}; pass {file.path}:NAME.")
    return file[wanted]
