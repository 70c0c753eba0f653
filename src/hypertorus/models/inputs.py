"""Checks the inputs of a model, arrays of any usual layout or a part of a data set, and splits them into batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hypertorus.models.encoders.protocol import Shape
from hypertorus.spaces._arrays import namespace


def batches(x: Any, shape: Shape, size: int) -> Iterator[Tensor]:
    """Yield batches [up to `size`, *shape]: images as uint8 or as floats in 0..1, or vectors as floats.

    `x` is a numpy array or a torch tensor of vectors [n, numbers], or of images [n, channels, height, width],
    [n, height, width, channels] or, with one channel, [n, height, width]; or an object with `__len__` whose
    `__getitems__(indices)` returns such batches.
    """
    if not isinstance(size, int) or size < 1:
        raise ValueError(f"batch is {size!r}; it must be a whole number of at least 1.")
    total, by_index = count(x), hasattr(x, "__getitems__")
    for begin in range(0, total, size):
        end = min(begin + size, total)
        piece = _tensor(x.__getitems__(list(range(begin, end))) if by_index else x[begin:end])
        yield _check(_in_layout(piece, shape, total), begin)


def count(x: Any) -> int:
    """Return the number of inputs."""
    if not hasattr(x, "__getitems__") and getattr(x, "ndim", 0) == 0:
        raise TypeError(f"x is a {type(x).__name__}; pass a numpy array or a torch tensor, or a part of a data set.")
    if len(x) == 0:
        raise ValueError("x is empty; pass at least one input.")
    return len(x)


def _tensor(x: Any) -> Tensor:
    if not isinstance(x, Tensor | np.ndarray):
        raise TypeError(f"x is a {type(x).__name__}; pass a numpy array or a torch tensor, or a part of a data set.")
    if not namespace(x).isdtype(x.dtype, ("integral", "real floating")):
        raise TypeError(f"x holds {x.dtype}; pass images as uint8 or vectors as floating-point numbers.")
    if isinstance(x, Tensor):
        return x
    # Torch refuses foreign byte orders and negative strides, and warns about read-only memory.
    native = np.require(x, x.dtype.newbyteorder("="), ["C", "W"])
    return torch.from_numpy(native)


def _in_layout(x: Tensor, shape: Shape, total: int) -> Tensor:
    """Return the inputs as [n, *shape]; `total` is the n to show in an error."""
    layout = (total, *x.shape[1:])
    if len(shape) == 1:
        if len(layout) == 2 and layout[1:] == shape:
            return x
        raise ValueError(f"x has shape {layout}; this model takes vectors of {shape[0]} numbers: pass [n, {shape[0]}].")
    channels, height, width = shape
    if layout[1:] == shape:
        return x
    if layout[1:] == (height, width, channels):
        return x.permute(0, 3, 1, 2)
    if channels == 1 and layout[1:] == (height, width):
        return x.unsqueeze(1)
    layouts = [f"[n, {height}, {width}, {channels}]", f"[n, {channels}, {height}, {width}]"]
    layouts += [f"[n, {height}, {width}]"] * (channels == 1)
    raise ValueError(
        f"x has shape {layout}; this model takes images of {height} x {width} pixels with {channels} "
        f"channel{'s' * (channels > 1)}: pass {' or '.join(layouts)}."
    )


def _check(inputs: Tensor, first_row: int) -> Tensor:
    """Return the batch if its type and numbers are allowed; `first_row` is the number of row 0, to show in an error."""
    images = inputs.ndim == 4
    if not inputs.is_floating_point():
        if images and inputs.dtype != torch.uint8:
            raise TypeError(f"x holds {inputs.dtype}; pass images as uint8, or as floats in 0..1.")
        return inputs
    flat = inputs.flatten(1)
    broken = ~flat.isfinite().all(dim=1)
    if broken.any():
        row = first_row + int(broken.nonzero()[0])
        raise ValueError(f"x has a NaN or an infinity in row {row}; every number must be finite.")
    if images and (flat.min() < 0 or flat.max() > 1):
        low, high = flat.min().item(), flat.max().item()
        raise ValueError(f"x holds floats from {low:g} to {high:g}; pass images as uint8, or as floats in 0..1.")
    return inputs
