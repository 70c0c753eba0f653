"""Views of spectrograms: the augmentations with which ProtoCLR was published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Generator, Tensor

from hypertorus.losses.views import Views

PUBLISHED_BANDS, PUBLISHED_FRAMES = 128, 251
"""Of the smaller of the published spectrograms, that of 5 s."""


@dataclass(frozen=True)
class SpectrogramViews(Views):
    """Mixing with another input of the batch, rolling in time, and masking stripes of bands and of frames.

    Moummad and others, 2024, draw one shift and one weight for a batch; here each input has its own. The louder input
    of a mixture, with a weight of `louder` or more, is the one whose label counts.

    >>> views = SpectrogramViews()
    >>> inputs = torch.rand(8, 1, 128, 301)
    >>> drawn = views.draw(8, torch.Generator().manual_seed(0))
    >>> views.view(views.mix(inputs, drawn, inputs), drawn).shape
    torch.Size([8, 1, 128, 301])
    """

    mixes: ClassVar[bool] = True

    louder: float = 0.6
    """The least weight of the input itself in a mixture."""
    band_stripes: int = 3
    bands: int = 10
    """A stripe has fewer than so many."""
    frame_stripes: int = 5
    frames: int = 30
    dark: float = 0.0
    """What is put in the place of what is masked: as published, silence. SpecAugment (Park and others, 2019) has the
    mean of the data there, which leaves the statistics that a network normalises by as they are."""

    @classmethod
    def for_shape(cls, shape: tuple[int, ...], dark: float = 0.0) -> SpectrogramViews:
        """As published, and with narrower stripes for smaller spectrograms, of which the same share is masked."""
        _, bands, frames = shape
        return cls(
            bands=min(cls.bands, cls.bands * bands // PUBLISHED_BANDS),
            frames=min(cls.frames, cls.frames * frames // PUBLISHED_FRAMES),
            dark=dark,
        )

    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """With whom each input is mixed, and numbers in [0, 1): [inputs, 3 + 2 x stripes]."""
        partners = torch.randperm(inputs, generator=generator).float()
        numbers = torch.rand(inputs, 2 + 2 * (self.band_stripes + self.frame_stripes), generator=generator)
        return torch.cat([partners.unsqueeze(1), numbers], dim=1)

    def mix(self, inputs: Tensor, drawn: Tensor, batch: Tensor) -> Tensor:
        weight = (self.louder + (1 - self.louder) * drawn[:, 1]).view(-1, 1, 1, 1)
        return torch.lerp(batch[drawn[:, 0].long()], inputs, weight)

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        """Spectrograms [n, 1, bands, frames], floats in 0..1, to the same."""
        _, _, bands, frames = inputs.shape
        rolled = _rolled(inputs, (drawn[:, 2] * frames).long())
        widths, places = drawn[:, 3:].chunk(2, dim=1)
        cut = self.band_stripes
        dark_bands = _stripes(widths[:, :cut] * self.bands, places[:, :cut], bands)
        dark_frames = _stripes(widths[:, cut:] * self.frames, places[:, cut:], frames)
        return rolled.masked_fill_((dark_bands.unsqueeze(2) | dark_frames.unsqueeze(1)).unsqueeze(1), self.dark)


def _rolled(inputs: Tensor, shifts: Tensor) -> Tensor:
    """Each input moved by its own number of frames; what leaves at the end comes in at the beginning."""
    frames = inputs.shape[3]
    origins = (torch.arange(frames, device=inputs.device) - shifts.unsqueeze(1)) % frames
    return inputs.gather(3, origins.view(-1, 1, 1, frames).expand_as(inputs))


def _stripes(widths: Tensor, places: Tensor, size: int) -> Tensor:
    """Where any stripe of an input lies: [n, size], of widths and places [n, stripes]."""
    begin = (places * (size - widths)).long().unsqueeze(2)
    along = torch.arange(size, device=widths.device)
    return ((along >= begin) & (along < begin + widths.long().unsqueeze(2))).any(dim=1)
