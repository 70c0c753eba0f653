"""Encoders by the names that users type, and by the configurations that model folders keep."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hypertorus.models.encoders.offline import offline

if TYPE_CHECKING:  # the command line shows the names, and torch takes a second to import
    from hypertorus.models.encoders.protocol import Encoder, Shape

_WRITTEN = {
    "small[:WIDTH]": "small.Small",
    "small-audio[:WIDTH]": "small_audio.SmallAudio",
    "keyword[:WIDTH]": "keyword.Keyword",
    "keyword-1d[:WIDTH]": "keyword_1d.Keyword1d",
    "bands": "bands.Bands",
    "mlp[:WIDTH]": "mlp.Mlp",
    "none": "flatten.Flatten",
    "root": "root.Root",
    "resnet18": "resnet.ResNet18",
    "resnet34": "resnet.ResNet34",
    "resnet50": "resnet.ResNet50",
    "cvt13": "cvt.Cvt13",
    "efficientnet-lite0": "efficientnet_lite.EfficientNetLite0",
    "transformers:PATH_OR_MODEL_TYPE": "hugging_face.Transformers",
    "sentence:PATH_OR_PACKAGE[,LAYERS]": "sentence.Sentence",
    "timm:NAME[,pretrained]": "timm_model.Timm",
}
"""Module and class of each kind of encoder, imported when it is used, because its library may not be installed."""

_FAMILIES = {re.split(r"\[|:", written)[0]: place for written, place in _WRITTEN.items()}
BIRDNET = {"birdnet": "none", "birdnet:root": "root"}
"""Encoders on the embeddings of BirdNET: as they are, or their square roots."""
NAMES = ", ".join(("auto", *_WRITTEN, *BIRDNET))


def encoder(name: str, shape: Shape) -> Encoder:
    """Return the encoder of this name for inputs of shape (channels, height, width), or (numbers,) for vectors.

    `auto` is `small` for images of 16 x 16 pixels or more, and `mlp` for smaller ones and for vectors. `birdnet` is
    `none` on the embeddings of BirdNET, which sounds are turned into when they are read, and `birdnet:root` is `root`.

    >>> encoder("small:8", (3, 32, 32)).features
    32
    >>> encoder("auto", (100,)).config()
    {'kind': 'mlp', 'numbers': 100, 'width': 256}
    """
    if len(shape) not in (1, 3) or min(shape) < 1:
        raise ValueError(
            f"inputs have shape {shape}; pass (channels, height, width) of images or (numbers,) of vectors."
        )
    if name == "auto":
        from hypertorus.models.encoders.protocol import FEW_PIXELS

        name = "small" if len(shape) == 3 and min(shape[1:]) >= FEW_PIXELS else "mlp"
    if name in BIRDNET:
        _check_birdnet(shape)
        name = BIRDNET[name]
    kind, _, option = name.partition(":")
    return _family(kind).named(option, shape)


def encoder_from_config(config: dict[str, Any]) -> Encoder:
    """Return the network with this `config()` and fresh weights; nothing is read, downloaded or executed for it.

    >>> encoder_from_config({"kind": "mlp", "numbers": 64, "width": 32}).features
    32
    """
    arguments = dict(config)
    family = _family(arguments.pop("kind", None))
    try:
        with offline():
            return family(**arguments)
    except (AttributeError, KeyError, RuntimeError, TypeError, OverflowError) as error:
        reason = (str(error).splitlines() or [""])[0]
        raise ValueError(f"config {config!r} does not fit its kind of encoder: {reason}") from error


def _check_birdnet(shape: Shape) -> None:
    from hypertorus.sound.birdnet import BirdNet

    if shape != BirdNet.shape:
        raise ValueError(
            f"inputs have shape {shape}, and encoder 'birdnet' takes sounds that were read with "
            "sound={'kind': 'birdnet'}, or vectors of 1,024 numbers that BirdNET made."
        )


def _family(kind: Any) -> type[Encoder]:
    if not isinstance(kind, str) or kind not in _FAMILIES:
        raise ValueError(f"encoder is {kind!r}; there are {NAMES}.")
    file, name = _FAMILIES[kind].split(".")
    return getattr(import_module(f"hypertorus.models.encoders.{file}"), name)
