"""An export as a whole: what is stored, in which tables, how large it is and how well it classifies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypertorus.export.known import Known
from hypertorus.export.prototypes import Prototypes, all_codes, choose
from hypertorus.export.sizes import Sizes, sizes
from hypertorus.export.tables import Table, code_tables, network_tables
from hypertorus.export.targets import target_by_name


@dataclass(frozen=True)
class Accuracies:
    """Shares of `judged` codes that are classified right."""

    judged: int
    floats: float | None
    """By the model in floats with all codes stored, where the export has its network in integers."""
    all_codes: float
    stored: float


@dataclass(frozen=True)
class Firmware:
    """What is written for a device, and what can be said of it before it is built."""

    known: Known
    prototypes: Prototypes
    target: str
    tables: list[Table]
    sizes: Sizes
    accuracies: Accuracies

    def as_dict(self) -> dict[str, Any]:
        """Facts for scripts."""
        known, found = self.known, self.accuracies
        return {
            "name": known.name,
            "target": self.target,
            "inputs": None if known.network is None else known.network.inputs,
            "dim": known.dim,
            "bits": known.bits,
            "codes": len(self.prototypes.stored.codes),
            "classes": list(known.classes),
            "prototypes": self.prototypes.kind,
            "judged": found.judged,
            "accuracy_floats": found.floats,
            "accuracy_all_codes": found.all_codes,
            "accuracy": found.stored,
            **self.sizes.as_dict(),
        }


def firmware(known: Known, prototypes: int | None = None, target: str = "portable") -> Firmware:
    """The export of what is known, with so many prototypes a class, or with all codes.

    >>> import numpy as np
    >>> from hypertorus.export.known import Labelled
    >>> codes = np.array([[250, 9], [2, 9], [126, 9], [130, 9]], np.uint8)
    >>> made = firmware(Known("birds", Labelled(codes, np.array([0, 0, 1, 1])), ("owl", "jay"), bits=8), prototypes=1)
    >>> len(made.prototypes.stored.codes), made.accuracies.stored
    (2, 1.0)
    """
    words = target_by_name(target).words
    _check_counts(known)
    chosen = all_codes(known.stored) if prototypes is None else choose(known.stored, prototypes, known.bits)
    if len(chosen.stored.codes) > _MOST:
        raise ValueError(
            f"{len(chosen.stored.codes):,} codes are more than the {_MOST:,} that a device counts; pass --prototypes."
        )
    tables = [] if known.network is None else network_tables(known.network)
    tables += code_tables(chosen, known.classes, known.bits, aligned=words)
    return Firmware(known, chosen, target, tables, sizes(known, tables, target), _accuracies(known, chosen))


_MOST = 65_535


def _check_counts(known: Known) -> None:
    if len(known.classes) >= _MOST:
        raise ValueError(f"{len(known.classes):,} classes are more than a device counts in 16 bits.")
    longest = max((label.encode() for label in known.classes), key=len)
    if len(longest) > 254 or any("\0" in label for label in known.classes):
        raise ValueError(f"the label {longest[:40].decode(errors='replace')!r}... is no text of up to 254 bytes.")


def _accuracies(known: Known, chosen: Prototypes) -> Accuracies:
    of_all = known.accuracy()
    if known.test is not None:
        stored = chosen.stored.nearest_accuracy(known.test, known.bits)
    elif chosen.kind == "all codes":
        stored = of_all
    else:
        stored = chosen.stored.nearest_accuracy(known.stored, known.bits)
    judged = known.stored if known.test is None else known.test
    return Accuracies(len(judged.labels), known.float_accuracy, of_all, stored)
