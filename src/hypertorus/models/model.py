"""The model: an encoder, a head and a space, which turn images, sounds, texts or vectors into points and codes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from hypertorus.codes import GridCodes
from hypertorus.codes.minmax import Range
from hypertorus.codes.narrow import check_coordinates
from hypertorus.embeddings import Embeddings
from hypertorus.embeddings.narrow import narrowed_rows
from hypertorus.files.progress import Progress
from hypertorus.models.card import write_card
from hypertorus.models.described import check_described
from hypertorus.models.encoders import Encoder, encoder_from_config
from hypertorus.models.encoders.protocol import Shape
from hypertorus.models.folder import open_folder, write_folder
from hypertorus.models.head import head_by_name
from hypertorus.models.hub import folder_of, push_folder
from hypertorus.models.inputs import batches, count
from hypertorus.models.project import Project
from hypertorus.models.sources import Inputs, inputs_for
from hypertorus.search import Index
from hypertorus.sound.ear import Ear, ear
from hypertorus.spaces import Space, Torus, space


class Model(nn.Module):
    """A network that embeds inputs of one shape in one space; call it to train it, and `embed` with it afterwards.

    Inputs are images (uint8, or floats in 0..1) of shape (channels, height, width), or vectors of shape (numbers,).
    They are normalised by `mean` and `std`, with one number per channel or feature; the default is that of the encoder,
    if it has one. A model of sounds has in `sound` the ear that turns them into inputs.

    >>> from hypertorus.models.encoders import encoder
    >>> model = Model(encoder("mlp:32", (1, 8, 8)), (1, 8, 8), dim=16, space="torusN")
    >>> images = np.random.default_rng(0).integers(256, size=(5, 8, 8), dtype=np.uint8)
    >>> model.embed(images).shape, model.encode(images).shape
    ((5, 16), (5, 8))
    >>> model.index(images)
    Index(dim=8, bits=8, metric='cosine') of 5 codes
    """

    mean: Tensor
    std: Tensor
    low: Tensor | None
    span: Tensor | None

    def __init__(
        self,
        encoder: Encoder,
        shape: Shape,
        dim: int,
        space: str,
        *,
        head: str = "two-layer",
        mean: Sequence[float] | None = None,
        std: Sequence[float] | None = None,
        classes: tuple[str, ...] = (),
        sound: Ear | None = None,
    ) -> None:
        super().__init__()
        self.encoder, self.shape, self.classes = encoder, tuple(shape), tuple(classes)
        self.head_name, self.head = head, head_by_name(head, encoder.features, dim, space)
        self.dim, self.space_name = dim, space
        if sound is not None and sound.shape != self.shape:
            raise ValueError(
                f"inputs have shape {self.shape}, but sounds become inputs of shape {sound.shape}; pass that shape."
            )
        self.sound = sound
        self.training_facts: dict[str, Any] = {}
        self.register_buffer("mean", _per_channel("mean", encoder.mean if mean is None else mean, self.shape, 0.0))
        deviation = _per_channel("std", encoder.std if std is None else std, self.shape, 1.0)
        # A constant feature has a deviation of 0, which must not be divided by.
        self.register_buffer("std", torch.where(deviation == 0, 1.0, deviation))
        self.register_buffer("low", None)
        self.register_buffer("span", None)

    @property
    def space(self) -> Space:
        """The space of the points of this model."""
        return space(self.space_name, self.dim)

    @property
    def nested(self) -> bool:
        """Whether the first 8, 16, 32, ... coordinates were trained as embeddings of their own."""
        return bool(self.training_facts.get("nested"))

    @property
    def project(self) -> Project:
        """The last layer; in training it is soft if its `soft` is set."""
        last = self.head[-1]
        assert isinstance(last, Project)
        return last

    def forward(self, inputs: Tensor) -> Tensor:
        """Return unit-norm points [n, ambient_dim of the space] of inputs [n, *shape]."""
        return self.head(self.features(inputs))

    def raw(self, inputs: Tensor) -> Tensor:
        """Return the raw numbers [n, dim] of inputs [n, *shape], before the projection."""
        numbers = self.features(inputs)
        for layer in list(self.head)[:-1]:
            numbers = layer(numbers)
        return numbers

    def embed(
        self, x: Any, *, coordinates: int | None = None, batch: int = 512, progress: Progress | None = None
    ) -> npt.NDArray[np.float32]:
        """Return unit-norm points [n, ambient_dim] of any inputs; the model runs in evaluation mode, on its device.

        `x` is a numpy array or a torch tensor: vectors [n, numbers], images [n, height, width, channels],
        [n, channels, height, width] or, with one channel, [n, height, width]; a data set or a part of one; the path of
        a file or folder; or a list of paths, which for a model of texts is a list of texts. A long recording has a row
        for each window. Rows are in the order of the source. `progress(done, n)` is called after each batch.
        `coordinates` keeps only the first of them, circles of a torus or numbers of a sphere, as unit-norm points
        again; a nested model is trained for that.
        """
        self._check_coordinates(coordinates)
        points = self._inputs(x).map(lambda inputs, report: self.rows(self.forward, inputs, batch, report), progress)
        return narrowed_rows(points, "points", self.space, coordinates)[0]

    def encode(
        self,
        x: Any,
        bits: int = 8,
        *,
        coordinates: int | None = None,
        batch: int = 512,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.uint8]:
        """Return codes of `bits` bits, one byte per coordinate: [n, flat_dim] on a torus, [n, dim] on the sphere.

        `x` is anything that `embed` takes. The grid of a torus is fixed; that of the sphere is fitted by `fit_codes`.
        `coordinates` keeps only the first of a torus: `encode(x, coordinates=32, bits=2)` is
        `encode(x)[:, :32] >> 6`.
        """
        grid = self.grid(bits)
        self._check_coordinates(coordinates)
        if coordinates is not None:  # before the work, not after it
            narrowed_rows(np.empty((0, grid.width), np.uint8), "codes", self.space, coordinates)
        codes = self._inputs(x).map(
            lambda inputs, report: grid.encode(self.rows(self.raw, inputs, batch, report)), progress
        )
        return np.ascontiguousarray(narrowed_rows(codes, "codes", self.space, coordinates)[0])

    def embeddings(
        self,
        x: Any,
        bits: int | None = None,
        *,
        coordinates: int | None = None,
        batch: int = 512,
        progress: Progress | None = None,
    ) -> Embeddings:
        """Return the points of `x` or, with `bits`, its codes, as a record with labels, parts, recordings and names.

        `evaluate(model.embeddings(data))` gives the numbers that training measured.
        """
        inputs = self._inputs(x)
        if bits is None:
            rows: npt.NDArray[Any] = self.embed(inputs, coordinates=coordinates, batch=batch, progress=progress)
        else:
            rows = self.encode(inputs, bits, coordinates=coordinates, batch=batch, progress=progress)
        return Embeddings(
            rows,
            "points" if bits is None else "codes",
            self.space_name,
            0 if coordinates is not None else self.dim,  # 0: by the width of the rows
            bits,
            None if bits is None else "cosine",
            model=self.fingerprint,
            **inputs.columns(),
        )

    def fit_codes(self, x: Any, *, batch: int = 512, progress: Progress | None = None) -> None:
        """Fit the grid of codes on the sphere to training inputs; it is saved with the model. A torus needs no fit."""
        if not isinstance(self.space, Torus):
            self.fit_range(self.rows(self.raw, x, batch, progress))

    def fit_range(self, raw: npt.NDArray[np.float32]) -> None:
        """Fit the same grid to raw numbers [n, dim]."""
        if not isinstance(self.space, Torus):
            fitted = GridCodes(self.space).fit(raw).fitted()
            self.low, self.span = (torch.from_numpy(numbers).to(self.mean.device) for numbers in fitted)

    def index(
        self,
        x: Any,
        labels: Any = None,
        *,
        ids: Any = None,
        names: Any = None,
        bits: int = 8,
        coordinates: int | None = None,
        metric: str = "cosine",
        batch: int = 512,
        progress: Progress | None = None,
    ) -> Index:
        """Return an index of the codes of `x`, anything that `embed` takes, with the labels and names of a data set.

        Search it with `encode(queries)` or with `embeddings(queries)`; the index checks that these are of this model.
        """
        torus = self.space
        if not isinstance(torus, Torus):
            sentence = (
                "this model lives on the sphere, whose codes do not wrap around; an index needs a torus, so train "
                "with space torusN or torusC."
            )
            raise ValueError(sentence)  # noqa: TRY004
        index = Index(check_coordinates(coordinates, torus.flat_dim), bits, metric, model=self.fingerprint)
        record = self.embeddings(x, bits, coordinates=coordinates, batch=batch, progress=progress)
        index.add(record, ids=ids, labels=labels, names=names)
        return index

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that identify the model in embeddings and indexes.

        It is a checksum of everything that decides the embedding of an input: a copy of the model has the same, and a
        model that was trained further has another.
        """
        checksum = hashlib.sha256()
        sound = None if self.sound is None else self.sound.as_dict()
        facts = [self.encoder.config(), list(self.shape), self.dim, self.space_name, self.head_name, sound]
        checksum.update(json.dumps(facts, sort_keys=True).encode())
        for name, tensor in sorted(self.state_dict().items()):
            if name not in ("low", "span"):  # the grid of a sphere's codes may be fitted later
                checksum.update(name.encode())
                whole = tensor.detach().cpu().contiguous()
                checksum.update((whole.float() if whole.is_floating_point() else whole).numpy().tobytes())
        return checksum.hexdigest()[:16]

    def _check_coordinates(self, coordinates: int | None) -> None:
        """Raise an error before any work if there are not that many."""
        home = self.space
        check_coordinates(coordinates, home.flat_dim if isinstance(home, Torus) else home.dim)

    def _inputs(self, x: Any) -> Inputs:
        return (
            x
            if isinstance(x, Inputs)
            else inputs_for(x, self.shape, self.sound, self.training_facts, texts=self.encoder.texts)
        )

    def save(self, folder: str | os.PathLike[str], training: dict[str, Any] | None = None) -> None:
        """Write `model.safetensors` and `config.json` into a folder; `training` describes how the model was trained.

        A model in the folder is replaced in one step: whoever loads it meanwhile, or after a crash, gets the old one or
        the new one.
        """
        self.training_facts = self.training_facts if training is None else training
        write_folder(Path(folder), self.config, self.state_dict())

    def push_to_hub(
        self,
        name: str,
        *,
        private: bool = False,
        token: str | None = None,
        message: str = "Upload a model of hypertorus",
    ) -> str:
        """Upload the model to the Hugging Face hub as `user/name`, with a card, and return the address of the commit.

        `ht.load("user/name")` fetches it. The card says what the model knows of its training. `token` is by default
        the one of `hf auth login` or HF_TOKEN.
        """
        with TemporaryDirectory() as folder:
            self.save(folder)
            write_card(Path(folder), self.config, name)
            return push_folder(Path(folder), name, private=private, token=token, message=message)

    @property
    def config(self) -> dict[str, Any]:
        """What `config.json` holds: everything but the weights."""
        return {
            "encoder": self.encoder.config(),
            "shape": list(self.shape),
            "dim": self.dim,
            "space": self.space_name,
            "head": self.head_name,
            "classes": list(self.classes),
            "sound": None if self.sound is None else self.sound.as_dict(),
            "training": self.training_facts,
        }

    def features(self, inputs: Tensor) -> Tensor:
        """Return the features that the encoder computes from inputs [n, *shape]."""
        scaled = inputs.to(self.mean.dtype)
        if inputs.dtype == torch.uint8 and len(self.shape) == 3:
            scaled = scaled / 255
        return self.encoder((scaled - self.mean) / self.std)

    @torch.inference_mode()
    def rows(
        self, network: Callable[[Tensor], Tensor], x: Any, batch: int = 512, progress: Progress | None = None
    ) -> npt.NDArray[np.float32]:
        """Return the outputs [n, width] of `self.forward`, `self.raw` or `self.features`, computed as `embed` does."""
        modes = [(module, module.training) for module in self.modules()]
        total, pieces, done = count(x), [], 0
        try:
            self.eval()
            for inputs in batches(x, self.shape, batch):
                pieces.append(network(inputs.to(self.mean.device)).float().cpu().numpy())
                done += len(inputs)
                if progress:
                    progress(done, total)
        finally:
            for module, training in modes:
                module.training = training
        rows = np.concatenate(pieces)
        if not np.isfinite(rows).all():
            raise ValueError("the model gave a NaN or an infinity; its weights are damaged, so train it again.")
        return rows

    def grid(self, bits: int = 8) -> GridCodes:
        """Return the quantiser that turns raw numbers of this model into codes."""
        grid = GridCodes(self.space, bits)
        if isinstance(self.space, Torus):
            return grid
        if self.low is None or self.span is None:
            raise ValueError("the codes of this sphere have no range yet; call fit_codes(training inputs), then save.")
        grid.range = Range(self.low.cpu().numpy(), self.span.cpu().numpy())
        return grid


