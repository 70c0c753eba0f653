"""What every encoder can do: take normalised inputs to features, and say how to build it again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

Shape = tuple[int, ...]
"""Of one input: (channels, height, width) of an image, (features,) of a vector."""

FEW_PIXELS = 16
"""The side of an image below which none of it is to be given away at once."""


class Encoder(nn.Module, ABC):
    """A network from inputs to `features` numbers each.

    Two ways lead to one: `named` for what a user types, which may read weights from files, and the constructor, which
    takes what `config` gives and reads no file at all; a model folder has the weights.
    """

    kind: ClassVar[str]
    features: int
    mean: tuple[float, ...] | None = None
    """What to subtract from each channel of images in 0..1, where the weights came with a wish; else None."""
    std: tuple[float, ...] | None = None
    """What to divide each channel by then."""

    @classmethod
    @abstractmethod
    def named(cls, option: str, shape: Shape) -> Self:
        """The encoder `kind:option` for inputs of this shape; the option is empty if none was given."""

    @abstractmethod
    def arguments(self) -> dict[str, Any]:
        """The arguments of the constructor that build this network again, all JSON."""

    @abstractmethod
    def forward(self, inputs: Tensor) -> Tensor:
        """Normalised images [n, channels, height, width] or vectors [n, numbers] to [n, features]."""

    def config(self) -> dict[str, Any]:
        """All that is needed to build this network again without any file: `encoder_from_config(config)`."""
        return {"kind": self.kind, **self.arguments()}


def check_images(kind: str, shape: Shape, *, channels: tuple[int, ...] = (), smallest: int = 1) -> None:
    """Say so where inputs of this shape are not images, or not such as this kind of encoder takes."""
    if len(shape) != 3:
        raise ValueError(
            f"inputs have shape {shape}, and encoder {kind!r} takes images; for vectors take 'mlp' or 'none'."
        )
    if channels and shape[0] not in channels:
        wanted = " or ".join(map(str, channels))
        raise ValueError(f"images have {shape[0]} channels; encoder {kind!r} takes {wanted}, so convert them.")
    if min(shape[1:]) < smallest:
        raise ValueError(
            f"images have {shape[1]} x {shape[2]} pixels; encoder {kind!r} takes {smallest} x {smallest} or more."
        )


def positive_option(kind: str, option: str, default: int) -> int:
    """The whole number in `kind:NUMBER`, or the default where there is none."""
    if not option:
        return default
    if not (option.isascii() and option.isdigit() and int(option) > 0):
        raise ValueError(f"encoder is '{kind}:{option}'; after the colon goes a width, for example '{kind}:{default}'.")
    return int(option)


def check_no_option(kind: str, option: str) -> None:
    if option:
        raise ValueError(f"encoder is '{kind}:{option}'; {kind!r} has nothing after it, so leave ':{option}' out.")


def as_colour(images: Tensor) -> Tensor:
    """Images of one channel as ones of three, and those of three as they are."""
    return images.expand(-1, 3, -1, -1) if images.shape[1] == 1 else images


def per_channel(numbers: Any, channels: int) -> tuple[float, ...] | None:
    """A mean or deviation of colour images for those of so many channels; None where it is none."""
    if not isinstance(numbers, list | tuple) or not numbers:
        return None
    # Grey images are normalised before they are shown as colour, so by the mean over the colours.
    return tuple(numbers) if len(numbers) == channels else (sum(numbers) / len(numbers),) * channels


def features_of(network: nn.Module, kind: str, shape: Shape) -> int:
    """How many features a network gives for inputs of this shape, found by showing it one."""
    modes = [(module, module.training) for module in network.modules()]
    network.eval()
    try:
        with torch.no_grad():
            return int(network(torch.zeros(1, *shape)).shape[1])
    except (RuntimeError, ValueError, IndexError) as error:
        pixels = f"{shape[1]} x {shape[2]} pixels and {shape[0]} channels"
        raise ValueError(f"encoder {kind!r} cannot take images of {pixels}: {error}") from error
    finally:
        for module, training in modes:
            module.training = training
