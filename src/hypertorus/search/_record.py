"""The door through which `Embeddings` enter an index: of a torus, of enough bits and coordinates, of the same model.

A record of the index's own model may have more bits and more coordinates than the index: an index that was narrowed has
the first of them, and so has the record once it is cut alike.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hypertorus.codes.narrow import narrow
from hypertorus.embeddings import Embeddings
from hypertorus.spaces import Torus


class _Index(Protocol):
    @property
    def dim(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def model(self) -> str | None: ...


def coordinates_of(record: Embeddings) -> int:
    """The coordinates that an index of these embeddings has."""
    torus = record.home
    if not isinstance(torus, Torus):
        raise ValueError(  # noqa: TRY004
            f"these embeddings live on the {record.space}, whose codes do not wrap around; an index needs a torus: "
            "train with --space torusN or torusC, or make codes of them with: hypertorus fit-codes"
        )
    return torus.flat_dim


def vectors_for(record: Embeddings, what: str, index: _Index) -> npt.NDArray[Any]:
    """Codes [n, dim] of the index's bits, once it is clear that they can be compared with those in the index."""
    _check(record, what, index)
    return narrow(record.codes(index.bits), index.dim, of_bits=index.bits)


def queries_for(record: Embeddings, index: _Index) -> npt.NDArray[Any]:
    """What to search an index for: codes of a record of codes, and turns, which need not be rounded, of any other."""
    if record.kind == "codes" or index.bits == 8:
        return vectors_for(record, "queries", index)
    _check(record, "queries", index)
    return record.turns()[:, : index.dim]


def _check(record: Embeddings, what: str, index: _Index) -> None:
    torus = record.home
    if not isinstance(torus, Torus):
        raise ValueError(  # noqa: TRY004
            f"{what} live on the {record.space}, whose codes do not wrap around; train with --space torusN or torusC."
        )
    if index.model is not None and record.model is not None and index.model != record.model:
        raise ValueError(
            f"{what} are of the model {record.model}, and the index is of the model {index.model}; embed them by it."
        )
    if torus.flat_dim < index.dim:
        raise ValueError(
            f"{what} have {torus.flat_dim} coordinates, and the index has {index.dim}; use one model for both."
        )
    if torus.flat_dim > index.dim and (record.model is None or index.model is None):
        raise ValueError(
            f"{what} have {torus.flat_dim} coordinates, and the index has {index.dim}; use one model for both, or, if "
            f"the index was narrowed, narrow them, too: embeddings.narrowed(coordinates={index.dim})."
        )
    if record.kind == "codes" and int(record.bits or 8) < index.bits:
        raise ValueError(
            f"{what} are codes of {record.bits} bits, and the index has {index.bits}; encode them with as many."
        )


def class_labels(record: Embeddings) -> npt.NDArray[np.str_] | None:
    """The name of each row's class, where any is known."""
    return None if record.labels is None or not (record.labels >= 0).any() else record.label_names


def row_names(record: Embeddings) -> npt.NDArray[np.str_] | None:
    """The name of each row; a window of a recording has its first second behind it, as in `owl.wav#t=3`."""
    if record.names is None or record.starts is None:
        return record.names
    pairs = zip(record.names.tolist(), record.starts.tolist(), strict=True)
    return np.array([f"{name}#t={start:.6g}" for name, start in pairs], np.str_)
