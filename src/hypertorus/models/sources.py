"""Turns anything that a model can embed (data sets, parts, paths, arrays) into pieces that are embedded in batches."""

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
from hypertorus.datasets.texts import Texts
from hypertorus.datasets.unlabelled import read_unlabelled
from hypertorus.files.progress import Progress
from hypertorus.models.encoders.protocol import Shape
from hypertorus.models.inputs import count
from hypertorus.sound.ear import Ear


@dataclass(frozen=True)
class Inputs:
    """The parts of a data set, or a single piece of any kind.

    Parts are embedded one by one, as in the test of a training run, so that the same batches give the same numbers; the
    result is sorted into the order of the source.
    """

    pieces: tuple[Any, ...]
    part_names: tuple[str, ...] | None = None

    def map(
        self, run: Callable[[Any, Progress | None], npt.NDArray[Any]], progress: Progress | None
    ) -> npt.NDArray[Any]:
        """Return the rows that `run` computes from all pieces, in the order of the source."""
        total, rows, done = sum(map(count, self.pieces)), [], 0
        for piece in self.pieces:

            def report(ready: int, _: int, before: int = done) -> None:
                if progress:
                    progress(before + ready, total)

            rows.append(run(piece, report))
            done += len(piece)
        whole = np.concatenate(rows) if len(rows) > 1 else rows[0]
        order = self._order()
        return whole if order is None else whole[order]

    def columns(self) -> dict[str, Any]:
        """Return the columns of the inputs (labels, groups, names and so on) as arguments of `Embeddings`."""
        if not all(isinstance(piece, Part) for piece in self.pieces):
            return {}
        columns = [piece.columns for piece in self.pieces]
        labels = np.concatenate([each.labels.numpy() for each in columns])
        facts: dict[str, Any] = {
            "labels": labels if (labels >= 0).any() and self.pieces[0].classes else None,
            "groups": _concatenate([each.groups for each in columns]),
            "names": _concatenate([each.names for each in columns]),
            "starts": _concatenate([each.starts for each in columns]),
            "parts": self.part_names and np.repeat(self.part_names, [len(piece) for piece in self.pieces]),
        }
        order = self._order()
        if order is not None:
            facts = {name: None if column is None else column[order] for name, column in facts.items()}
        return {**facts, "classes": self.pieces[0].classes if facts["labels"] is not None else ()}

    def _order(self) -> npt.NDArray[np.int64] | None:
        """Return the permutation that sorts rows into the order of the source, or None if they keep their order."""
        if len(self.pieces) == 1:
            return None
        places = _concatenate([piece.columns.places if isinstance(piece, Part) else None for piece in self.pieces])
        return None if places is None else np.argsort(places, kind="stable")


def inputs_for(x: Any, shape: Shape, sound: Ear | None, training: Mapping[str, Any], *, texts: bool = False) -> Inputs:
    """Return data sets, parts, arrays and tensors unchanged; paths are read with the shape and ear of the model.

    A list of strings is one of paths, or of texts for a model of `texts`, which takes nothing but texts.
    """
    if texts and isinstance(x, Sequence) and not isinstance(x, str):
        x = Texts.of(x)
    elif isinstance(x, str | os.PathLike):
        x = read_any(os.fspath(x), **reading_options(os.fspath(x), shape, sound, training))
    elif isinstance(x, Sequence) and x and all(isinstance(path, str | os.PathLike) for path in x):
        x = read_unlabelled(x, **_input_options(shape, sound))
    if texts and not _are_texts(x):
        raise TypeError(
            "this model takes texts; pass a list of them, or a .txt, .csv, .tsv or .jsonl with a column text."
        )
    if isinstance(x, Data):
        return Inputs((x.train, x.test), ("train", "test"))
    return Inputs((x,))


def _are_texts(x: Any) -> bool:
    return (x.train if isinstance(x, Data) else x).texts if isinstance(x, Data | Part) else False


def reading_options(source: str, shape: Shape, sound: Ear | None, training: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with which `read_data` reads inputs for a model, and splits them as in its training.

    Sounds are read with the model's ear, and images of folders are resized to its input size. Data sets by name need no
    options.
    """
    options = _input_options(shape, sound) if sound is not None or _holds_files(source) else {}
    if training.get("group") is not None:
        options["group"] = training["group"]
    return options


def _input_options(shape: Shape, sound: Ear | None) -> dict[str, Any]:
    return {"size": shape[-1]} if sound is None else {"sound": sound.as_dict()}


def _holds_files(source: str) -> bool:
    from hypertorus.datasets.read import NAMES

    return source not in NAMES and (Path(source).is_dir() or source.startswith("hf:"))


def _concatenate(columns: list[Any]) -> npt.NDArray[Any] | None:
    if any(column is None for column in columns):
        return None
    return np.concatenate([np.asarray(column) for column in columns])