def load(folder: str | os.PathLike[str], *, revision: str | None = None) -> Model:
    """Return the model that was saved in this folder, ready to embed; or that of the Hugging Face hub.

    A string like `user/name` that is no folder here is a model of the hub, which is fetched into its cache (extra
    `hub`); `revision` is a branch, tag or commit of it. A folder, and a `Path`, never reach the network.

    >>> import tempfile
    >>> from hypertorus.models.encoders import encoder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Model(encoder("none", (20,)), (20,), dim=16, space="torusN").save(folder)
    ...     load(folder).embed(np.ones((3, 20))).shape
    (3, 16)
    """
    folder = folder_of(folder, revision)
    files = open_folder(folder)
    config, sound = files.config, _sound(folder, files.config)
    check_described(folder, config, files.shapes())  # before memory is taken for the weights
    with torch.random.fork_rng(devices=[]):  # initial weights are replaced, so they leave the caller's seed alone
        model = Model(
            encoder_from_config(config["encoder"]),
            tuple(config["shape"]),
            config["dim"],
            config["space"],
            head=config["head"],
            classes=tuple(config["classes"]),
            sound=sound,
        )
    weights = files.weights()
    for name in {"low", "span"} & weights.keys():
        setattr(model, name, torch.empty(model.dim))
    model.load_state_dict(weights)
    model.training_facts = config["training"]
    return model.eval()


def _sound(folder: Any, config: dict[str, Any]) -> Ear | None:
    settings = config.get("sound")  # models from before there were sounds have none
    try:
        return None if settings is None else ear(settings)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{folder} has no valid 'sound' in its config.json ({error}); it was changed, so train the model again."
        ) from error


def _per_channel(what: str, numbers: Sequence[float] | None, shape: Shape, default: float) -> Tensor:
    """Return one number per channel or feature, in a shape that broadcasts with inputs [n, *shape]."""
    values = torch.full(shape[:1], default) if numbers is None else torch.as_tensor(numbers, dtype=torch.float32)
    if values.shape != shape[:1] or not values.isfinite().all() or (what == "std" and (values < 0).any()):
        raise ValueError(f"{what} is {numbers!r}; pass {shape[0]} finite numbers, one per channel or feature.")
    return values.reshape(-1, *[1] * (len(shape) - 1))
