"""One training step and one validation, as lightning runs them."""

from __future__ import annotations

import math
from typing import Any

import torch
from lightning.pytorch import LightningModule
from torch import Tensor
from torch.optim import SGD, Adam, AdamW, Optimizer
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau

from hypertorus.losses.gather import gathered, world_size
from hypertorus.losses.views import Views
from hypertorus.models.model import Model
from hypertorus.train.batches import Batch, generator
from hypertorus.train.contrast import contrast
from hypertorus.train.health import check_loss, check_points
from hypertorus.train.nearest import precision_at_1
from hypertorus.train.settings import Settings

LOOK_EVERY = 50
"""Steps between two looks at the loss on a device that a look would stop."""


class Training(LightningModule):
    """A model, the views it learns from, and the labels it is measured by.

    Validation has two loaders: inputs to search among, and inputs to search for.
    """

    def __init__(
        self, model: Model, views: Views, settings: Settings, steps: int, sought: tuple[Tensor, Tensor]
    ) -> None:
        super().__init__()
        self.model = model
        self.views = views
        self.settings = settings
        self.steps = steps
        self.sought = sought
        self.contrast = contrast(settings)
        self.plateau: ReduceLROnPlateau | None = None
        self.plateau_before: dict[str, Any] | None = None
        self._points: tuple[list[Tensor], list[Tensor]] = ([], [])

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """The loss of the whole batch, over all processes, whose gradient for this process's inputs is exact."""
        self._seed_step(batch_idx)
        views = torch.cat([self._view(batch.inputs, batch_idx, which) for which in (0, 1)])
        points = self.model(views)
        pairs = gathered(torch.stack(points.chunk(2), dim=1))
        first, second = pairs.unbind(dim=1)
        loss = self.contrast(first, second, gathered(batch.labels))
        if loss.device.type == "cpu" or batch_idx % LOOK_EVERY == 0:
            check_loss(loss.detach(), self.current_epoch, batch_idx)
        self.log("loss", loss.detach(), batch_size=len(first))
        return loss * world_size()  # the processes' gradients are averaged, but each has only its inputs' part

    def _seed_step(self, step: int) -> None:
        """What a network draws itself (dropout, stochastic depth) must not hang on what was drawn before a resume."""
        seed = generator(self.settings.seed, self.current_epoch, step, 2, self.global_rank).initial_seed()
        torch.default_generator.manual_seed(seed)  # torch.manual_seed looks for every device there might be, for 5 ms
        if self.device.type != "cpu":
            torch.get_device_module(self.device).manual_seed(seed)

    def _view(self, inputs: Tensor, step: int, which: int) -> Tensor:
        """What is drawn belongs to the place of an input in the whole batch, whichever process has it."""
        here = slice(self.global_rank * len(inputs), (self.global_rank + 1) * len(inputs))
        own = generator(self.settings.seed, self.current_epoch, step, which)
        drawn = self.views.draw(len(inputs) * world_size(), own)[here].to(inputs.device)
        if self.views.mixes:
            inputs = self.views.mix(inputs, drawn, gathered(inputs))
        return self.views.view(inputs, drawn)

    def validation_step(self, batch: Batch, _batch_idx: int, dataloader_idx: int) -> None:
        self._points[dataloader_idx].append(self.model(batch.inputs))

    def on_validation_epoch_end(self) -> None:
        reference, queries = (
            _in_order(gathered(torch.cat(points)), len(labels))
            for points, labels in zip(self._points, self.sought, strict=True)
        )
        for points in self._points:
            points.clear()
        check_points(queries, self.current_epoch)
        reference_labels, query_labels = (labels.to(self.device) for labels in self.sought)
        precision = precision_at_1(reference, reference_labels, queries, query_labels)
        self.log("precision", precision)
        self.log("score", self._score(precision))
        if self.plateau is not None:
            self.plateau.step(precision)

    def _score(self, precision: float) -> float:
        """By what the best epoch is chosen: the precision, and up to its standard error more for being late.

        Of epochs that the validation cannot tell apart the latest has learned most.
        """
        queries = len(self.sought[1])
        share = (precision * queries + 1) / (queries + 2)
        return precision + math.sqrt(share * (1 - share) / queries) * self.current_epoch / self.settings.epochs

    def configure_optimizers(self) -> Any:
        optimiser = _optimiser(self.model, self.settings)
        if self.settings.schedule == "plateau":
            self.plateau = ReduceLROnPlateau(optimiser, mode="max", factor=0.3, patience=self.settings.patience // 3)
        if self.settings.schedule != "cosine":
            return optimiser
        schedule = LambdaLR(optimiser, lambda step: (1 + math.cos(math.pi * min(1, step / self.steps))) / 2)
        return {"optimizer": optimiser, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """The plateau is ours to keep: lightning moves it only after the checkpoint of its epoch."""
        if self.plateau is not None:
            checkpoint["plateau"] = self.plateau.state_dict()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        self.plateau_before = checkpoint.get("plateau")

    def on_fit_start(self) -> None:
        if self.plateau is not None and self.plateau_before is not None:
            self.plateau.load_state_dict(self.plateau_before)


def _optimiser(model: Model, settings: Settings) -> Optimizer:
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    lr, decay = settings.lr, settings.weight_decay
    if settings.optimiser == "sgd":
        return SGD(parameters, lr, momentum=0.9, weight_decay=decay)
    return {"adam": Adam, "adamw": AdamW}[settings.optimiser](parameters, lr, weight_decay=decay)


def _in_order(points: Tensor, inputs: int) -> Tensor:
    """Rows of all processes, one process after the other, as they were before they were dealt out."""
    return points.view(world_size(), -1, points.shape[-1]).transpose(0, 1).flatten(0, 1)[:inputs]
