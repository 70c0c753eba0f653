"""The settings of a training run: the one place where each has its default, its help sentence and its choices.

The command line makes an option of each field, so this file imports neither torch nor lightning, nor numpy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self, TypeVar

from hypertorus.models.encoders.by_name import NAMES as ENCODERS
from hypertorus.models.head_names import HEADS

SPACES = ("sphere", "torusN", "torusC")
"""The names in `hypertorus.spaces.SPACES`, which needs numpy."""
EARS = ("spectrogram", "keyword", "birdnet", "chip", "resonators")
"""The kinds in `hypertorus.sound.ear`, which needs torch."""
STARTS = ("random", "pca", "teacher")
LOSSES = ("supcon", "simclr", "protoclr", "triplet", "neighbours")
OPTIMISERS = ("adam", "adamw", "sgd")
SCHEDULES = ("cosine", "one-cycle", "plateau", "constant")
CLIPPINGS = ("value", "norm")
VIEWS = ("mix", "swap", "warp", "shift", "equaliser", "noise", "roll", "stripes")
"""The names in `hypertorus.losses.sound_views.PIECES`, which needs torch."""
NAMED_VIEWS = {"published": "mix,roll,stripes", "words": "mix,warp,shift,equaliser,noise", "none": ""}
PRECISIONS = ("auto", "32-true", "16-mixed", "bf16-mixed")

TRAINING, HARDWARE = "Training", "Hardware"
"""Panels of `hypertorus train --help`."""

_FOR_WORDS = {
    "dim": 32,
    "head": "linear",
    "loss": "protoclr",
    "epochs": 40,
    "batch": 128,
    "lr": 4e-3,
    "optimiser": "adamw",
    "weight_decay": 1e-3,
    "schedule": "one-cycle",
    "validation": 0.0,
    "views": "words",
}
RECIPES: dict[str, dict[str, Any]] = {"keyword": _FOR_WORDS, "keyword-1d": _FOR_WORDS}
"""Settings that come with an encoder, unless others are given."""

FOR_VECTORS: dict[str, Any] = {
    "encoder": "none",
    "dim": 256,
    "head": "linear",
    "start": "pca",
    "lr": 1e-4,
    "noise": 0.5,
    "validation": 0.0,
}
"""Settings that come with ready-made vectors: a linear head that begins at their principal components and moves slowly,
since what a large network knows is soon lost to a few examples, of which none is spared for validation.
`python -m benchmarks.defaults` measures it."""
HEADS_ALONE = ("auto", "none", "root", "birdnet", "birdnet:root")
"""Encoders that leave vectors to the head."""

BY_OTHERS: Any = None
"""A default that other settings decide."""

T = TypeVar("T")


def setting(
    default: T, sentence: str, panel: str | None = None, *, choices: Iterable[str] = (), shown: str | bool = True
) -> T:
    """Return a dataclass field with its help; `{choices}` in the sentence becomes the list of choices.

    `shown` is the default as the help shows it, if the value itself says too little.
    """
    choices = tuple(choices)
    listed = " or ".join(filter(None, (", ".join(choices[:-1]), *choices[-1:])))
    metadata = {"help": sentence.format(choices=listed), "panel": panel, "choices": choices, "shown": shown}
    made: Any = field(default=default, metadata=metadata)
    return made


def recipe(given: Mapping[str, Any], *, vectors: bool) -> dict[str, Any]:
    """Return the settings that come with the encoder, or with inputs that are vectors, by name."""
    encoder = given.get("encoder", "auto")
    if not vectors or encoder not in HEADS_ALONE:
        return RECIPES.get(encoder.partition(":")[0], {})
    own = FOR_VECTORS if encoder == "auto" else {**FOR_VECTORS, "encoder": encoder}
    return own if all(given.get(name, own[name]) == own[name] for name in ("head", "start")) else {}


@dataclass(frozen=True)
class Settings:
    """Everything that decides the result of a training run.

    >>> Settings(space="torusN", dim=16).koleo
    0.001
    >>> Settings(space="torusN", dim=15)
    Traceback (most recent call last):
    ...
    ValueError: dim is 15, which is odd; torusN takes numbers in pairs, so make it even.
    """

    space: str = setting("torusN", "Space of the embeddings: {choices}.", choices=SPACES)
    dim: int = setting(64, "Number of raw numbers in an embedding.")
    encoder: str = setting(
        "auto",
        f"Encoder: {ENCODERS}. BirdNET takes sounds and is not licensed for commercial use; keyword and keyword-1d, "
        "for words, bring settings of their own.",
    )
    frozen: bool = setting(default=False, sentence="Train only the head, on encoder features that are computed once.")
    head: str = setting(
        "two-layer", "Head between encoder and space: {choices}; the paper's is two-layer.", choices=HEADS
    )
    start: str = setting(
        "random",
        "Initial weights of the head: {choices}; pca, the principal components of the features, and teacher, a "
        "regression onto those of the teacher's vectors, are for a linear head.",
        choices=STARTS,
    )
    soft: float = setting(
        1.0,
        "Softness of torusN at the start of training; it falls to 0 over 70% of the steps. 0 trains as published.",
        TRAINING,
    )
    loss: str = setting(
        "supcon",
        "Contrastive loss: {choices}, which keeps the nearest neighbours of the inputs by cosine, without labels.",
        TRAINING,
        choices=LOSSES,
    )
    teacher: str = setting(
        "",
        "File of vectors of the inputs by another network, with their names; the loss neighbours keeps the neighbours "
        "of these.",
        TRAINING,
        shown="the inputs themselves",
    )
    proxies: float = setting(
        0.0, "Weight of the class proxies, learnt points that are dropped after training; 0 turns them off.", TRAINING
    )
    nested: bool = setting(
        default=False,
        sentence="Train the first 8, 16, 32, ... coordinates as embeddings of their own, so that codes can be cut.",
        panel=TRAINING,
    )
    temperature: float = setting(
        BY_OTHERS,
        "Temperature of the contrastive loss.",
        TRAINING,
        shown="0.1, or 0.15 for supcon on torusN with soft training",
    )
    koleo: float = setting(0.001, "Weight of the KoLeo regulariser.", TRAINING)
    epochs: int = setting(50, "Maximum number of epochs.", TRAINING)
    batch: int = setting(200, "Batch size, over all devices.", TRAINING)
    lr: float = setting(3e-3, "Initial learning rate.", TRAINING)
    optimiser: str = setting("adam", "Optimiser: {choices}.", TRAINING, choices=OPTIMISERS)
    weight_decay: float = setting(0.0, "Weight decay of the optimiser.", TRAINING)
    schedule: str = setting("cosine", "Schedule of the learning rate: {choices}.", TRAINING, choices=SCHEDULES)
    validation: float | None = setting(
        None,
        "Share of the training inputs that validates each epoch; 0 trains on all of them and keeps the last epoch.",
        TRAINING,
        shown="0.2, or 0.1 of 5,000 and more",
    )
    patience: int = setting(20, "Stop after this many epochs without a better validation precision.", TRAINING)
    clip: float = setting(100.0, "Gradient clipping threshold.", TRAINING)
    clip_by: str = setting("value", "Clip gradients by {choices}.", TRAINING, choices=CLIPPINGS)
    ema: float = setting(0.0, "Decay of the moving average of the weights; 0 turns it off.", TRAINING)
    average_best: int = setting(1, "Number of best epochs whose weights are averaged.", TRAINING)
    crop: float = setting(0.7, "Smallest share of an image's area that a random crop keeps.", TRAINING)
    noise: float = setting(0.1, "Noise added to vectors, in standard deviations.", TRAINING)
    views: str = setting(
        "published",
        f"Views of spectrograms: {', '.join(NAMED_VIEWS)}, or some of {','.join(VIEWS)}, applied in order.",
        TRAINING,
    )
    synthetic_words: bool = setting(
        default=False,
        sentence="Train on reversed and spliced sounds, too, as further classes, to learn new words from few examples.",
        panel=TRAINING,
    )
    seed: int = setting(0, "Random seed; the same seed gives the same model.", TRAINING)
    precision: str = setting("auto", "Floating-point precision: {choices}.", HARDWARE, choices=PRECISIONS)

    def __post_init__(self) -> None:
        from hypertorus.spaces import space

        self._check_choices()
        if self.temperature is None:
            object.__setattr__(self, "temperature", self._usual_temperature())
        space(self.space, self.dim)
        for name in ("dim", "epochs", "patience", "average_best"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        if self.batch < 2:
            raise ValueError(f"batch is {self.batch}; a contrastive loss needs at least 2 inputs to compare.")
        for name in ("temperature", "lr", "clip", "crop"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be above 0.")
        for name in ("koleo", "proxies", "weight_decay", "noise"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be 0 or more.")
        self._check_shares()

    @classmethod
    def chosen(cls, *, vectors: bool = False, **given: Any) -> Self:
        """Return these settings, with those that come with the encoder or with ready-made vectors in place of defaults.

        Vectors bring a linear head and its start; whoever gives another head, start or encoder gets the usual defaults.

        >>> Settings.chosen(encoder="keyword:64", dim=64).schedule
        'one-cycle'
        >>> Settings.chosen(vectors=True).start
        'pca'
        """
        return cls(**{**recipe(given, vectors=vectors), **given})

    @property
    def view_names(self) -> tuple[str, ...]:
        """The names of the views of spectrograms."""
        return tuple(name for name in NAMED_VIEWS.get(self.views, self.views).split(",") if name)

    def _usual_temperature(self) -> float:
        """Return the published 0.1, or 0.15 where each embedding is compared with single others on soft torusN.

        There, a higher one spreads the angles: codes of few bits keep more, and the sphere gains nothing by it.
        """
        return 0.15 if self.space == "torusN" and self.soft > 0 and self.loss == "supcon" else 0.1

    def _check_shares(self) -> None:
        if self.validation is not None and not 0 <= self.validation < 1:
            raise ValueError(
                f"validation is {self.validation}; it is a share of the training inputs, from 0 to below 1."
            )
        if not 0 <= self.soft <= 1:
            raise ValueError(f"soft is {self.soft}; it must be from 0, the projection as published, to 1.")
        if not 0 <= self.ema < 1:
            raise ValueError(f"ema is {self.ema}; it is the share of the average that a step keeps, from 0 to below 1.")
        if self.crop > 1:
            raise ValueError(f"crop is {self.crop}; it is a share of the area, so choose at most 1.")

    def _check_choices(self) -> None:
        for each in fields(self):
            value, choices = getattr(self, each.name), each.metadata["choices"]
            if choices and value not in choices:
                raise ValueError(f"{each.name} is {value!r}; choose one of {', '.join(choices)}.")
        for name in self.view_names:
            if name not in VIEWS:
                raise ValueError(f"views has {name!r}; choose {', '.join(NAMED_VIEWS)}, or some of {', '.join(VIEWS)}.")
        if self.synthetic_words and self.proxies:
            raise ValueError(f"proxies is {self.proxies}, but synthetic words have none; leave out one of the two.")
        if self.teacher and (self.loss != "neighbours" or self.synthetic_words):
            raise ValueError(
                f"teacher is {self.teacher!r}, and the loss is {self.loss!r}; choose the loss neighbours, without "
                "synthetic words."
            )
        if self.start != "random" and self.head != "linear":
            raise ValueError(
                f"start is {self.start!r}, which is for a linear head, but head is {self.head!r}; make it linear."
            )
        if self.start == "teacher" and not self.teacher:
            raise ValueError(
                "start is 'teacher', and there is no teacher; pass a file of vectors of the inputs as teacher."
            )

    def as_dict(self) -> dict[str, Any]:
        """Return the settings by name, ready for JSON."""
        return asdict(self)
