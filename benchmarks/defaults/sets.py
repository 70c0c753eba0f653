"""The data sets on which the defaults are chosen and reported, most of them cut to a few hundred inputs.

Their files are in one folder: `cifar-10-batches-bin` of the official archive, `fashion-mnist` with the four official
files (Debian's package dataset-fashion-mnist has them in /usr/share/datasets), the folders of sounds `birds6` (six
species, one clip a recording) and `spoken-digits` (the Free Spoken Digit Dataset), and two files of ready-made vectors:
`packages_minilm.npz` (one-line descriptions of Debian packages by MiniLM, 36 sections) and `birds225_birdnet.npz`
(1,254 clips of 225 species by BirdNET).
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from hypertorus.datasets import Data, InMemory, read_data
from hypertorus.training.ears import encoder_for, kind_of_ear

MOST = 500
"""Inputs of each part of images and sounds, so few that one core measures all sets in less than an hour."""
HIDDEN = 0.25
"""Share of the training part that takes the place of the test part while settings are chosen."""

SETS: dict[str, Callable[[Path], Data]] = {
    "digits": lambda _: read_data("digits"),
    "cifar10": lambda folder: _cut(read_data("cifar10", folder=folder)),
    "fashion-mnist": lambda folder: _cut(_fashion_mnist(folder / "fashion-mnist")),
    "birds6": lambda folder: _cut(_sounds(folder / "birds6"), 300),
    "spoken-digits": lambda folder: _sounds(folder / "spoken-digits"),
    "packages_minilm": lambda folder: read_data(str(folder / "packages_minilm.npz")),
    "birds225_birdnet": lambda folder: read_data(str(folder / "birds225_birdnet.npz")),
}
VECTORS = ("packages_minilm", "birds225_birdnet")
"""The sets that are ready-made vectors of another network."""


def without_test(data: Data) -> Data:
    """Return the training part alone as a data set, with a share of it in place of the test part."""
    training, hidden = data.with_validation(HIDDEN)
    return replace(data, train=training, test=hidden)


def chosen_encoder(name: str, folder: Path) -> dict[str, str]:
    """Return the encoder that `hypertorus train` chooses by the kind of sounds, as a setting."""
    encoder = encoder_for(str(folder / name))
    return {} if encoder == "auto" else {"encoder": encoder}


def _sounds(folder: Path) -> Data:
    """Return a folder of sounds as `hypertorus train` reads it."""
    kind = kind_of_ear(encoder_for(str(folder)), str(folder))
    return read_data(str(folder), sound={"kind": kind} if kind else None)


def _cut(data: Data, most: int = MOST) -> Data:
    """Return so many inputs of each part at most, drawn at random."""
    dice = np.random.default_rng(0)
    train, test = (part.take(np.sort(dice.permutation(len(part))[:most])) for part in (data.train, data.test))
    return replace(data, train=train, test=test)


def _fashion_mnist(folder: Path) -> Data:
    """Return the data set without the checksums of its archives, which Debian has compressed anew."""
    parts = []
    for name in ("train", "t10k"):
        pixels, labels = (
            np.frombuffer(gzip.decompress((folder / f"{name}-{kind}-ubyte.gz").read_bytes()), np.uint8, offset=start)
            for kind, start in (("images-idx3", 16), ("labels-idx1", 8))
        )
        images = torch.from_numpy(pixels.reshape(-1, 1, 28, 28).copy())
        parts.append(InMemory(images, torch.from_numpy(labels.astype(np.int64))))
    return Data("fashion-mnist", parts[0], parts[1], tuple(map(str, range(10))))
