"""Evaluates embeddings in one call, with the space, the split and the recordings that they carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes import GridCodes
from hypertorus.codes import quantiser as quantiser_by_name
from hypertorus.embeddings import Embeddings
from hypertorus.embeddings.split import SEED, stratified
from hypertorus.evaluation.row import Row, evaluate_codes, evaluate_split
from hypertorus.evaluation.table import table
from hypertorus.files.console import plain_console
from hypertorus.files.progress import Progress
from hypertorus.spaces import Torus

DEPTHS = (8, 4, 2, 1)
FLOATS = "none"
"""Name of the row of floats, without a quantiser."""


@dataclass(frozen=True)
class Evaluation:
    """A row of measures for each quantiser; print it to get a table."""

    rows: tuple[Row, ...]
    train: int
    """Number of training rows, which were searched."""
    test: int
    """Number of test rows, which were the queries."""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> Row:
        """Return the measures of a quantiser by its name; `none` is the name of floats."""
        for row in self.rows:
            if row.quantiser == name:
                return row
        names = ", ".join(row.quantiser for row in self.rows)
        raise KeyError(f"{name!r} was not measured; choose one of {names}.")

    def __str__(self) -> str:
        console = plain_console(width=120, colour=False)
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
    """Measure how well nearest neighbours among training rows predict the labels of test rows, as floats and codes.

    The split is that of the embeddings. If they have none, `seed` draws a `test_share` of each class for testing, 0.2
    unless it is given, and rows of one recording stay together. By default floats and grids of 8, 4, 2 and 1 bits are
    measured; for codes, their own bits and fewer. `metric` compares codes of a torus; the default is that of the codes,
    else cosine. See `Row` for the measures and `evaluate_split` for the other options.

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
        raise ValueError("quantisers is empty; pass none, 8bit, 4bit, 2bit, 1bit or product codes such as pq8x4.")
    metric = metric or embeddings.metric or "cosine"
    rows = []
    for done, name in enumerate(names):
        if progress:
            progress(done, len(names))
        options: dict[str, Any] = {"k": k, "full": full, "asymmetric": asymmetric, "agreement": agreement}
        rows.append(_row(embeddings, train, test, name, metric, **options))
    return Evaluation(tuple(rows), len(train), len(test))


def default_quantisers(embeddings: Embeddings) -> list[str]:
    """Return the names of the quantisers that are measured by default."""
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
    """Return the numbers of the training rows and of the test rows, all of them with a label."""
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


def _row(
    embeddings: Embeddings, train: Any, test: Any, name: str, metric: str, *, k: int, full: bool, **others: Any
) -> Row:
    labels: Any = embeddings.labels
    space = embeddings.home
    quantiser = None if name == FLOATS else quantiser_by_name(name, space)
    if embeddings.kind != "codes":
        raw = embeddings.raw()
        rows = raw[train], labels[train], raw[test], labels[test]
        return evaluate_split(*rows, space, quantiser, metric=metric, k=k, full=full, **others)
    if not isinstance(quantiser, GridCodes) or others["asymmetric"]:
        raise ValueError(
            f"the quantiser is {name!r}, but these are codes of {embeddings.bits} bits; embed as floats to use it."
        )
    codes = embeddings.codes(quantiser.bits) if isinstance(space, Torus) else _own_codes(embeddings, quantiser)
    return evaluate_codes(
        codes[train], labels[train], codes[test], labels[test], quantiser, metric=metric, k=k, full=full
    )


def _own_codes(embeddings: Embeddings, grid: GridCodes) -> npt.NDArray[np.uint8]:
    """Return codes of a fitted grid, which cannot be reduced to fewer bits."""
    if grid.bits != embeddings.bits:
        raise ValueError(
            f"bits is {grid.bits}, but these are codes of {embeddings.bits} bits on the {embeddings.space}, which "
            "cannot be reduced; embed as floats to use it."
        )
    return embeddings.rows
