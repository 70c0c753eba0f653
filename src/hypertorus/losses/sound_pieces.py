"""A piece of the views of spectrograms: one random change, which others precede and follow."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import torch
from torch import Generator, Tensor

from hypertorus.losses.views import Views
from hypertorus.sound.pictures import Pictures


class Piece(Views):
    """A random change of spectrograms [n, 1, bands, frames] in 0..1, decided by a row of numbers for each input.

    A piece that looks at other inputs of the batch overrides `mix` and `mixes`, and every other one `view`.
    """

    @classmethod
    def for_sound(cls, sound: Pictures, dark: float) -> Self:
        """Return the piece for the spectrograms of an ear; `dark` is the value of masked places."""
        del sound, dark
        return cls()

    @property
    @abstractmethod
    def numbers(self) -> int:
        """How many numbers decide the change of an input."""

    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """Return numbers in [0, 1): [inputs, numbers]."""
        return torch.rand(inputs, self.numbers, generator=generator)

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        del drawn
        return inputs


class MixingPiece(Piece):
    """A piece that takes something from another input of the batch, each of which is taken from once."""

    @property
    def mixes(self) -> bool:
        return True

    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """Return the row of the other input, and numbers in [0, 1): [inputs, numbers]."""
        partners = torch.randperm(inputs, generator=generator).float().unsqueeze(1)
        return torch.cat([partners, torch.rand(inputs, self.numbers - 1, generator=generator)], dim=1)


def column(numbers: Tensor) -> Tensor:
    """Return one number for each input [n] as [n, 1, 1, 1], to be used on spectrograms."""
    return numbers.view(-1, 1, 1, 1)
