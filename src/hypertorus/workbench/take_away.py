"""What was learnt, to take away: prototypes as an index for `hypertorus export c`, or a model with its classes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hypertorus.codes.circular_mean import nearest_code
from hypertorus.codes.protocol import Codes
from hypertorus.embeddings import Embeddings
from hypertorus.files.whole_folder import whole_folder
from hypertorus.search import Index
from hypertorus.workbench.classifier import Classifier
from hypertorus.workbench.examples import Floats
from hypertorus.workbench.file import check_together, save_classifiers
from hypertorus.workbench.left_out import can_be_measured, skill_of
from hypertorus.workbench.linear import Background
from hypertorus.workbench.prototypes import MOST_GROUPS, fit_means, left_out_scores

if TYPE_CHECKING:
    from hypertorus.models import Model

NOTHING = "none of these"
"""Label of the prototype of what is no class."""
NO_CLASS = "none"
"""Label of examples that are of no class."""
CLASSES, CLASSIFIERS = "classes.safetensors", "classifiers.safetensors"


def prototype_index(classifiers: Sequence[Classifier], background: Background) -> Index:
    """Return an index of prototypes, labelled with the classes: save it, and export it with `hypertorus export c`.

    Each class has the circular means of its yeses, as many as tell its answers apart best, and all have one of what was
    answered with no, which is labelled `none of these`. A device takes the nearest by l1.
    """
    given = list(classifiers)
    check_together(given)
    codes, labels = [], []
    for one in given:
        means = _means(one, background.mean)
        codes += [_codes(means, one.bits)]
        labels += [one.name] * len(means)
    nos = np.concatenate([one.examples.points[~one.examples.yes] for one in given])
    codes.append(_codes(np.concatenate([nos, background.mean[None]]).mean(axis=0, keepdims=True), given[0].bits))
    index = Index(given[0].dim, given[0].bits, "l1", model=given[0].model)
    index.add(np.concatenate(codes), labels=[*labels, NOTHING])
    return index


def example_record(classifiers: Sequence[Classifier], space: str = "torusN") -> Embeddings:
    """Return all examples as codes with labels: the class of a yes, and `none` for an item that is a yes for no class.

    Saved, it is read by whatever learns classes from examples, and by `hypertorus export c`.
    """
    given = list(classifiers)
    check_together(given)
    labels: dict[tuple[str, bytes], str] = {}
    groups: dict[tuple[str, bytes], int] = {}
    after = 0
    for one in given:
        examples = one.examples
        keys = examples.keys or [f"{one.name} {number + 1}" for number in range(len(examples))]
        for key, code, yes, group in zip(keys, examples.codes, examples.yes, examples.recordings, strict=True):
            example = key, code.tobytes()
            groups.setdefault(example, after + int(group))
            labels[example] = one.name if yes else labels.get(example, NO_CLASS)
        after += 0 if one.examples.keys else int(examples.recordings.max(initial=-1)) + 1
    codes = np.stack([np.frombuffer(code, np.uint8) for _, code in labels])
    names = sorted(set(labels.values()))
    return Embeddings(
        codes,
        "codes",
        space,
        bits=given[0].bits,
        labels=np.array([names.index(label) for label in labels.values()]),
        classes=tuple(names),
        groups=np.unique(list(groups.values()), return_inverse=True)[1],
        names=np.array([key for key, _ in labels]),
        model=given[0].model,
    )


def save_model(model: Model, classifiers: Sequence[Classifier], folder: str | os.PathLike[str]) -> None:
    """Write a folder with the model, its classifiers and their examples beside its weights, or nothing at all."""
    place, given = Path(folder), list(classifiers)
    check_together(given)
    if given[0].model not in (None, model.fingerprint):
        raise ValueError("the classes were learnt on codes of another model; take away the model that made the codes.")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise ValueError(f"{place} exists and is not an empty folder; choose another place.")
    with whole_folder(place) as fresh:
        model.save(fresh)
        save_classes(given, fresh, model.space_name)


def save_classes(classifiers: Sequence[Classifier], folder: str | os.PathLike[str], space: str = "torusN") -> None:
    """Write classifiers and their examples into a folder, for a model that is elsewhere."""
    place, given = Path(folder), list(classifiers)
    place.mkdir(parents=True, exist_ok=True)
    save_classifiers(given, place / CLASSIFIERS)
    example_record(given, space).save(place / CLASSES)


def _means(one: Classifier, background: Floats) -> Floats:
    examples, points, groups = one.examples, one.examples.points, 1
    if can_be_measured(examples.recordings, examples.yes):
        skills = [
            skill_of(left_out_scores(examples, points, background, count), examples.yes).average_precision
            for count in range(1, MOST_GROUPS + 1)
        ]
        groups = int(np.argmax(skills)) + 1
    return fit_means(points, examples.yes, background, groups).yes


def _codes(means: Floats, bits: int) -> Codes:
    return nearest_code(np.rint(2**20 * means.reshape(len(means), -1, 2)).astype(np.int64), bits)
