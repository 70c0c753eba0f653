"""Metrics of each epoch, kept in the checkpoint and in a CSV file; they decide when to stop early."""

from __future__ import annotations

import csv
import io
import time
from pathlib import Path
from typing import Any

import torch
from lightning.pytorch import Callback, LightningModule, Trainer
from torch import Tensor

from hypertorus.files.atomic import replacing
from hypertorus.losses.gather import world_size

Row = dict[str, float]
COLUMNS = ("epoch", "loss", "precision", "lr", "seconds", "inputs_per_second")


class Record(Callback):
    """Writes `metrics.csv`, and stops a run whose precision has not improved for `patience` epochs."""

    def __init__(self, file: Path, patience: int) -> None:
        self.file, self.patience = file, patience
        self.rows: list[Row] = []
        self._losses: list[Tensor] = []
        self._inputs = 0
        self._began = self._stepped = time.monotonic()

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer, pl_module
        self._losses = []
        self._began = self._stepped = time.monotonic()

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        del trainer, pl_module, batch_idx
        self._losses.append(outputs["loss"].detach())
        self._inputs = len(self._losses) * len(batch.labels) * world_size()
        self._stepped = time.monotonic()

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del pl_module
        row = {
            "epoch": trainer.current_epoch + 1,
            "loss": float(torch.stack(self._losses).mean()) / world_size(),
            "precision": float(trainer.callback_metrics["precision"]),
            "lr": float(trainer.optimizers[0].param_groups[0]["lr"]),
            "seconds": time.monotonic() - self._began,
            "inputs_per_second": self._inputs / (self._stepped - self._began),
        }
        self.rows.append(row)
        if trainer.is_global_zero:
            write_rows(self.file, self.rows)
        if stale(self.rows, self.patience):
            trainer.should_stop = True

    def state_dict(self) -> dict[str, Any]:
        return {"rows": self.rows}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.rows = list(state_dict["rows"])


def stale(rows: list[Row], patience: int) -> bool:
    """Return whether the last `patience` epochs brought no better precision.

    >>> stale([{"precision": 0.7}, {"precision": 0.6}, {"precision": 0.7}], patience=2)
    True
    """
    precisions = [row["precision"] for row in rows]
    return bool(rows) and len(rows) - 1 - precisions.index(max(precisions)) >= patience


def write_rows(file: Path, rows: list[Row]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([f"{row[name]:.6g}" for name in COLUMNS] for row in rows)
    with replacing(file) as target:
        target.write(text.getvalue().encode())
