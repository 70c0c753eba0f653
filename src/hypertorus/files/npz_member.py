"""Checks what an array in an .npz file says of its size, before memory is taken for it."""

from __future__ import annotations

import math
from zipfile import ZipFile

import numpy as np

MOST_PACKED = 1100
"""Bytes that deflate can pack into one."""


def check_member(file: ZipFile, name: str) -> None:
    """Raise an error unless the array has as many bytes as its shape takes, and no more than the file can hold."""
    inside = next((each for each in (f"{name}.npy", name) if each in file.namelist()), None)
    if inside is None:
        return
    info = file.getinfo(inside)
    if info.file_size > MOST_PACKED * (info.compress_size + 100):
        raise ValueError(f"{name} is said to have {info.file_size:,} bytes, packed in {info.compress_size:,}")
    with file.open(info) as member:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(member)
        there = info.file_size - member.tell()
    needed = math.prod(shape) * dtype.itemsize
    if not dtype.hasobject and needed != there:
        raise ValueError(f"{name} is said to have shape {shape} of {dtype}, {needed:,} bytes, but it has {there:,}")
