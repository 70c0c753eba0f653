"""What a run learns from, is validated on and is tested on."""

from __future__ import annotations

from hypertorus.datasets import Data, Part
from hypertorus.datasets.synthetic_words import SyntheticWords
from hypertorus.embeddings.split import NoSplitError, are_pairs
from hypertorus.training.prepare import sample
from hypertorus.training.settings import Settings, recipe

FEW = 5000
"""Number of training inputs below which a tenth of them is too few for validation."""


SEEN = 1000
"""Number of training inputs that show how training goes if nothing is set aside for validation."""


def with_validation(data: Data, settings: Settings) -> tuple[Part, tuple[Part, Part]]:
    """Return the part to train on, and the reference part and queries that validate each epoch.

    If nothing is set aside, both are training inputs: how many of one half find their class in the other says only that
    training goes on.
    """
    if data.validation is not None:
        return data.train, data.validation
    if settings.validation == 0:
        rows = sample(data.train, seed=0)[:: max(1, len(data.train) // SEEN)]
        return data.train, (data.train.take(rows[::2]), data.train.take(rows[1::2]))
    share = settings.validation or (0.1 if len(data.train) >= FEW else 0.2)
    try:
        training, validation = data.with_validation(share)
    except NoSplitError as error:
        raise NoSplitError(
            f"no input of {data.name} can be set aside for validation: {str(error).removesuffix('.')}; or train "
            "without any by --validation 0."
        ) from error
    return training, (training.take(sample(training, seed=0)), validation)


def to_learn(training: Part, settings: Settings) -> Part:
    """Return the part to train on with what is made of it for training alone."""
    return SyntheticWords.of(training, settings.seed) if settings.synthetic_words else training


def plan(data: Data, settings: Settings) -> list[str]:
    """Return lines that say how the data are split, how recordings are kept together, and what the encoder brings."""
    training, (_, validation) = with_validation(data, settings)
    parts = {"to train": training, "to validate": validation, "to test": data.test}
    if keeps_last(data, settings):
        del parts["to validate"]
    counts = ", ".join(f"{len(part):,} {role}" for role, part in parts.items())
    inputs = "texts" if data.train.texts else f"inputs of {' x '.join(map(str, data.train.shape))}"
    classes = "pairs" if are_pairs(data.train.labels) else "classes"
    lines = [f"{data.name}: {counts}; {len(data.classes):,} {classes}, {inputs}."]
    groups = [set(part.groups.tolist()) for part in parts.values() if part.groups is not None]
    if len(groups) == len(parts) and sum(map(len, groups)) < sum(map(len, parts.values())):
        by = "by what stands before the last `_` of a file's name" if _by_name(data) else "as the data say"
        shares = " / ".join(str(len(each)) for each in groups)
        lines.append(
            f"{len(set.union(*groups)):,} recordings, {by}, are kept whole: {shares}; --group none if that is wrong."
        )
    if keeps_last(data, settings):
        lines.append("Nothing is set aside to validate, so the last epoch is kept.")
    vectors = are_vectors(data)
    own = recipe(settings.as_dict(), vectors=vectors)
    if brought := [f"{name} {value}" for name, value in own.items() if getattr(settings, name) == value]:
        lines.append(f"{'For vectors' if vectors else f'With encoder {settings.encoder}'}: {', '.join(brought)}.")
    return lines


def are_vectors(data: Data) -> bool:
    """Return whether the inputs are ready-made vectors, such as those of another network."""
    return len(data.train.shape) == 1 and not data.train.texts


def keeps_last(data: Data, settings: Settings) -> bool:
    """Return whether no input is set aside to choose the best epoch."""
    return settings.validation == 0 and data.validation is None


def _by_name(data: Data) -> bool:
    """Return whether recordings were told apart by the names of files."""
    names = data.train.columns.names
    return names is not None and any("_" in name for name in names[:1000].tolist())
