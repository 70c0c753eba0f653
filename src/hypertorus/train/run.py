"""A training run from data to a model in a folder; killed at any moment, it goes on from its last whole epoch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from hypertorus.data import Data, InMemory, Part
from hypertorus.files.cache import cache_folder
from hypertorus.files.progress import bar
from hypertorus.models.model import Model
from hypertorus.train.folder import RunFolder
from hypertorus.train.frozen import features_of, head_model, put_head
from hypertorus.train.hardware import Hardware, is_first_process
from hypertorus.train.nearest import precision_at_1
from hypertorus.train.prepare import build_model, sample
from hypertorus.train.settings import Settings
from hypertorus.train.start import PRINCIPAL, start_head

FEW = 5000
"""Training inputs below which a tenth of them is too few to choose by."""


@dataclass(frozen=True)
class Outcome:
    """What came of a run: precision at 1 of validation inputs, and of test inputs among all training inputs."""

    epochs: int
    best_epoch: int
    seconds: float
    validation: float
    test: float
    test_8bit: float
    chance: float


def train(
    data: Data,
    settings: Settings,
    out: Path,
    *,
    hardware: Hardware | None = None,
    restart: bool = False,
    cache: Path | None = None,
    show: bool = True,
) -> Outcome | None:
    """Train a model on data and save it in a folder, where an unfinished run of the same settings is gone on with.

    With `restart` a run begins anew whatever is there. `cache` is where features of frozen encoders are kept, `show`
    whether the run says how it is getting on. In all processes of a run but the first there is no outcome to return.
    """
    from lightning.pytorch import seed_everything  # takes seconds, so it is imported where a run begins

    from hypertorus.train.fit import Fit

    folder = RunFolder(out)
    seed_everything(settings.seed, workers=True, verbose=False)
    model = build_model(data, settings)  # what cannot be built leaves no folder behind
    if is_first_process():
        asked = {**settings.as_dict(), "data": data.name, "train": len(data.train), **_sound(data)}
        folder.begin(asked, restart=restart)
    seen, learner = _frozen(model, data, cache or cache_folder("features")) if settings.frozen else (data, model)
    if settings.start == PRINCIPAL:
        start_head(learner, seen.train, settings.seed)
    fit = Fit(learner, *_validated(seen), settings, folder, hardware or Hardware(), show=show)
    fit.run()
    if not is_first_process():
        return None
    best_epoch, validation = fit.choose_weights()
    test, test_8bit = _test(learner.cpu().eval(), seen)
    if settings.frozen:
        put_head(model, learner)
    rows = fit.record.rows
    chance = float(data.test.labels.bincount().max() / len(data.test))
    seconds = sum(row["seconds"] for row in rows)
    outcome = Outcome(len(rows), best_epoch, seconds, validation, test, test_8bit, chance)
    model.cpu().eval().save(out, training={**settings.as_dict(), "data": data.name, **asdict(outcome)})
    folder.finish(asdict(outcome))
    return outcome


def _sound(data: Data) -> dict[str, Any]:
    return {} if data.sound is None else {"sound": data.sound.as_dict()}


def _validated(data: Data) -> tuple[Part, tuple[Part, Part]]:
    """What is learned from, and what epochs are chosen by."""
    if data.validation is not None:
        return data.train, data.validation
    training, validation = data.with_validation(0.1 if len(data.train) >= FEW else 0.2)
    return training, (training.take(sample(training, seed=0)), validation)


def _frozen(model: Model, data: Data, cache: Path) -> tuple[Data, Model]:
    """Features in the place of inputs, and a model of the head alone."""
    with bar("features of the frozen encoder") as progress:

        def features(part: Part) -> InMemory:
            return features_of(model, part, cache, progress)

        train, test = features(data.train), features(data.test)
        validation = data.validation and (features(data.validation[0]), features(data.validation[1]))
    return Data(data.name, train, test, data.classes, validation=validation), head_model(model, train)


def _test(model: Model, data: Data) -> tuple[float, float]:
    """Precision at 1 of test inputs among all training inputs, as floats and as 8-bit codes."""
    with bar("testing") as progress:
        raw = [model.rows(model.raw, part, progress=progress) for part in (data.train, data.test)]
    model.fit_range(raw[0])
    grid = model.grid(bits=8)
    found = []
    for numbers in (raw, [grid.decode(grid.encode(part)) for part in raw]):
        points = [torch.from_numpy(model.space.project(part)) for part in numbers]
        found.append(precision_at_1(points[0], data.train.labels, points[1], data.test.labels))
    return found[0], found[1]
