"""Progress of a run: a bar with the remaining time on a terminal, one line per epoch elsewhere."""

from __future__ import annotations

from typing import Any

from lightning.pytorch import Callback, LightningModule, Trainer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hypertorus.files.console import plain_console
from hypertorus.losses.gather import world_size
from hypertorus.training.record import Record

SHOW_EVERY = 10


class Bar(Callback):
    """Shows the loss, the precision and the remaining time of the run."""

    def __init__(self, record: Record, steps: int) -> None:
        self.record, self.steps = record, steps
        self.console = plain_console(stderr=True)
        self.progress: Progress | None = None
        self.task: Any = None

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del pl_module
        if not trainer.is_global_zero or not self.console.is_terminal:
            return
        self.progress = Progress(
            TextColumn("epoch {task.fields[epoch]}/{task.fields[epochs]}"),
            BarColumn(),
            TextColumn("loss {task.fields[loss]}  precision {task.fields[precision]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=False),
            console=self.console,
            transient=True,
        )
        self.task = self.progress.add_task(
            "training",
            total=self.steps,
            completed=trainer.global_step,
            epoch=trainer.current_epoch + 1,
            epochs=trainer.max_epochs,
            loss="-",
            precision="-",
        )
        self.progress.start()

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        del pl_module, batch
        if self.progress is None:
            return
        self.progress.update(self.task, completed=trainer.global_step, epoch=trainer.current_epoch + 1)
        if batch_idx % SHOW_EVERY == 0:
            self.progress.update(self.task, loss=f"{float(outputs['loss']) / world_size():.3f}")

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del pl_module
        if not trainer.is_global_zero:
            return
        row = self.record.rows[-1]
        if self.progress is not None:
            self.progress.update(self.task, precision=f"{row['precision']:.3f}")
            return
        self.console.print(
            f"epoch {row['epoch']:.0f}/{trainer.max_epochs}  loss {row['loss']:.3f}  "
            f"precision {row['precision']:.3f}  {row['seconds']:.1f} s",
        )

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer, pl_module
        self._stop()

    def on_exception(self, trainer: Trainer, pl_module: LightningModule, exception: BaseException) -> None:
        del trainer, pl_module, exception
        self._stop()

    def _stop(self) -> None:
        if self.progress is not None:
            self.progress.stop()
            self.progress = None
