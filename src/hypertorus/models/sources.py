"""Whatever a model is given, as pieces that it can run over: data sets, parts, paths, arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.datasets import Data, Part
from hypertorus.datasets.read import read_any
from hypertorus.datasets.unlabelled import read_unlabelled
from hypertorus.files.progress import Progress
from hypertorus.models.encoders.protocol import Shape
from hypertorus.models.inputs import count
from hypertorus.sound.ear import Ear


@dataclass(frozen=True)
class Inputs:
    """Parts of a data set one after the other, or a single piece of any kind.

    Parts are run over one by one, as training tests them, so that the same batches give the same numbers; what comes
    out is put in the order of the source.
    """

    pieces: tuple[Any, ...]
    part_names: tuple[str, ...] | None = None

    def map(
        self, run: Callable[[Any, Progress | None], npt.NDArray[Any]], progress: Progress | None
    ) -> npt.NDArray[Any]:
        """The rows that `run` makes of each piece, all together."""
        total, rows, done = sum(map(count, self.pieces)), [], 0
        for piece in self.pieces:

            def tell(ready: int, _: int, before: int = done) -> None:
                if progress:
                    progress(before + ready, total)

            rows.append(run(piece, tell))
            done += len(piece)
        whole = np.concatenate(rows) if len(rows) > 1 else rows[0]
        order = self._order()
        return whole if order is None else whole[order]

    def columns(self) -> dict[str, Any]:
        """What is known of each row, as `Embeddings` take it."""
        if not all(isinstance(piece, Part) for piece in self.pieces):
            return {}
        columns = [piece.columns for piece in self.pieces]
        labels = np.concatenate([each.labels.numpy() for each in columns])
        facts: dict[str, Any] = {
            "labels": labels if (labels >= 0).any() and self.pieces[0].classes else None,
            "groups": _joined([each.groups for each in columns]),
            "names": _joined([each.names for each in columns]),
            "starts": _joined([each.starts for each in columns]),
            "parts": self.part_names and np.repeat(self.part_names, [len(piece) for piece in self.pieces]),
        }
        order = self._order()
        if order is not None:
            facts = {name: None if column is None else column[order] for name, column in facts.items()}
        return {**facts, "classes": self.pieces[0].classes if facts["labels"] is not None else ()}

    def _order(self) -> npt.NDArray[np.int64] | None:
        """The rows in the order of the source, where that is known to be another."""
        if len(self.pieces) == 1:
            return None
        places = _joined([piece.columns.places if isinstance(piece, Part) else None for piece in self.pieces])
        return None if places is None else np.argsort(places, kind="stable")


def inputs_for(x: Any, shape: Shape, sound: Ear | None, training: Mapping[str, Any]) -> Inputs:
    """Data sets, parts, arrays and tensors as they are; what lies at paths is read as this model takes it."""
    if isinstance(x, str | os.PathLike):
        x = read_any(os.fspath(x), **reading_options(os.fspath(x), shape, sound, training))
    elif isinstance(x, Sequence) and x and all(isinstance(path, str | os.PathLike) for path in x):
        x = read_unlabelled(x, **_fitted(shape, sound))
    if isinstance(x, Data):
        return Inputs((x.train, x.test), ("train", "test"))
    return Inputs((x,))


def reading_options(source: str, shape: Shape, sound: Ear | None, training: Mapping[str, Any]) -> dict[str, Any]:
    """What to tell `read_data` so that it reads a source as a model takes it, and splits it as its training did.

    Sounds are heard by the model's ear, images in folders become squares of its size. Data sets by name are as they
    are.
    """
    options = _fitted(shape, sound) if sound is not None or _holds_files(source) else {}
    if training.get("group") is not None:
        options["group"] = training["group"]
    return options


def _fitted(shape: Shape, sound: Ear | None) -> dict[str, Any]:
    return {"size": shape[-1]} if sound is None else {"sound": sound.as_dict()}


def _holds_files(source: str) -> bool:
    from hypertorus.datasets.read import NAMES

    return source not in NAMES and (Path(source).is_dir() or source.startswith("hf:"))


def _joined(columns: list[Any]) -> npt.NDArray[Any] | None:
    return None if any(column is None for column in columns) else np.concatenate([np.asarray(each) for each in columns])
