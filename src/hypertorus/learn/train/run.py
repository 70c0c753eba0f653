"""A training run from data to a model in a folder; killed at any moment, it goes on from its last whole epoch."""

from __future__ import annotations

import logging
import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from lightning.pytorch import Callback, Trainer, seed_everything
from lightning.pytorch.callbacks import EMAWeightAveraging, ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger
from torch.utils.data import DataLoader

from hypertorus.learn.data import Data, InMemory, Part
from hypertorus.learn.encoders import encoder
from hypertorus.learn.model import Model
from hypertorus.learn.train.batches import Batch, Shared, Shuffled, generator, loader
from hypertorus.learn.train.checkpoints import AtomicCheckpoints, average, weights
from hypertorus.learn.train.folder import RunFolder
from hypertorus.learn.train.frozen import default_cache, features_of, head_model, put_head
from hypertorus.learn.train.health import TrainingFailed
from hypertorus.learn.train.module import Training
from hypertorus.learn.train.nearest import precision_at_1
from hypertorus.learn.train.progress import Bar
from hypertorus.learn.train.record import Record, Row, stale
from hypertorus.learn.train.settings import Settings
from hypertorus.learn.views import ImageViews, VectorViews, Views

SAMPLE = 5000
"""How many training inputs a validation searches among, and input statistics are measured on."""


@dataclass(frozen=True)
class Hardware:
    """Where a run happens; none of it decides what comes out, up to the order of sums."""

    device: str = "auto"
    devices: int = 1
    nodes: int = 1
    workers: int | None = None

    @property
    def processes(self) -> int:
        return self.devices * self.nodes


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
) -> Outcome | None:
    """Train a model on data and save it in a folder.

    A folder with an unfinished run of the same settings is gone on with. In all processes of a run but the first there
    is no outcome to return.
    """
    hardware = hardware or Hardware()
    folder = RunFolder(out)
    first = int(os.environ.get("LOCAL_RANK", "0")) == 0 and int(os.environ.get("NODE_RANK", "0")) == 0
    if first:
        folder.begin({**settings.as_dict(), "data": data.name, "train": len(data.train)}, restart=restart)
    seed_everything(settings.seed, workers=True, verbose=False)
    model = _build(data, settings)
    if settings.frozen:
        seen = _features(model, data, cache or default_cache())
        learner = head_model(model, seen.train)
    else:
        seen, learner = data, model
    run = _Run(learner, *seen.with_validation(), settings, folder, hardware)
    run.fit()
    if not first:
        return None
    epoch, precision = run.choose_weights()
    learner = learner.cpu().eval()
    learner.fit_codes(seen.train)
    test, test_8bit = _test(learner, seen)
    if settings.frozen:
        put_head(model, learner)
    rows = run.record.rows
    seconds = sum(row["seconds"] for row in rows)
    chance = float(data.test.labels.bincount().max() / len(data.test))
    outcome = Outcome(len(rows), epoch, seconds, precision, test, test_8bit, chance)
    model.cpu().eval().save(out, training={**settings.as_dict(), "data": data.name, **asdict(outcome)})
    folder.finish(asdict(outcome))
    return outcome


