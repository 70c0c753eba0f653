"""Views of spectrograms: the augmentations that were published with ProtoCLR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Generator, Tensor

from hypertorus.losses.views import Views

PUBLISHED_BANDS, PUBLISHED_FRAMES = 128, 251
"""Size of the smaller of the published spectrograms, of 5 s."""


@dataclass(frozen=True)
class SpectrogramViews(Views):
    """Mixes each input with another of the batch, rolls it in time, and masks stripes of bands and of frames.

    Moummad and others, 2024, draw one shift and one weight for a batch; here each input has its own. A mixture keeps
    the label of the louder input, whose weight is at least `louder`.

    >>> views = SpectrogramViews()
    >>> inputs = torch.rand(8, 1, 128, 301)
    >>> drawn = views.draw(8, torch.Generator().manual_seed(0))
    >>> views.view(views.mix(inputs, drawn, inputs), drawn).shape
    torch.Size([8, 1, 128, 301])
    """

    mixes: ClassVar[bool] = True

    louder: float = 0.6
    """Smallest weight of the input itself in a mixture."""
    band_stripes: int = 3
    """Number of masked stripes of bands."""
    bands: int = 10
    """Width that a stripe of bands stays below."""
    frame_stripes: int = 5
    """Number of masked stripes of frames."""
    frames: int = 30
    """Width that a stripe of frames stays below."""
    dark: float = 0.0
    """Value of masked places: as published, silence. SpecAugment (Park and others, 2019) fills in the mean of the data,
    which keeps the statistics that a network normalises by."""

    @classmethod
    def for_shape(cls, shape: tuple[int, ...], dark: float = 0.0) -> SpectrogramViews:
        """Return the published views; smaller spectrograms get narrower stripes, so that the same share is masked."""
        _, bands, frames = shape
        return cls(
            bands=min(cls.bands, cls.bands * bands // PUBLISHED_BANDS),
            frames=min(cls.frames, cls.frames * frames // PUBLISHED_FRAMES),
            dark=dark,
        )

    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """Return the row that each input is mixed with, and numbers in [0, 1): [inputs, 3 + 2 x stripes]."""
        partners = torch.randperm(inputs, generator=generator).float()
        numbers = torch.rand(inputs, 2 + 2 * (self.band_stripes + self.frame_stripes), generator=generator)
        return torch.cat([partners.unsqueeze(1), numbers], dim=1)

    def mix(self, inputs: Tensor, drawn: Tensor, batch: Tensor) -> Tensor:
        weight = (self.louder + (1 - self.louder) * drawn[:, 1]).view(-1, 1, 1, 1)
        return torch.lerp(batch[drawn[:, 0].long()], inputs, weight)

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        """Return views of spectrograms [n, 1, bands, frames], floats in 0..1, in the same shape and range."""
        _, _, bands, frames = inputs.shape
        rolled = _rolled(inputs, (drawn[:, 2] * frames).long())
        widths, places = drawn[:, 3:].chunk(2, dim=1)
        cut = self.band_stripes
        dark_bands = _stripes(widths[:, :cut] * self.bands, places[:, :cut], bands)
        dark_frames = _stripes(widths[:, cut:] * self.frames, places[:, cut:], frames)
        return rolled.masked_fill_((dark_bands.unsqueeze(2) | dark_frames.unsqueeze(1)).unsqueeze(1), self.dark)


def _rolled(inputs: Tensor, shifts: Tensor) -> Tensor:
    """Return each input shifted by its own number of frames; frames that leave at the end come back at the start."""
    frames = inputs.shape[3]
    origins = (torch.arange(frames, device=inputs.device) - shifts.unsqueeze(1)) % frames
    return inputs.gather(3, origins.view(-1, 1, 1, frames).expand_as(inputs))


def _stripes(widths: Tensor, places: Tensor, size: int) -> Tensor:
    """Return a mask [n, size] of the stripes with these widths and places, both [n, stripes]."""
    begin = (places * (size - widths)).long().unsqueeze(2)
    along = torch.arange(size, device=widths.device)
    return ((along >= begin) & (along < begin + widths.long().unsqueeze(2))).any(dim=1)
