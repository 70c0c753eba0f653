"""A data set: a part to learn from, a part to test on, and the names of its classes."""

from __future__ import annotations

from dataclasses import dataclass

from hypertorus.datasets.part import Part
from hypertorus.embeddings.split import stratified
from hypertorus.sound.ear import Ear


@dataclass(frozen=True)
class Data:
    """What `read_data` returns; labels count the classes from 0."""

    name: str
    train: Part
    test: Part
    classes: tuple[str, ...]
    sound: Ear | None = None
    """How the inputs were made of sound, if they were."""
    validation: tuple[Part, Part] | None = None
    """What epochs are chosen by, unless it is a share of the training part: inputs to look among, and to look up."""
    group: str | None = None
    """How recordings were told from names for the split, see `recordings`; None where nobody said."""

    def __post_init__(self) -> None:
        for role, part in (("train", self.train), ("test", self.test)):
            if len(part) == 0:
                raise ValueError(f"the {role} part of {self.name} is empty; give it at least one row.")
            if part.shape != self.train.shape:
                raise ValueError(f"inputs of {self.name} are {self.train.shape} to train but {part.shape} to test.")
            if not 0 <= int(part.labels.min()) <= int(part.labels.max()) < len(self.classes):
                raise ValueError(
                    f"labels of the {role} part of {self.name} lie in {part.labels.min()}..{part.labels.max()}; "
                    f"there are {len(self.classes)} classes, counted from 0."
                )
            part.classes = self.classes

    def with_validation(self, share: float = 0.1) -> tuple[Part, Part]:
        """The training part without the rows set aside to choose by, and these: of each class, always the same.

        Rows of one group are on one side.
        """
        rest, aside = stratified(self.train.labels, share, self.train.groups)
        return self.train.take(rest), self.train.take(aside)
