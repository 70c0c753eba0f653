"""Training by one call: data and settings to a model."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hypertorus.datasets import Data, read_data
from hypertorus.models.model import Model, load
from hypertorus.training.ears import encoder_for, kind_of_ear
from hypertorus.training.folder import RunFolder
from hypertorus.training.hardware import Hardware
from hypertorus.training.parts import are_vectors
from hypertorus.training.run import description, run_training
from hypertorus.training.settings import Settings


def train(
    data: Data | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    hardware: Hardware | None = None,
    restart: bool = False,
    show: bool = True,
    **settings: Any,
) -> Model:
    """Train a model on data, save it in the folder `out`, and return it.

    `settings` are the fields of `Settings`: `space`, `dim`, `encoder`, `epochs` and so on. What is not given has its
    default, or what comes with the encoder or with ready-made vectors. Sounds are read by the ear that the encoder
    needs, and a folder of words is trained with `keyword` if no encoder is chosen. The same call resumes a run that was
    stopped, and returns the model of one that has finished. `restart` trains it again. `show` turns progress on. In a
    run over several processes, call it in each of them.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = train("digits", f"{folder}/model", space="torusN", dim=8, encoder="mlp:16", epochs=1, show=False)
    >>> model.embed("digits").shape
    (1797, 8)
    """
    if not isinstance(data, Data) and "encoder" not in settings and (name := encoder_for(os.fspath(data))) != "auto":
        settings["encoder"] = name
    folder = Path(out)
    data_set = data if isinstance(data, Data) else _read(os.fspath(data), Settings.chosen(**settings))
    chosen = Settings.chosen(vectors=are_vectors(data_set), **settings)
    if restart or not _is_finished(RunFolder(folder), description(data_set, chosen)):
        run_training(data_set, chosen, folder, hardware=hardware, restart=restart, show=show)
    return load(folder)


def _read(source: str, settings: Settings) -> Data:
    kind = kind_of_ear(settings.encoder, source)
    return read_data(source, sound=None if kind is None else {"kind": kind})


def _is_finished(folder: RunFolder, wanted: dict[str, Any]) -> bool:
    """Whether a run with this description has already saved its model there."""
    if not folder.results.exists():
        return False
    return bool(folder.described() == json.loads(json.dumps(wanted)))
