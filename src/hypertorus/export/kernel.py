"""Where the kernel of a convolution lies on a picture, and the numbers below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]


@dataclass(frozen=True)
class Kernel:
    """A kernel over columns of `places` x `channels` numbers: its size, stride and padding, (places, columns) each.

    `pad` is the number in the padding.

    >>> kernel = Kernel(places=32, channels=1, size=(5, 5), stride=(2, 2), padding=(2, 2), pad=90)
    >>> kernel.out_places, kernel.out_columns(50), kernel.column, kernel.numbers
    (16, 25, 36, 25)
    """

    places: int
    channels: int
    size: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)
    pad: int = 0

    @property
    def out_places(self) -> int:
        return (self.places + 2 * self.padding[0] - self.size[0]) // self.stride[0] + 1

    @property
    def column(self) -> int:
        """Bytes of an incoming column on a device, with padding at both ends."""
        return (self.places + 2 * self.padding[0]) * self.channels

    @property
    def numbers(self) -> int:
        """Numbers below the kernel."""
        return self.size[0] * self.size[1] * self.channels

    def out_columns(self, columns: int) -> int:
        return (columns + 2 * self.padding[1] - self.size[1]) // self.stride[1] + 1

    def in_time(self, columns: int) -> int:
        """Return how many columns have left when so many came in and nothing follows them yet.

        >>> Kernel(places=1, channels=1, size=(1, 9), padding=(0, 4)).in_time(50)
        46
        """
        return max(0, (columns + self.padding[1] - self.size[1]) // self.stride[1] + 1)

    def below(self, columns: Numbers, *, each: bool) -> Numbers:
        """Return the numbers below the kernel at each of its positions, of columns [n, columns, places, channels].

        The result is [n, out columns, out places, numbers], where numbers go by column, then place, then channel; with
        `each` it is [n, out columns, out places, channels, numbers of a channel].
        """
        (rows, wide), (down, along) = self.padding, self.stride
        padded = np.pad(columns, ((0, 0), (wide, wide), (rows, rows), (0, 0)), constant_values=self.pad)
        views = np.lib.stride_tricks.sliding_window_view(padded, self.size[::-1], axis=(1, 2))[:, ::along, ::down]
        if each:
            return views.reshape(*views.shape[:4], -1)  # [n, columns, places, channels, kernel]
        return np.moveaxis(views, 3, 5).reshape(*views.shape[:3], -1)
