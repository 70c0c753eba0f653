"""What was learnt, to take away: prototypes as an index for `hypertorus export c`, or a model with its classes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hypertorus.codes.circular_mean import nearest_code
from hypertorus.codes.protocol import Codes
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
CLASSES = "classes.safetensors"


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


def save_model(model: Model, classifiers: Sequence[Classifier], folder: str | os.PathLike[str]) -> None:
    """Write a folder with the model and a file of the classes beside its weights, completely or not at all."""
    place, given = Path(folder), list(classifiers)
    check_together(given)
    if given[0].model not in (None, model.fingerprint):
        raise ValueError("the classes were learnt on codes of another model; take away the model that made the codes.")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise ValueError(f"{place} exists and is not an empty folder; choose another place.")
    with whole_folder(place) as fresh:
        model.save(fresh)
        save_classifiers(given, fresh / CLASSES)


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