class _Run:
    """What a run is made of, put together in the order of its use."""

    def __init__(
        self,
        model: Model,
        training: Part,
        validation: Part,
        settings: Settings,
        folder: RunFolder,
        hardware: Hardware,
    ) -> None:
        self.model, self.settings, self.folder, self.hardware = model, settings, folder, hardware
        sample = torch.randperm(len(training), generator=generator(0))[:SAMPLE].sort().values
        self.training, self.sought = training, (training.take(sample), validation)
        self.record = Record(folder.metrics, settings.patience)

    def fit(self) -> None:
        """Train until the last epoch, or until nothing has become better for some."""
        if self.folder.last.exists() and self._ended():
            return
        steps = self.settings.epochs * (len(self.training) // min(self.settings.batch, len(self.training)))
        labels = (self.sought[0].labels, self.sought[1].labels)
        module = Training(self.model, _views(self.model, self.settings), self.settings, steps, labels)
        with _quiet():
            trainer = self._trainer(Bar(self.record, steps))
            rank = trainer.global_rank
            loaders = self._train_loader(rank), [self._seek_loader(part, rank) for part in self.sought]
            resume = str(self.folder.last) if self.folder.last.exists() else None
            try:
                trainer.fit(module, *loaders, ckpt_path=resume, weights_only=True)
            except SystemExit:
                if not trainer.interrupted:
                    raise
                sys.stderr.write("hypertorus: stopped; the same command goes on from the last whole epoch.\n")
                raise SystemExit(130) from None

    def choose_weights(self) -> tuple[int, float]:
        """Load the best weights into the model, or the mean of some of the best if that is no worse."""
        state = AtomicCheckpoints().load_checkpoint(self.folder.last)
        kept = next(kept for name, kept in state["callbacks"].items() if "ModelCheckpoint" in name and "score" in name)
        self.record.load_state_dict(state["callbacks"]["Record"])
        best = sorted(kept["best_k_models"], key=lambda path: float(kept["best_k_models"][path]), reverse=True)
        states = [weights(Path(path)) for path in best]
        candidates = [states[0]] if len(states) == 1 else [average(states), states[0]]
        scores = []
        for candidate in candidates:
            self.model.load_state_dict(candidate)
            scores.append(self._precision())
        chosen = max(range(len(candidates)), key=scores.__getitem__)
        self.model.load_state_dict(candidates[chosen])
        return int(AtomicCheckpoints().load_checkpoint(Path(best[0]))["epoch"]) + 1, scores[chosen]

    def _precision(self) -> float:
        reference, queries = (torch.from_numpy(self.model.embed(part)) for part in self.sought)
        if not torch.isfinite(queries).all():
            raise TrainingFailed("the averaged weights give NaN; run again without averages: --average-best 1 --ema 0.")
        return precision_at_1(reference, self.sought[0].labels, queries, self.sought[1].labels)

    def _ended(self) -> bool:
        rows: list[Row] = AtomicCheckpoints().load_checkpoint(self.folder.last)["callbacks"]["Record"]["rows"]
        return len(rows) >= self.settings.epochs or stale(rows, self.settings.patience)

    def _trainer(self, bar: Bar) -> Trainer:
        settings, hardware = self.settings, self.hardware
        several = hardware.processes > 1
        gpu = hardware.device in ("auto", "cuda", "gpu") and torch.cuda.is_available()
        return Trainer(
            accelerator=hardware.device,
            devices=hardware.devices,
            num_nodes=hardware.nodes,
            strategy="ddp" if several else "auto",
            sync_batchnorm=several and gpu,
            precision=_precision(settings.precision, gpu),
            max_epochs=settings.epochs,
            gradient_clip_val=settings.clip,
            gradient_clip_algorithm=settings.clip_by,
            callbacks=[*_averaging(settings), self.record, bar, *self._keepers()],
            logger=TensorBoardLogger(self.folder.out, name="run", version=""),
            log_every_n_steps=10,
            plugins=[AtomicCheckpoints()],
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            use_distributed_sampler=False,
        )

    def _keepers(self) -> list[Callback]:
        best = ModelCheckpoint(
            self.folder.run,
            "best-{epoch}",
            monitor="score",
            mode="max",
            save_top_k=self.settings.average_best,
            save_on_train_epoch_end=True,
        )
        last = ModelCheckpoint(self.folder.run, "last", save_on_train_epoch_end=True, enable_version_counter=False)
        return [best, last]  # the last knows which are the best

    def _train_loader(self, rank: int) -> DataLoader[Batch]:
        settings = self.settings
        batches = Shuffled(len(self.training), settings.batch, settings.seed, rank, self.hardware.processes)
        return loader(self.training, batches, self._workers(self.training))

    def _seek_loader(self, part: Part, rank: int) -> DataLoader[Batch]:
        batches = Shared(len(part), 2 * self.settings.batch, rank, self.hardware.processes)
        return loader(part, batches, self._workers(part))

    def _workers(self, part: Part) -> int:
        if self.hardware.workers is not None:
            return self.hardware.workers
        return 0 if isinstance(part, InMemory) else min(8, os.cpu_count() or 1)


def _build(data: Data, settings: Settings) -> Model:
    network = encoder(settings.encoder, data.train.shape)
    mean, std = (None, None) if network.mean is not None else _statistics(data.train)
    return Model(
        network,
        data.train.shape,
        settings.dim,
        settings.space,
        head=settings.head,
        mean=mean,
        std=std,
        classes=data.classes,
    )


def _features(model: Model, data: Data, cache: Path) -> Data:
    train, test = (features_of(model, part, cache) for part in (data.train, data.test))
    return Data(data.name, train, test, data.classes)


def _test(model: Model, data: Data) -> tuple[float, float]:
    """Precision at 1 of test inputs among all training inputs, as floats and as 8-bit codes."""
    found = []
    raw = [model.rows(model.raw, part) for part in (data.train, data.test)]
    grid = model.grid(bits=8)
    for numbers in (raw, [grid.decode(grid.encode(part)) for part in raw]):
        points = [torch.from_numpy(model.space.project(part)) for part in numbers]
        found.append(precision_at_1(points[0], data.train.labels, points[1], data.test.labels))
    return found[0], found[1]


def _statistics(part: Part) -> tuple[list[float], list[float]]:
    """Mean and deviation of each channel, of images in 0..1, or of each feature."""
    sample = torch.randperm(len(part), generator=generator(1))[:SAMPLE].sort().values
    inputs = part.__getitems__(sample.tolist()).double()
    if part.is_images:
        inputs = inputs.transpose(0, 1).flatten(1).T / 255
    return inputs.mean(dim=0).tolist(), inputs.std(dim=0).tolist()


def _views(model: Model, settings: Settings) -> Views:
    if len(model.shape) == 3:
        return ImageViews(smallest=settings.crop)
    return VectorViews(noise=settings.noise * model.std.flatten())


def _averaging(settings: Settings) -> list[Callback]:
    return [EMAWeightAveraging(decay=settings.ema)] if settings.ema else []


def _precision(asked: str, gpu: bool) -> Any:
    if asked != "auto":
        return asked
    if not gpu:
        return "32-true"
    return "bf16-mixed" if torch.cuda.is_bf16_supported() else "16-mixed"


@contextmanager
def _quiet() -> Iterator[None]:
    """Lightning's advice for people who call it themselves is not for ours."""
    loggers = [logging.getLogger(f"lightning.{part}") for part in ("pytorch", "fabric")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="lightning")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
