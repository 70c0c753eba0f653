"""A training run from data to a model in a folder; a run that was killed resumes from its last complete epoch."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hypertorus.classes.read import CLASSES
from hypertorus.datasets import Data, InMemory, Part
from hypertorus.evaluation import evaluate
from hypertorus.files.cache import cache_folder
from hypertorus.files.console import plain_console
from hypertorus.files.progress import bar
from hypertorus.models.card import write_card
from hypertorus.models.model import Model
from hypertorus.spaces import Torus
from hypertorus.training.folder import RunFolder
from hypertorus.training.frozen import features_of, folded_head, head_model, put_head
from hypertorus.training.hardware import Hardware, is_first_process
from hypertorus.training.parts import keeps_last, plan, to_learn, with_validation
from hypertorus.training.prepare import build_model
from hypertorus.training.settings import Settings
from hypertorus.training.sizes import facts_of, measured_sizes
from hypertorus.training.start import RANDOM, start_head, unwrap_start
from hypertorus.training.teacher import taught


@dataclass(frozen=True)
class Outcome:
    """Results of a run: precision at 1 on validation inputs, and on test inputs searched among all training inputs.

    `validation` is None where no inputs were set aside.
    """

    epochs: int
    best_epoch: int
    seconds: float
    validation: float | None
    test: float
    test_8bit: float
    chance: float


def run_training(
    data: Data,
    settings: Settings,
    out: Path,
    *,
    hardware: Hardware | None = None,
    restart: bool = False,
    cache: Path | None = None,
    show: bool = True,
) -> Outcome | None:
    """Train a model on data and save it in a folder; an unfinished run of the same settings there is resumed.

    `restart` starts over, whatever the folder holds. `cache` is the folder for features of frozen encoders. `show`
    says how the data are split and shows progress. Only the first process of a run returns an outcome, the others None.
    """
    folder = RunFolder(out)
    with folder.locked() if is_first_process() else nullcontext():
        cache = cache or cache_folder("features")
        return _run(data, settings, folder, hardware or Hardware(), restart=restart, cache=cache, show=show)


def _run(
    data: Data, settings: Settings, folder: RunFolder, hardware: Hardware, *, restart: bool, cache: Path, show: bool
) -> Outcome | None:
    from lightning.pytorch import seed_everything  # takes seconds, so it is imported where a run begins

    from hypertorus.training.fit import Fit

    if settings.teacher:
        data = taught(data, settings.teacher)
    seed_everything(settings.seed, workers=True, verbose=False)
    model, lines = build_model(data, settings), plan(data, settings)  # first, so that an error leaves no folder behind
    if is_first_process():
        folder.begin(description(data, settings), restart=restart)
        if show:
            for line in lines:
                plain_console(stderr=True).print(line, soft_wrap=True)
    learner_data, learner = _frozen(model, data, cache) if settings.frozen else (data, model)
    if settings.start != RANDOM:
        start_head(learner, learner_data.train, settings.start, settings.seed)
    unwrap_start(learner, learner_data.train)
    training, validation = with_validation(learner_data, settings)
    fit = Fit(learner, to_learn(training, settings), validation, settings, folder, hardware, show=show)
    fit.run()
    if not is_first_process():
        return None
    best_epoch, precision = fit.choose_weights()
    model.cpu().eval()
    if settings.frozen:
        put_head(model, learner.cpu())
        # The very layers of the model, on features that are computed already.
        learner = folded_head(model, learner_data.train.shape)
    test, test_8bit = _test(learner, learner_data)
    model.low, model.span = learner.low, learner.span
    rows = fit.record.rows
    chance = float(data.test.labels.bincount().max() / len(data.test))
    seconds = sum(row["seconds"] for row in rows)
    validated = None if keeps_last(data, settings) else precision
    outcome = Outcome(len(rows), best_epoch, seconds, validated, test, test_8bit, chance)
    measured = {name: value for name, value in asdict(outcome).items() if name != "seconds"}  # same seed, same files
    facts = {**settings.as_dict(), "data": data.name, **_group(data), **measured}
    learner.training_facts = facts
    model.save(folder.out, training={**facts, "sizes": facts_of(measured_sizes(learner, learner_data))})
    write_card(folder.out, model.config)
    if data.sound is not None and isinstance(model.space, Torus):
        own = learner.embeddings(learner_data.train, bits=8)
        replace(own, model=model.fingerprint, classes=data.classes).save(folder.out / CLASSES)
    folder.finish(asdict(outcome))
    return outcome


def description(data: Data, settings: Settings) -> dict[str, Any]:
    """Return everything that decides the result of a run, as its folder keeps it."""
    return {**settings.as_dict(), "data": data.name, "train": len(data.train), **_sound(data), **_group(data)}


def _sound(data: Data) -> dict[str, Any]:
    return {} if data.sound is None else {"sound": data.sound.as_dict()}


def _group(data: Data) -> dict[str, Any]:
    """Return how recordings were told apart for the split, so that the same data can be split the same way again."""
    return {} if data.group is None else {"group": data.group}


def _frozen(model: Model, data: Data, cache: Path) -> tuple[Data, Model]:
    """Return the features of the inputs as data, and a model of the head alone."""
    with bar("features of the frozen encoder") as progress:

        def features(part: Part) -> InMemory:
            return features_of(model, part, cache, progress)

        train, test = features(data.train), features(data.test)
        validation = data.validation and (features(data.validation[0]), features(data.validation[1]))
    return Data(data.name, train, test, data.classes, validation=validation), head_model(model, train)


def _test(model: Model, data: Data) -> tuple[float, float]:
    """Return the precision at 1 of test inputs among all training inputs, as floats and as 8-bit codes.

    It is measured on the record that `model.embeddings(data)` makes, so that whoever evaluates that record gets the
    same numbers.
    """
    with bar("testing") as progress:
        record = model.embeddings(data, progress=progress)
        model.fit_codes(data.train, progress=progress)
    measured = evaluate(record, ("none", "8bit"), k=1, agreement=False)
    return measured["none"].precision_at_1, measured["8bit"].precision_at_1
