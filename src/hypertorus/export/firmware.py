"""A complete export: the stored codes, their tables, the size and the accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypertorus.export.known import Known
from hypertorus.export.prototypes import Prototypes, all_codes, choose
from hypertorus.export.sizes import Sizes, sizes
from hypertorus.export.table import Table
from hypertorus.export.tables import code_tables, network_tables
from hypertorus.export.targets import target_by_name


@dataclass(frozen=True)
class Accuracies:
    """Shares of `judged` codes that are classified correctly."""

    judged: int
    floats: float | None
    """Accuracy of the model in floats with all codes stored, if the export has an integer network."""
    all_codes: float
    stored: float


@dataclass(frozen=True)
class Firmware:
    """An export for a device, with its size and accuracy before it is built."""

    known: Known
    prototypes: Prototypes
    target: str
    tables: list[Table]
    sizes: Sizes
    accuracies: Accuracies

    def as_dict(self) -> dict[str, Any]:
        """Return sizes, accuracies and settings by name, ready for JSON."""
        known, accuracies = self.known, self.accuracies
        return {
            "name": known.name,
            "target": self.target,
            "inputs": None if known.network is None else known.network.inputs,
            "dim": known.dim,
            "bits": known.bits,
            "codes": len(self.prototypes.stored.codes),
            "classes": list(known.classes),
            "prototypes": self.prototypes.kind,
            "judged": accuracies.judged,
            "accuracy_floats": accuracies.floats,
            "accuracy_all_codes": accuracies.all_codes,
            "accuracy": accuracies.stored,
            **self.sizes.as_dict(),
        }


def firmware(known: Known, prototypes: int | None = None, target: str = "portable") -> Firmware:
    """Return the export with this many prototypes per class, or with all codes.

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
            f"{len(chosen.stored.codes):,} codes are more than the {_MOST:,} of a device; pass --prototypes."
        )
    tables = [] if known.network is None else network_tables(known.network)
    tables += code_tables(chosen, known.classes, known.bits, aligned=words)
    return Firmware(known, chosen, target, tables, sizes(known, tables, target), _accuracies(known, chosen))


_MOST = 65_535


def _check_counts(known: Known) -> None:
    if len(known.classes) >= _MOST:
        raise ValueError(f"{len(known.classes):,} classes are more than a device can count in 16 bits; export fewer.")
    longest = max((label.encode() for label in known.classes), key=len)
    if len(longest) > 254 or any("\0" in label for label in known.classes):
        raise ValueError(
            f"the label {longest[:40].decode(errors='replace')!r}... is not a text of at most 254 bytes; shorten it."
        )


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
