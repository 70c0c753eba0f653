"""The interface of encoders: they turn normalised inputs into features, and have a configuration to rebuild them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

Shape = tuple[int, ...]
"""Shape of one input: (channels, height, width) of an image, (numbers,) of a vector."""

FEW_PIXELS = 16
"""Side of an image, in pixels, below which the first layer must not shrink it."""


class Encoder(nn.Module, ABC):
    """A network that turns each input into `features` numbers.

    There are two ways to build one: `named`, for the name that a user types, may read weights from files; the
    constructor takes the arguments in `config` and reads no file, because a model folder holds the weights.
    """

    kind: ClassVar[str]
    texts: ClassVar[bool] = False
    """Whether inputs are texts, as `Texts` has them."""
    lr_share: ClassVar[float] = 1.0
    """Share of the learning rate that the encoder is trained with; a network that knows much already needs little."""
    features: int
    mean: tuple[float, ...] | None = None
    """Mean to subtract from each channel of images in 0..1, if pretrained weights require one; else None."""
    std: tuple[float, ...] | None = None
    """Standard deviation to divide each channel by, if pretrained weights require one; else None."""

    @classmethod
    @abstractmethod
    def named(cls, option: str, shape: Shape) -> Self:
        """Return the encoder `kind:option` for inputs of this shape; the option may be empty."""

    @abstractmethod
    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the constructor that rebuild this network, ready for JSON."""

    @abstractmethod
    def forward(self, inputs: Tensor) -> Tensor:
        """Return features [n, features] of normalised images [n, channels, height, width] or vectors [n, numbers]."""

    def config(self) -> dict[str, Any]:
        """Return the configuration from which `encoder_from_config` rebuilds this network without any file."""
        return {"kind": self.kind, **self.arguments()}


def check_images(kind: str, shape: Shape, *, channels: tuple[int, ...] = (), smallest: int = 1) -> None:
    """Raise an error unless inputs of this shape are images that this kind of encoder takes."""
    if len(shape) != 3:
        raise ValueError(
            f"inputs have shape {shape}, and encoder {kind!r} takes images; choose 'mlp' or 'none' for vectors."
        )
    if channels and shape[0] not in channels:
        allowed = " or ".join(map(str, channels))
        raise ValueError(f"images have {shape[0]} channels; encoder {kind!r} takes {allowed}, so convert them.")
    if min(shape[1:]) < smallest:
        raise ValueError(
            f"images have {shape[1]} x {shape[2]} pixels; encoder {kind!r} takes {smallest} x {smallest} or more."
        )


def positive_option(kind: str, option: str, default: int) -> int:
    """Return the whole number in `kind:NUMBER`, or the default if there is none."""
    if not option:
        return default
    if not (option.isascii() and option.isdigit() and int(option) > 0):
        raise ValueError(f"encoder is '{kind}:{option}'; put a width after the colon, for example '{kind}:{default}'.")
    return int(option)


def check_no_option(kind: str, option: str) -> None:
    if option:
        raise ValueError(f"encoder is '{kind}:{option}'; {kind!r} takes no option, so leave ':{option}' out.")


def as_colour(images: Tensor) -> Tensor:
    """Return images with three channels; a single channel is repeated."""
    return images.expand(-1, 3, -1, -1) if images.shape[1] == 1 else images


def per_channel(numbers: Any, channels: int) -> tuple[float, ...] | None:
    """Return a mean or deviation of colour images for images of this many channels, or None if there is none."""
    if not isinstance(numbers, list | tuple) or not numbers:
        return None
    # Grey images are normalised before their channel is repeated, so by the mean over the colours.
    return tuple(numbers) if len(numbers) == channels else (sum(numbers) / len(numbers),) * channels


def features_of(network: nn.Module, kind: str, shape: Shape) -> int:
    """Return the number of features a network has for inputs of this shape, by running it on one."""
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
