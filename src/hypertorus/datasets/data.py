"""A data set: a training part, a test part, and the names of its classes."""

from __future__ import annotations

from dataclasses import dataclass

from hypertorus.datasets.part import Part
from hypertorus.embeddings.split import are_pairs, one_of_pairs, stratified
from hypertorus.sound.ear import Ear


@dataclass(frozen=True)
class Data:
    """A data set as `read_data` returns it; labels are numbers of classes, from 0."""

    name: str
    train: Part
    test: Part
    classes: tuple[str, ...]
    sound: Ear | None = None
    """The ear that turned sounds into inputs, if the data are sounds."""
    validation: tuple[Part, Part] | None = None
    """Reference inputs and queries for validation, if they are not a share of the training part."""
    group: str | None = None
    """How files were grouped into recordings for the split, see `recordings`; None if it was not set."""

    def __post_init__(self) -> None:
        for role, part in (("train", self.train), ("test", self.test)):
            if len(part) == 0:
                raise ValueError(f"the {role} part of {self.name} is empty; give it at least one row.")
            if part.shape != self.train.shape:
                raise ValueError(
                    f"training inputs of {self.name} have shape {self.train.shape} but test inputs {part.shape}; "
                    "give both the same."
                )
            if not 0 <= int(part.labels.min()) <= int(part.labels.max()) < len(self.classes):
                raise ValueError(
                    f"labels of the {role} part of {self.name} lie in {part.labels.min()}..{part.labels.max()}; "
                    f"there are {len(self.classes)} classes, numbered from 0."
                )
            part.classes = self.classes

    def with_validation(self, share: float = 0.1) -> tuple[Part, Part]:
        """Return the training part without a share of each class for validation, and that share: always the same rows.

        Groups are never split. Of data whose classes are pairs, one input of a share of the pairs is set aside.
        """
        if self.train.groups is None and are_pairs(self.train.labels):
            rest, aside = one_of_pairs(self.train.labels, share)
            return self.train.take(rest), self.train.take(aside)
        rest, aside = stratified(self.train.labels, share, self.train.groups)
        return self.train.take(rest), self.train.take(aside)
