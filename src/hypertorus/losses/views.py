"""Views: random variants of an input, two of which a contrastive loss compares.

Drawing the random numbers of a batch and applying them are two calls. So a batch that is split over processes gets the
same views as in one process, on any device.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

LUMINANCE = (0.299, 0.587, 0.114)
TO_YIQ = (LUMINANCE, (0.596, -0.274, -0.322), (0.211, -0.523, 0.312))


class Views(ABC):
    """Random changes of inputs that make a view."""

    @property
    def mixes(self) -> bool:
        """Whether inputs are mixed with others of the batch first, by `mix`."""
        return False

    @abstractmethod
    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """Return the random numbers of one view of this many inputs, one row per input."""

    @abstractmethod
    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        """Return the view of the inputs that the drawn numbers determine."""

    def mix(self, inputs: Tensor, drawn: Tensor, batch: Tensor) -> Tensor:
        """Return inputs mixed with others of `batch`, the whole batch over all processes, by the drawn numbers."""
        del drawn, batch
        return inputs


@dataclass(frozen=True)
class ImageViews(Views):
    """Random resized crop, rotation, colour jitter and greyscale, as in the paper, in two passes over a batch.

    Crop and rotation are one affine map of coordinates, jitter and greyscale one affine map of colours.

    >>> images = torch.randint(0, 256, (8, 3, 32, 32), dtype=torch.uint8)
    >>> views = ImageViews()
    >>> drawn = views.draw(8, torch.Generator().manual_seed(0))
    >>> views.view(images, drawn).shape
    torch.Size([8, 3, 32, 32])
    """

    smallest: float = 0.7
    """Smallest share of the area that a crop keeps."""
    stretch: float = 4 / 3
    """Largest ratio of a crop's sides."""
    degrees: float = 15
    """Largest rotation, to either side."""
    jitter: float = 0.4
    """Largest change of brightness, contrast and saturation from 1."""
    hue: float = 0.1
    """Largest rotation of the hue, in turns."""
    jittered: float = 0.8
    """Share of the images whose colours are jittered."""
    grey: float = 0.2
    """Share of the images that become grey."""

    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """Return numbers in [0, 1): [inputs, 11]."""
        return torch.rand(inputs, 11, generator=generator)

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        """Return views of images [n, c, h, w], bytes or floats in 0..1, as floats in 0..1."""
        images = inputs.float() / 255 if inputs.dtype == torch.uint8 else inputs
        return self._recolour(self._crop_and_rotate(images, drawn[:, :5]), drawn[:, 5:])

    def _crop_and_rotate(self, images: Tensor, drawn: Tensor) -> Tensor:
        area, ratio, across, down, angle = drawn.unbind(1)
        side = (self.smallest + (1 - self.smallest) * area).sqrt()
        slant = (self.stretch ** (2 * ratio - 1)).sqrt()
        width, height = (side * slant).clamp(max=1), (side / slant).clamp(max=1)
        turn = torch.deg2rad(self.degrees * (2 * angle - 1))
        x, y = (1 - width) * (2 * across - 1), (1 - height) * (2 * down - 1)
        cos, sin = turn.cos(), turn.sin()
        places = torch.stack([width * cos, -width * sin, x, height * sin, height * cos, y], dim=1).view(-1, 2, 3)
        grid = F.affine_grid(places, list(images.shape), align_corners=False)
        return F.grid_sample(images, grid, padding_mode="reflection", align_corners=False)

    def _recolour(self, images: Tensor, drawn: Tensor) -> Tensor:
        jitter = drawn[:, 0] < self.jittered
        brightness, contrast, saturation = torch.where(
            jitter, 1 + self.jitter * (2 * drawn[:, 1:4] - 1).T, torch.ones_like(drawn[:, 1:4]).T
        )
        pixels = images.flatten(2)
        if images.shape[1] == 3:
            hue = torch.where(jitter, self.hue * (2 * drawn[:, 4] - 1), 0)
            saturation = torch.where(drawn[:, 5] < self.grey, 0, saturation)
            luminance = torch.tensor(LUMINANCE, device=images.device)
            mean = torch.einsum("c,ncp->n", luminance, pixels) / pixels.shape[2]
            colours = (brightness * contrast).view(-1, 1, 1) * _colour_map(saturation, hue)
            offset = (brightness * (1 - contrast) * mean).view(-1, 1, 1)
            pixels = torch.baddbmm(offset, colours, pixels)
        else:
            mean = pixels.mean(dim=(1, 2))
            pixels = (brightness * contrast).view(-1, 1, 1) * pixels + (brightness * (1 - contrast) * mean).view(
                -1, 1, 1
            )
        return pixels.clamp_(0, 1).view_as(images)


@dataclass(frozen=True)
class Unchanged(Views):
    """Leaves inputs as they are: two views of a text are two texts of a class, and the network's dropout."""

    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """Return no numbers: [inputs, 0]."""
        del generator
        return torch.empty(inputs, 0)

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        del drawn
        return inputs


@dataclass(frozen=True)
class VectorViews(Views):
    """Adds Gaussian noise to every number of feature vectors.

    >>> views = VectorViews(noise=torch.tensor([0.1, 0.2]))
    >>> drawn = views.draw(8, torch.Generator().manual_seed(0))
    >>> views.view(torch.zeros(8, 2), drawn).shape
    torch.Size([8, 2])
    """

    noise: Tensor
    """Standard deviation of the noise for each feature."""

    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """Return standard normal numbers: [inputs, features]."""
        return torch.randn(inputs, len(self.noise), generator=generator)

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        """Return vectors [n, features] with noise added."""
        return inputs + drawn * self.noise.to(inputs.device)


def _colour_map(saturation: Tensor, hue: Tensor) -> Tensor:
    """Return matrices [n, 3, 3] that rotate the hue and scale the saturation of RGB; grey stays grey."""
    to_yiq = torch.tensor(TO_YIQ, device=hue.device)
    cos, sin = saturation * (2 * math.pi * hue).cos(), saturation * (2 * math.pi * hue).sin()
    zero, one = torch.zeros_like(hue), torch.ones_like(hue)
    turn = torch.stack([one, zero, zero, zero, cos, -sin, zero, sin, cos], dim=1).view(-1, 3, 3)
    return torch.linalg.inv(to_yiq) @ turn @ to_yiq
