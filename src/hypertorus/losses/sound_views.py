"""Views of spectrograms, composed of pieces by name: those published with ProtoCLR, or those for words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from hypertorus.losses.sound_levels import Equaliser, Mix, Noise, Swap
from hypertorus.losses.sound_pieces import Piece
from hypertorus.losses.sound_places import Roll, Shift, Stripes, Warp
from hypertorus.losses.views import Views
from hypertorus.sound.pictures import Pictures

PIECES: dict[str, type[Piece]] = {
    "mix": Mix,
    "swap": Swap,
    "warp": Warp,
    "shift": Shift,
    "equaliser": Equaliser,
    "noise": Noise,
    "roll": Roll,
    "stripes": Stripes,
}


@dataclass(frozen=True)
class SpectrogramViews(Views):
    """Applies pieces in their order, but first those that look at other inputs of the batch.

    >>> from hypertorus.sound.spectrogram import Spectrogram
    >>> views = spectrogram_views(["mix", "roll", "stripes"], Spectrogram())
    >>> inputs = torch.rand(8, 1, 128, 301)
    >>> drawn = views.draw(8, torch.Generator().manual_seed(0))
    >>> views.view(views.mix(inputs, drawn, inputs), drawn).shape
    torch.Size([8, 1, 128, 301])
    """

    pieces: tuple[Piece, ...]

    @property
    def mixes(self) -> bool:
        return any(piece.mixes for piece in self.pieces)

    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """Return the numbers of all pieces beside each other: [inputs, numbers]."""
        drawn = [piece.draw(inputs, generator) for piece in self.pieces]
        return torch.cat(drawn, dim=1) if drawn else torch.empty(inputs, 0)

    def mix(self, inputs: Tensor, drawn: Tensor, batch: Tensor) -> Tensor:
        for piece, own in self._each(drawn):
            if piece.mixes:
                inputs = piece.mix(inputs, own, batch)
        return inputs

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        """Return views of spectrograms [n, 1, bands, frames], floats in 0..1, in the same shape and range."""
        for piece, own in self._each(drawn):
            if not piece.mixes:
                inputs = piece.view(inputs, own)
        return inputs

    def _each(self, drawn: Tensor) -> Iterator[tuple[Piece, Tensor]]:
        """Return each piece with its own columns of the drawn numbers."""
        return zip(self.pieces, torch.split(drawn, [piece.numbers for piece in self.pieces], dim=1), strict=True)


def spectrogram_views(names: Sequence[str], sound: Pictures, dark: float = 0.0) -> SpectrogramViews:
    """Return the views of these names for an ear; masked places get the value `dark`."""
    return SpectrogramViews(tuple(PIECES[name].for_sound(sound, dark) for name in names))
