"""What a run learns from, is validated on and is tested on."""

from __future__ import annotations

from hypertorus.datasets import Data, Part
from hypertorus.embeddings.split import are_pairs
from hypertorus.training.prepare import sample

FEW = 5000
"""Number of training inputs below which a tenth of them is too few for validation."""


def with_validation(data: Data) -> tuple[Part, tuple[Part, Part]]:
    """Return the part to train on, and the reference part and queries that validate each epoch."""
    if data.validation is not None:
        return data.train, data.validation
    training, validation = data.with_validation(0.1 if len(data.train) >= FEW else 0.2)
    return training, (training.take(sample(training, seed=0)), validation)


def plan(data: Data) -> list[str]:
    """Return lines that say how the data are split, and how recordings are kept together."""
    training, (_, validation) = with_validation(data)
    parts = {"to train": training, "to validate": validation, "to test": data.test}
    counts = ", ".join(f"{len(part):,} {role}" for role, part in parts.items())
    inputs = "texts" if data.train.texts else f"inputs of {' x '.join(map(str, data.train.shape))}"
    classes = "pairs" if are_pairs(data.train.labels) else "classes"
    lines = [f"{data.name}: {counts}; {len(data.classes):,} {classes}, {inputs}."]
    groups = [set(part.groups.tolist()) for part in parts.values() if part.groups is not None]
    if len(groups) == len(parts):
        by = "by what stands before the last `_` of a file's name" if _by_name(data) else "as the data say"
        shares = " / ".join(str(len(each)) for each in groups)
        lines.append(
            f"{len(set.union(*groups)):,} recordings, {by}, are kept whole: {shares}; --group none if that is wrong."
        )
    return lines


def _by_name(data: Data) -> bool:
    """Return whether recordings were told apart by the names of files."""
    names = data.train.columns.names
    return names is not None and any("_" in name for name in names[:1000].tolist())
