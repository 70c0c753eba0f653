"""The training of a run: sets lightning up, trains, and chooses the best weights at the end."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from lightning.pytorch import Callback, Trainer
from lightning.pytorch.callbacks import EMAWeightAveraging, ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger
from torch.utils.data import DataLoader, Sampler

from hypertorus.datasets import Part
from hypertorus.embeddings.split import are_pairs
from hypertorus.models.model import Model
from hypertorus.training.batches import Batch, Companions, Shared, Shuffled, loader
from hypertorus.training.best_epochs import BestEpochs
from hypertorus.training.checkpoints import AtomicCheckpoints, average, weights
from hypertorus.training.folder import RunFolder
from hypertorus.training.hardware import Hardware
from hypertorus.training.health import TrainingError
from hypertorus.training.module import Training
from hypertorus.training.nearest import precision_at_1
from hypertorus.training.prepare import views_for
from hypertorus.training.progress import Bar
from hypertorus.training.quiet import quiet
from hypertorus.training.record import Record, Row, stale
from hypertorus.training.settings import Settings


class Fit:
    """Trains a model on a part of a data set, and resumes from the checkpoint in the folder if there is one.

    `validation` is a reference part and a part of queries. The best epochs have the highest precision at 1 on it: the
    share of queries whose nearest neighbour in the reference part has the same label.
    """

    def __init__(
        self,
        model: Model,
        training: Part,
        validation: tuple[Part, Part],
        settings: Settings,
        folder: RunFolder,
        hardware: Hardware,
        *,
        show: bool = True,
    ) -> None:
        self.model, self.settings, self.folder, self.hardware, self.show = model, settings, folder, hardware, show
        self.training, self.validation = training, validation
        # Without validation, nothing says that a run should end early, or which of its epochs is better.
        self.patience = settings.epochs if settings.validation == 0 else settings.patience
        self.record = Record(folder.metrics, self.patience)
        self.companions = training.texts or are_pairs(training.labels)

    def run(self) -> None:
        """Train until the last epoch, or until the precision has not improved for `patience` epochs."""
        if self._ended():
            return
        whole_batch = min(self.settings.batch, len(self.training))
        steps = self.settings.epochs * (len(self.training) // whole_batch)
        labels = (self.validation[0].labels, self.validation[1].labels)
        views = views_for(self.model, self.settings)
        module = Training(self.model, views, self.settings, steps, labels, companions=self.companions)
        with quiet():
            trainer = self._trainer([Bar(self.record, steps)] if self.show else [])
            resume = str(self.folder.last) if self.folder.last.exists() else None
            try:
                trainer.fit(module, *self._loaders(trainer.global_rank), ckpt_path=resume, weights_only=True)
            except SystemExit:
                if not trainer.interrupted:
                    raise
                sys.stderr.write("hypertorus: stopped; the same command resumes from the last complete epoch.\n")
                raise SystemExit(130) from None

    def choose_weights(self) -> tuple[int, float]:
        """Load the best weights, or the mean of the best few if no worse; return the best epoch and its precision."""
        state = AtomicCheckpoints().load_checkpoint(self.folder.last)
        self.record.load_state_dict(state["callbacks"]["Record"])
        best_checkpoints = next(saved for name, saved in state["callbacks"].items() if "'monitor': 'score'" in name)
        scores = best_checkpoints["best_k_models"]
        names = sorted(scores, key=lambda name: float(scores[name]), reverse=True)
        best = [self.folder.run / Path(name).name for name in names]  # absolute paths in runs of before
        states = [weights(path) for path in best]
        candidates = states if len(states) == 1 else [average(states), states[0]]
        precisions = [self._precision(candidate) for candidate in candidates]
        chosen = 0 if self.settings.validation == 0 else precisions.index(max(precisions))
        self.model.load_state_dict(candidates[chosen])
        return int(AtomicCheckpoints().load_checkpoint(best[0])["epoch"]) + 1, precisions[chosen]

    def _precision(self, state: dict[str, torch.Tensor]) -> float:
        self.model.load_state_dict(state)
        reference, queries = (torch.from_numpy(self.model.embed(part)) for part in self.validation)
        if not torch.isfinite(queries).all():
            raise TrainingError(
                "the chosen weights give NaN, so no model was saved; run again with --ema 0 and --restart."
            )
        return precision_at_1(reference, self.validation[0].labels, queries, self.validation[1].labels)

    def _ended(self) -> bool:
        rows = self._rows()
        return len(rows) >= self.settings.epochs or stale(rows, self.patience)

    def _rows(self) -> list[Row]:
        """Return the metrics of the epochs that are done."""
        if not self.folder.last.exists():
            return []
        rows: list[Row] = AtomicCheckpoints().load_checkpoint(self.folder.last)["callbacks"]["Record"]["rows"]
        return rows

    def _trainer(self, progress: list[Callback]) -> Trainer:
        settings, hardware = self.settings, self.hardware
        distributed = hardware.processes > 1
        averaging: list[Callback] = [EMAWeightAveraging(decay=settings.ema)] if settings.ema else []
        return Trainer(
            accelerator=hardware.device,
            devices=hardware.devices,
            num_nodes=hardware.nodes,
            strategy="ddp" if distributed else "auto",
            sync_batchnorm=distributed and hardware.gpu,
            precision=hardware.precision(settings.precision),
            max_epochs=settings.epochs,
            gradient_clip_val=settings.clip,
            gradient_clip_algorithm=settings.clip_by,
            callbacks=[*averaging, self.record, *progress, *self._checkpoint_callbacks()],
            logger=TensorBoardLogger(self.folder.out, name="run", version=""),
            log_every_n_steps=10,
            plugins=[AtomicCheckpoints()],
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            use_distributed_sampler=False,
        )

    def _checkpoint_callbacks(self) -> list[Callback]:
        best = BestEpochs(self.folder.run, self.settings.average_best)
        last = ModelCheckpoint(self.folder.run, "last", save_on_train_epoch_end=True, enable_version_counter=False)
        return [best, last]  # in this order, because the last checkpoint records which are the best

    def _loaders(self, rank: int) -> tuple[DataLoader[Batch], list[DataLoader[Batch]]]:
        settings, processes = self.settings, self.hardware.processes

        def load(part: Part, batches: Sampler[list[int]]) -> DataLoader[Batch]:
            return loader(part, batches, self.hardware.workers_for(part))

        order = (settings.batch, settings.seed, rank, processes)
        shuffled = Companions(self.training.labels, *order) if self.companions else Shuffled(len(self.training), *order)
        # Processes that read ahead ask for the first batches of a resumed run before lightning says which epoch it is.
        shuffled.set_epoch(len(self._rows()))
        return (
            load(self.training, shuffled),
            [load(part, Shared(len(part), 2 * settings.batch, rank, processes)) for part in self.validation],
        )
