"""Embeddings: rows of numbers with their kind and space, and the label, split, recording and name of each row."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.codes import GridCodes
from hypertorus.codes.narrow import check_fewer_bits
from hypertorus.codes.protocol import check_codes
from hypertorus.embeddings.narrow import narrowed_rows
from hypertorus.spaces import Space, Sphere, Torus, space

KINDS = ("raw", "points", "turns", "codes")
"""Kinds of rows: the raw output of a network, unit-norm points, angles in turns, or integer codes."""

COLUMNS = ("labels", "parts", "groups", "names", "starts")
"""Optional columns, with one value for each row."""


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Think of a table with a row for each input: its embedding, and its label, part, recording and name.

    Commands and functions pass it on whole, so that nothing has to be specified twice: the embeddings of a model are
    evaluated, searched, indexed and exported in the space of the model and with the split of its training.

    >>> record = Embeddings(np.array([[3.0, 4.0], [0.0, -2.0]]), "raw", "torusN", labels=[1, 0], classes=("jay", "owl"))
    >>> record
    Embeddings: 2 rows of raw numbers in torusN of 2 numbers, 2 classes
    >>> record.points().round(1).tolist(), record.codes().tolist(), record.label_names.tolist()
    ([[0.6, 0.8], [0.0, -1.0]], [[37], [192]], ['owl', 'jay'])
    """

    rows: npt.NDArray[Any]
    """The numbers, [n, width]."""
    kind: str
    """Kind of the numbers, one of `KINDS`."""
    space: str
    """Name of the space."""
    dim: int = 0
    """Number of raw numbers in an embedding of that space; 0 derives it from the width of the rows."""
    bits: int | None = None
    """Bits per coordinate of codes."""
    metric: str | None = None
    """Metric by which codes are compared."""
    labels: npt.NDArray[np.int64] | None = None
    """Number of each row's class; -1 if it is unknown."""
    classes: tuple[str, ...] = ()
    """Names of the classes."""
    parts: npt.NDArray[np.str_] | None = None
    """Part of the data set that each row belongs to: `train` or `test`."""
    groups: npt.NDArray[np.int64] | None = None
    """Number of each row's recording or other source; rows of one group are never split between parts."""
    names: npt.NDArray[np.str_] | None = None
    """Name of each input, such as its path."""
    starts: npt.NDArray[np.float64] | None = None
    """Start of each row within its recording, in seconds."""
    model: str | None = None
    """Fingerprint of the model that made the embeddings."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}; choose one of {', '.join(KINDS)}.")
        rows = np.asarray(self.rows)
        if rows.ndim != 2 or 0 in rows.shape:
            raise ValueError(f"rows have shape {rows.shape}; pass a matrix [rows, numbers] that is not empty.")
        if rows.dtype.kind not in ("iu" if self.kind == "codes" else "fiu"):
            raise TypeError(
                f"rows hold {rows.dtype}; {self.kind} are {'integers' if self.kind == 'codes' else 'numbers'}."
            )
        set_ = object.__setattr__
        set_(self, "rows", rows)
        set_(self, "dim", self.dim or _dim(self.space, self.kind, rows.shape[1]))
        if rows.shape[1] != self.width:
            raise ValueError(
                f"rows have {rows.shape[1]} numbers; {self.kind} of {self.space} with dim {self.dim} have {self.width}."
            )
        if self.kind == "codes":
            set_(self, "bits", 8 if self.bits is None else self.bits)
            set_(self, "rows", check_codes(rows, self.width, int(self.bits or 8)))
        elif self.bits is not None:
            raise ValueError(f"bits is {self.bits}, but {self.kind} have none; leave it out.")
        self._check_columns()

    def _check_columns(self) -> None:
        for name in COLUMNS:
            if (column := getattr(self, name)) is None:
                continue
            array = np.asarray(column, _DTYPES[name])
            if array.shape != (len(self),):
                raise ValueError(f"there are {len(self)} rows but {name} of shape {array.shape}; give each row one.")
            object.__setattr__(self, name, array)
        object.__setattr__(self, "classes", tuple(self.classes))
        if self.labels is not None and not -1 <= self.labels.min() <= self.labels.max() < len(self.classes):
            raise ValueError(
                f"labels lie in {self.labels.min()}..{self.labels.max()}; there are {len(self.classes)} classes, "
                "counted from 0, and -1 is unknown."
            )

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        bits = f" of {self.bits} bits" if self.kind == "codes" else ""
        kind = "raw numbers" if self.kind == "raw" else self.kind
        facts = [f"{_counted(len(self), 'row')} of {kind}{bits} in {self.space} of {self.dim} numbers"]
        if self.labels is not None:
            facts.append(_counted(len(self.classes), "class"))
        if self.parts is not None:
            names, counts = np.unique(self.parts, return_counts=True)
            facts += [f"{count:,} to {name}" for name, count in sorted(zip(names, counts, strict=True), reverse=True)]
        if self.groups is not None:
            facts.append(_counted(len(np.unique(self.groups)), "recording"))
        return f"Embeddings: {', '.join(facts)}"

    @property
    def home(self) -> Space:
        """The space of the rows, as an object."""
        return space(self.space, self.dim)

    @property
    def width(self) -> int:
        """Number of numbers in a row of this kind."""
        return _width(self.home, self.kind)

    @property
    def label_names(self) -> npt.NDArray[np.str_]:
        """Name of each row's class."""
        if self.labels is None:
            raise ValueError("these embeddings have no labels; embed data that have some.")
        return np.array([*self.classes, "unknown"])[self.labels]

    def raw(self) -> npt.NDArray[Any]:
        """Return raw numbers [n, dim] that the space projects to these points, if need be other than the network's."""
        home = self.home
        if self.kind == "raw" or (self.kind == "points" and self.space != "torusC"):
            return self.rows
        if not isinstance(home, Torus):
            raise ValueError("codes of the sphere are steps of a fitted grid; embed the data again for its points.")  # noqa: TRY004
        return self.turns() if self.space == "torusC" else home.point(self.turns())

    def points(self) -> npt.NDArray[Any]:
        """Return unit-norm points [n, ambient_dim]; a code becomes the middle of its arc."""
        return self.rows if self.kind == "points" else self.home.project(self.raw())

    def turns(self) -> npt.NDArray[Any]:
        """Return the angles [n, flat_dim] on a torus, in turns; a code becomes the middle of its arc."""
        torus = self._torus()
        if self.kind == "turns":
            return self.rows
        if self.kind == "codes":
            return (self.rows + np.float32(0.5)) / np.float32(2 ** int(self.bits or 8))
        return torus.turns_of_point(self.rows) if self.kind == "points" else torus.turns(self.rows)

    def codes(self, bits: int | None = None) -> npt.NDArray[np.uint8]:
        """Return integer codes [n, flat_dim] of a torus with this many bits; the default is `self.bits`, else 8."""
        torus, depth = self._torus(), bits or self.bits or 8
        if self.kind != "codes":
            turns = self.turns()
            return GridCodes(torus, depth).encode(turns if self.space == "torusC" else self.raw())
        if depth > int(self.bits or 8):
            raise ValueError(
                f"bits is {depth}, but these codes have {self.bits}; embed the data again with --bits {depth}."
            )
        return self.rows >> np.uint8(int(self.bits or 8) - depth)

    def narrowed(self, coordinates: int | None = None, bits: int | None = None) -> Self:
        """Return the same rows with only their first `coordinates`, and codes with only their top `bits` bits.

        Nothing is embedded again, and everything else that is known of the rows stays, the fingerprint of the model,
        too: an index of the narrowed codes is searched by the embeddings of the whole model. Coordinates are circles
        of a torus and numbers of a sphere.

        >>> record = Embeddings(np.array([[200, 31, 64]], np.uint8), "codes", "torusN")
        >>> record.narrowed(coordinates=2, bits=2).rows.tolist()
        [[3, 0]]
        """
        rows, home = narrowed_rows(self.rows, self.kind, self.home, coordinates)
        if self.kind != "codes":
            if bits is not None:
                raise ValueError(f"bits is {bits}, but {self.kind} have none; leave it out, or cut codes.")
            return replace(self, rows=rows, dim=home.dim)
        self._torus()
        depth = check_fewer_bits(bits, int(self.bits or 8))
        return replace(self, rows=rows >> np.uint8(int(self.bits or 8) - depth), dim=home.dim, bits=depth)

    def take(self, rows: slice | Sequence[int] | npt.NDArray[Any]) -> Self:
        """Return the rows of these numbers, or of a slice, or where a mask is true, with all their columns."""
        columns: dict[str, Any] = {name: getattr(self, name) for name in ("rows", *COLUMNS)}
        subset: dict[str, Any] = {name: None if c is None else c[rows] for name, c in columns.items()}
        return replace(self, **subset)

    def part(self, name: str) -> Self:
        """Return the rows of one part of the data set."""
        if self.parts is None or name not in self.parts:
            parts = "no parts" if self.parts is None else f"the parts {', '.join(np.unique(self.parts))}"
            raise ValueError(f"part is {name!r}, and these embeddings have {parts}; embed all of the data.")
        return self.take(np.flatnonzero(self.parts == name))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything into one .safetensors file, which `read_embeddings` and any other library can read."""
        from hypertorus.embeddings.file import write_embeddings  # the file knows the record, not the other way around

        write_embeddings(self, path)

    def _torus(self) -> Torus:
        home = self.home
        if not isinstance(home, Torus):
            raise ValueError(  # noqa: TRY004
                f"these embeddings live on the {self.space}, which has no angles; train with --space torusN or torusC."
            )
        return home


_DTYPES: dict[str, Any] = {
    "labels": np.int64,
    "parts": np.str_,
    "groups": np.int64,
    "names": np.str_,
    "starts": np.float64,
}
FIELDS = tuple(field.name for field in fields(Embeddings))


def _counted(number: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def _width(home: Space, kind: str) -> int:
    if kind == "raw":
        return home.dim
    if kind == "points":
        return home.ambient_dim
    if isinstance(home, Torus):
        return home.flat_dim
    if kind == "turns":
        raise ValueError(f"kind is 'turns', but the {home.name} has no angles.")
    return home.dim


def _dim(name: str, kind: str, width: int) -> int:
    """Return the number of raw numbers of an embedding whose rows of this kind have this width."""
    if kind == "raw" or name == Sphere.name:
        return width
    circles = width // 2 if kind == "points" else width
    return circles if name == "torusC" else 2 * circles
