"""The door through which arrays enter: numpy or torch, checked once, computed in float32 at least."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch

Array = TypeVar("Array", npt.NDArray[Any], "torch.Tensor")


def enter(array: Any, width: int, what: str, *, check: bool = True) -> tuple[Any, Any]:
    """The array's namespace, and the array itself as [..., width] in float32 or wider, uncopied if it can be.

    Shape and dtype are always checked, for that costs nothing; the numbers, and that there are any, with `check`.
    """
    xp = namespace(array)
    if xp is None:
        raise TypeError(f"{what} is a {type(array).__name__}; pass a numpy array or a torch tensor.")
    if not xp.isdtype(array.dtype, "real floating"):
        raise TypeError(f"{what} holds {array.dtype}; pass floating-point numbers, for example as float32.")
    if array.ndim == 0 or array.shape[-1] != width:
        raise ValueError(f"{what} has shape {tuple(array.shape)}; its last axis must hold {width} numbers.")
    if check:
        _check_numbers(xp, array, what)
    return xp, array if xp.finfo(array.dtype).bits >= 32 else xp.astype(array, xp.float32)


def enter_raw(raw: Any, width: int, *, check: bool) -> tuple[Any, Any, float]:
    """As `enter`, and the length up to which numbers of this dtype have no direction.

    So short a direction is rounding noise, and its gradient, which grows as 1/length, leaves the range of the dtype.
    """
    xp, wide = enter(raw, width, "raw", check=check)
    return xp, wide, max(1e-12, float(xp.finfo(raw.dtype).smallest_normal))


def namespace(array: Any) -> Any:
    """The array-API functions for this array, or None if it is neither numpy's nor torch's.

    Not by `array_api_compat.array_namespace`: its caches make `torch.compile` warn, and its numpy, which numpy 2 does
    not need, doubles the time to import this package.
    """
    if is_tensor(array):
        from array_api_compat import torch

        return torch
    return np if isinstance(array, np.ndarray | np.generic) else None


def is_tensor(array: Any) -> bool:
    """Whether this is a torch tensor, without importing torch to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def detached(array: Any) -> Any:
    """The same numbers without their gradient."""
    return array.detach() if is_tensor(array) else array


def to_numpy(array: Any) -> npt.NDArray[Any]:
    """The same numbers in numpy, from any device."""
    return array.detach().cpu().numpy() if is_tensor(array) else np.asarray(array)


def all_pairs(xp: Any, a: Any, b: Any, distance: Any) -> Any:
    """`distance` of every row of a [n, d] to every row of b [m, d], in pieces of bounded memory, as [n, m]."""
    rows = max(1, _NUMBERS_AT_ONCE // max(1, b.shape[0] * b.shape[1]))
    pieces = [distance(a[i : i + rows, None, :], b[None, :, :]) for i in range(0, max(1, a.shape[0]), rows)]
    return pieces[0] if len(pieces) == 1 else xp.concat(pieces, axis=0)


_NUMBERS_AT_ONCE = 2**22


def _check_numbers(xp: Any, array: Any, what: str) -> None:
    if 0 in array.shape:
        raise ValueError(f"{what} has shape {tuple(array.shape)}, which is empty; pass at least one row.")
    finite = xp.isfinite(array)
    if not bool(xp.all(finite)):
        broken = np.argwhere(~to_numpy(xp.all(finite, axis=-1)))[0]
        row = f"row {', '.join(map(str, broken))}" if array.ndim > 1 else "it"
        raise ValueError(f"{what} has a NaN or an infinity in {row}; every number must be finite.")
