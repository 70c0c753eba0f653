"""The training step and the validation that lightning runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from lightning.pytorch import LightningModule
from torch import Tensor, nn
from torch.optim import SGD, Adam, AdamW, Optimizer
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau

from hypertorus.losses.gather import gathered, world_size
from hypertorus.losses.proxies import ProxyLoss
from hypertorus.losses.views import Views
from hypertorus.models.model import Model
from hypertorus.models.project import Project
from hypertorus.models.soft_schedule import SoftSchedule
from hypertorus.spaces import TorusC, TorusN
from hypertorus.training.batches import Batch, generator
from hypertorus.training.contrast import UNSUPERVISED, contrast, proxy_contrast
from hypertorus.training.health import check_loss, check_points
from hypertorus.training.nearest import precision_at_1
from hypertorus.training.settings import Settings

CHECK_EVERY = 50
"""Steps between two checks of the loss on a GPU, which has to wait for each check."""


WARM_UP = 0.3
"""Share of the steps over which the learning rate of one cycle rises."""
COLDEST = 0.04
"""Learning rate at the start of one cycle, as a share of the highest."""
MOST_FEATURES = 512
"""Number of features from which on torusC learns the more slowly, the more there are."""


def cosine(done: float) -> float:
    """Return the learning rate, as a share of the highest, when this share of the steps is done.

    >>> [round(cosine(done), 2) for done in (0, 0.5, 1)]
    [1.0, 0.5, 0.0]
    """
    return (1 + math.cos(math.pi * done)) / 2


def one_cycle(done: float) -> float:
    """Return the learning rate that rises to its highest and falls to 0 (Smith and Topin, 2017), along cosines.

    >>> [round(one_cycle(done), 2) for done in (0, 0.15, 0.3, 0.65, 1)]
    [0.04, 0.52, 1.0, 0.5, 0.0]
    """
    if done < WARM_UP:
        return 1 - (1 - COLDEST) * cosine(done / WARM_UP)
    return cosine((done - WARM_UP) / (1 - WARM_UP))


LEARNING_RATES: dict[str, Callable[[float], float]] = {"cosine": cosine, "one-cycle": one_cycle}
"""The schedules that depend on the step alone, and so resume by its number."""


class Training(LightningModule):
    """A model, the views it learns from, and the labels of the validation inputs.

    Validation has two loaders: the reference inputs, and the queries that are searched among them. With `companions`,
    the second half of a batch are the second views of the first half, of other inputs of the same classes.
    """

    def __init__(
        self,
        model: Model,
        views: Views,
        settings: Settings,
        steps: int,
        labels: tuple[Tensor, Tensor],
        *,
        companions: bool = False,
    ) -> None:
        super().__init__()
        self.model = model
        self.views = views
        self.settings = settings
        self.steps = steps
        self.labels = labels
        self.companions = companions
        self.contrast = contrast(settings)
        self.soft = SoftSchedule(steps, settings.soft)
        if settings.space == TorusN.name:
            model.project.soft = self.soft
        self.proxies = _proxies(model, settings)
        self.proxy_contrast = None if self.proxies is None else proxy_contrast(settings, self.proxies)
        self.plateau: ReduceLROnPlateau | None = None
        self.plateau_state: dict[str, Any] | None = None
        self._points: tuple[list[Tensor], list[Tensor]] = ([], [])

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """Return the loss of the whole batch over all processes; its gradient for this process's inputs is exact."""
        self._seed_step(batch_idx)
        halves = batch.inputs.chunk(2) if self.companions else (batch.inputs, batch.inputs)
        labels = batch.labels[: len(halves[0])]
        views = torch.cat([self._view(inputs, batch_idx, which) for which, inputs in enumerate(halves)])
        points = self.model(views)
        pairs = gathered(torch.stack(points.chunk(2), dim=1))
        first, second = pairs.unbind(dim=1)
        target = labels
        if self.settings.loss == "neighbours":
            target = halves[0] if batch.teacher is None else batch.teacher[: len(labels)]
        loss = self.contrast(first, second, gathered(target))
        if loss.device.type == "cpu" or batch_idx % CHECK_EVERY == 0:
            check_loss(loss.detach(), self.current_epoch, batch_idx)
        self.log("loss", loss.detach(), batch_size=len(first))
        loss = loss * world_size()  # lightning averages the gradients of the processes, and here they must add up
        if self.proxy_contrast is not None:  # every process has all proxies and its own points: here they average
            loss = loss + self.proxy_contrast(points, labels.repeat(2))
        return loss

    def _seed_step(self, step: int) -> None:
        """Seed what the network itself draws (dropout, stochastic depth), so that a resumed run draws the same."""
        seed = generator(self.settings.seed, self.current_epoch, step, 2, self.global_rank).initial_seed()
        torch.default_generator.manual_seed(seed)  # torch.manual_seed looks for every device there might be, for 5 ms
        if self.device.type != "cpu":
            torch.get_device_module(self.device).manual_seed(seed)

    def _view(self, inputs: Tensor, step: int, which: int) -> Tensor:
        """Return a view of the inputs; its random numbers depend on the place of an input in the whole batch."""
        own_rows = slice(self.global_rank * len(inputs), (self.global_rank + 1) * len(inputs))
        randomness = generator(self.settings.seed, self.current_epoch, step, which)
        parameters = self.views.draw(len(inputs) * world_size(), randomness)[own_rows].to(inputs.device)
        if self.views.mixes:
            inputs = self.views.mix(inputs, parameters, gathered(inputs))
        return self.views.view(inputs, parameters)

    def validation_step(self, batch: Batch, _batch_idx: int, dataloader_idx: int) -> None:
        self._points[dataloader_idx].append(self.model(batch.inputs))

    def on_validation_epoch_end(self) -> None:
        reference, queries = (
            _in_order(gathered(torch.cat(points)), len(labels))
            for points, labels in zip(self._points, self.labels, strict=True)
        )
        for points in self._points:
            points.clear()
        check_points(queries, self.current_epoch)
        reference_labels, query_labels = (labels.to(self.device) for labels in self.labels)
        precision = precision_at_1(reference, reference_labels, queries, query_labels)
        self.log("precision", precision)
        self.log("score", self._score(precision))
        if self.plateau is not None:
            self.plateau.step(precision)

    def _score(self, precision: float) -> float:
        """Return the score that chooses the best epoch: the precision, plus up to its standard error for later epochs.

        Among epochs that validation cannot tell apart, the latest has learned most. Without validation it is the last.
        """
        if self.settings.validation == 0:
            return float(self.current_epoch)
        queries = len(self.labels[1])
        share = (precision * queries + 1) / (queries + 2)
        return precision + math.sqrt(share * (1 - share) / queries) * self.current_epoch / self.settings.epochs

    def configure_optimizers(self) -> Any:
        optimiser = _optimiser(self._parameter_groups(), self.settings)
        if self.settings.schedule == "plateau":
            self.plateau = ReduceLROnPlateau(optimiser, mode="max", factor=0.3, patience=self.settings.patience // 3)
        if self.settings.schedule not in LEARNING_RATES:
            return optimiser
        rate = LEARNING_RATES[self.settings.schedule]
        schedule = LambdaLR(optimiser, lambda step: rate(min(1, step / self.steps)))
        return {"optimizer": optimiser, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def _parameter_groups(self) -> list[dict[str, Any]]:
        """Return what is trained; an encoder with a share of the learning rate is a group of its own."""
        everything = self.model if self.proxies is None else nn.ModuleList([self.model, self.proxies])
        trained = [parameter for parameter in everything.parameters() if parameter.requires_grad]
        share = self.model.encoder.lr_share
        slow = set() if share == 1 else set(self.model.encoder.parameters())
        rate = self.settings.lr * _share_of_rate(self.model)
        groups: list[dict[str, Any]] = [{"params": [each for each in trained if each not in slow], "lr": rate}]
        if slow:
            groups.append({"params": [each for each in trained if each in slow], "lr": share * rate})
        return groups

    def on_train_batch_end(self, *_: Any) -> None:
        self.soft.step()

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Save the schedules here; lightning would step that of the plateau only after the checkpoint of the epoch."""
        checkpoint["soft"] = self.soft.state_dict()
        if self.plateau is not None:
            checkpoint["plateau"] = self.plateau.state_dict()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        self.soft.load_state_dict(checkpoint["soft"])
        self.plateau_state = checkpoint.get("plateau")

    def on_fit_start(self) -> None:
        if self.plateau is not None and self.plateau_state is not None:
            self.plateau.load_state_dict(self.plateau_state)


def _share_of_rate(model: Model) -> float:
    """Return the share of the learning rate that suits the space.

    A step of Adam moves a raw number by the rate for each of the features it is made of. Spaces that normalise forgive
    that; on torusC raw numbers have a period, and steps beyond it lead nowhere.
    """
    return min(1.0, MOST_FEATURES / model.encoder.features) if model.space_name == TorusC.name else 1.0


def _proxies(model: Model, settings: Settings) -> ProxyLoss | None:
    """Return a proxy for each class, unless they are turned off or the loss is one that sees no labels."""
    if not settings.proxies or settings.loss in UNSUPERVISED or len(model.classes) < 2:
        return None
    return ProxyLoss(len(model.classes), model.dim, Project(model.space_name, model.project.soft), settings.temperature)


def _optimiser(groups: list[dict[str, Any]], settings: Settings) -> Optimizer:
    lr, decay = settings.lr, settings.weight_decay
    if settings.optimiser == "sgd":
        return SGD(groups, lr, momentum=0.9, weight_decay=decay)
    return {"adam": Adam, "adamw": AdamW}[settings.optimiser](groups, lr, weight_decay=decay)


def _in_order(points: Tensor, inputs: int) -> Tensor:
    """Return the rows of all processes, given one process after the other, in the order of the inputs."""
    return points.view(world_size(), -1, points.shape[-1]).transpose(0, 1).flatten(0, 1)[:inputs]
