"""The vectors of another network for the inputs of a training part, found by the names of the inputs."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from hypertorus.datasets import Data, Part
from hypertorus.datasets.inputs import as_inputs
from hypertorus.embeddings.read import read_record
from hypertorus.embeddings.table import read_table


def taught(data: Data, source: str) -> Data:
    """Return the data, with a vector of the file `source` for each training input.

    The file is one of embeddings, or has the name of each vector, such as the path of a sound within its folder. Of
    several vectors of one name, those of the windows of a recording, the mean is taken. They are centred, so that
    cosines tell them apart.
    """
    record = read_record(Path(source))
    rows, theirs = _plain(source) if record is None else (record.points(), record.names)
    names = data.train.columns.names
    if theirs is None or names is None:
        raise ValueError(
            f"{source if theirs is None else data.name} has no names, and a teacher's vectors are found by the "
            "names of the inputs; pass a file with an array `path` or `names`, and a folder of sounds or images."
        )
    given = as_inputs(rows, source).flatten(1).double().numpy()
    known, own_rows = np.unique(theirs.astype(str), return_inverse=True)
    if missing := sorted(names[~np.isin(names, known)].tolist()):
        raise ValueError(
            f"{source} has no vector of {missing[0]} ({len(missing)} of {len(names)} training inputs); make it of the "
            "same files."
        )
    vectors = np.zeros((len(known), given.shape[1]))
    np.add.at(vectors, own_rows, given)
    vectors /= np.bincount(own_rows)[:, None]
    own = vectors[np.searchsorted(known, names)]
    return replace(data, train=_with(data.train, torch.from_numpy(own - own.mean(axis=0)).float()))


def _plain(source: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.str_] | None]:
    """Return the rows of plain arrays, and their names."""
    table = read_table(source)
    return np.asarray(table.rows[:]), table.names


def _with(part: Part, vectors: torch.Tensor) -> Part:
    other = copy.copy(part)
    other.columns = replace(part.columns, teacher=vectors)
    return other
