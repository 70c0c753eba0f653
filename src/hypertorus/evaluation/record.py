"""Embeddings to a table of numbers: one call that knows the space, the split and the recordings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console

from hypertorus.codes import GridCodes, quantiser
from hypertorus.embeddings import Embeddings
from hypertorus.embeddings.split import SEED, stratified
from hypertorus.evaluation.evaluate import Row, evaluate_codes, evaluate_split
from hypertorus.evaluation.table import table
from hypertorus.files.progress import Progress
from hypertorus.spaces import Torus

DEPTHS = (8, 4, 2, 1)
FLOATS = "none"
"""The name of no quantiser at all."""


@dataclass(frozen=True)
class Evaluation:
    """A row of measures for each quantiser; print it for a table."""

    rows: tuple[Row, ...]
    train: int
    """How many rows were searched among."""
    test: int
    """How many rows were searched for."""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> Row:
        """The measures of a quantiser by its name; those of floats are called `none`."""
        for row in self.rows:
            if row.quantiser == name:
                return row
        raise KeyError(f"{name!r} was not measured; there are {', '.join(row.quantiser for row in self.rows)}.")

    def __str__(self) -> str:
        console = Console(width=120, color_system=None)
        with console.capture() as text:
            console.print(table(self.rows))
        return text.get().rstrip()


def evaluate(
    embeddings: Embeddings,
    quantisers: Sequence[str] | None = None,
    *,
    metric: str | None = None,
    k: int = 10,
    full: bool = False,
    asymmetric: bool = False,
    test_share: float | None = None,
    seed: int = SEED,
    agreement: bool = True,
    progress: Progress | None = None,
) -> Evaluation:
    """How well the neighbours of test rows among training rows tell their labels, as floats and as codes.

    The split is that of the embeddings. Where they have none, a `test_share` of each class, 0.2 unless it is given, is
    set aside by `seed`, and rows of one recording stay together. By default floats and grids of 8, 4, 2 and 1 bits are
    measured; of codes, their own bits and fewer. `metric` is how codes of a torus are compared: that of the codes, or
    else cosine. See `Row` for what is measured and `evaluate_split` for the other options.

    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(300) % 3
    >>> record = Embeddings(rng.normal(size=(3, 8))[labels] + 0.1 * rng.normal(size=(300, 8)), "raw", "torusN",
    ...                     labels=labels, classes=("jay", "owl", "wren"))
    >>> evaluate(record)["8bit"].precision_at_1
    1.0
    """
    train, test = split_rows(embeddings, test_share, seed)
    names = default_quantisers(embeddings) if quantisers is None else list(quantisers)
    if not names:
        raise ValueError("no quantiser was named; pass none, 8bit, 4bit, 2bit, 1bit or product codes such as pq8x4.")
    how = metric or embeddings.metric or "cosine"
    rows = []
    for done, name in enumerate(names):
        if progress:
            progress(done, len(names))
        options: dict[str, Any] = {"k": k, "full": full, "asymmetric": asymmetric, "agreement": agreement}
        rows.append(_evaluated(embeddings, train, test, name, how, **options))
    return Evaluation(tuple(rows), len(train), len(test))


def default_quantisers(embeddings: Embeddings) -> list[str]:
    """What is measured unless somebody says otherwise."""
    if embeddings.kind != "codes":
        return [FLOATS, *(f"{bits}bit" for bits in DEPTHS)]
    if not isinstance(embeddings.home, Torus):
        return [f"{embeddings.bits}bit"]
    return [
        f"{bits}bit"
        for bits in dict.fromkeys((int(embeddings.bits or 8), *DEPTHS))
        if bits <= int(embeddings.bits or 8)
    ]


def split_rows(
    embeddings: Embeddings, test_share: float | None = None, seed: int = SEED
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The numbers of the rows to search among and of those to search for, all of them with a label."""
    labels = embeddings.labels
    if labels is None:
        raise ValueError("these embeddings have no labels, so nothing can be measured; pass them with --labels.")
    labelled = np.flatnonzero(labels >= 0)
    if embeddings.parts is not None:
        parts = embeddings.parts[labelled]
        if "train" in parts and "test" in parts:
            return labelled[parts == "train"], labelled[parts == "test"]
        if test_share is None:
            raise ValueError(
                f"these embeddings hold the {parts[0]} part alone; embed the whole data set, without --part, to test "
                "on what was not trained on, or split these rows with --test-share."
            )
    groups = None if embeddings.groups is None else np.unique(embeddings.groups[labelled], return_inverse=True)[1]
    numbers = np.unique(labels[labelled], return_inverse=True)[1]
    rest, aside = stratified(numbers, 0.2 if test_share is None else test_share, groups, seed)
    return labelled[rest], labelled[aside]


def _evaluated(
    embeddings: Embeddings, train: Any, test: Any, name: str, metric: str, *, k: int, full: bool, **others: Any
) -> Row:
    labels: Any = embeddings.labels
    here = embeddings.home
    made = None if name == FLOATS else quantiser(name, here)
    if embeddings.kind != "codes":
        raw = embeddings.raw()
        rows = raw[train], labels[train], raw[test], labels[test]
        return evaluate_split(*rows, here, made, metric=metric, k=k, full=full, **others)
    if not isinstance(made, GridCodes) or others["asymmetric"]:
        raise ValueError(
            f"the quantiser is {name!r}, but these are codes of {embeddings.bits} bits; embed as floats for it."
        )
    codes = embeddings.codes(made.bits) if isinstance(here, Torus) else _own_codes(embeddings, made)
    return evaluate_codes(codes[train], labels[train], codes[test], labels[test], made, metric=metric, k=k, full=full)


def _own_codes(embeddings: Embeddings, made: GridCodes) -> npt.NDArray[np.uint8]:
    """Codes of a fitted grid, which has no other depths than its own."""
    if made.bits != embeddings.bits:
        raise ValueError(
            f"these are codes of {embeddings.bits} bits on the {embeddings.space}, whose depths do not nest."
        )
    return embeddings.rows
