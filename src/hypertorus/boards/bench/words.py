"""Measures learned words: the time of each step, and flash and RAM of ten words of 32 angles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypertorus.boards import Board, Program
from hypertorus.export.headers import header_files
from hypertorus.files.progress import Progress

WORDS, DIM, NAME_BYTES = 10, 32, 6
METRICS = {"cosine": "HYPERTORUS_COSINE", "l1": "HYPERTORUS_L1"}
_SOURCE = Path(__file__).parent / "c" / "words.c"


@dataclass(frozen=True)
class WordsCost:
    """Cost of words by one metric on one board, in `unit` and in bytes.

    `add` is one example, `end` makes the sums a word, `resume` begins to correct one, `score` finds the nearest of ten
    words and its score, and `background` is what one code of the background adds to that. `save` and `open` do not
    count the time of the flash. `flash` is what learning and scoring add to a program, and `saving` what saving and
    opening add to that, both with their calls. `store` is the ten words in RAM, `lesson` the sums while a word is
    learnt, and `stack` the deepest stack of the whole program.
    """

    board: str
    unit: str
    metric: str
    add: int
    end: int
    resume: int
    score: int
    background: int
    save: int
    open: int
    flash: int
    saving: int
    store: int
    lesson: int
    stack: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure_words(
    boards: Iterable[Board],
    metrics: Iterable[str] = tuple(METRICS),
    progress: Progress = lambda _done, _total: None,
) -> list[WordsCost]:
    """Return the cost of words on every board by every metric."""
    boards, metrics = list(boards), list(metrics)
    costs: list[WordsCost] = []
    with TemporaryDirectory() as folder:
        for board in boards:
            for metric in metrics:
                progress(len(costs), len(boards) * len(metrics))
                costs.append(_cost(board, metric, Path(folder)))
    return costs


def _cost(board: Board, metric: str, folder: Path) -> WordsCost:
    empty, words, pages = (_build(board, metric, parts, folder).flash for parts in range(3))
    ticks = _ticks(_build(board, metric, 2, folder, counts=1).run())
    return WordsCost(
        board=board.name,
        unit=board.unit,
        metric=metric,
        **{step: ticks[step] for step in ("add", "end", "resume", "score", "save", "open", "stack")},
        background=ticks["background"] - ticks["score"],
        flash=words - empty,
        saving=pages - words,
        store=WORDS * (DIM + 2 + NAME_BYTES),
        lesson=2 * 4 * DIM,
    )


def _build(board: Board, metric: str, parts: int, folder: Path, counts: int = 0) -> Program:
    """Build the program with none of it, with words, or with words and pages; with or without counting."""
    parts_of = {"WORDS": int(parts > 0), "PAGES": int(parts > 1), "COUNTS": counts}
    out = folder / board.name / f"{metric}-{parts}-{counts}.elf"
    return board.build([_SOURCE], [header_files()[0].parent], out, {"METRIC": METRICS[metric], **parts_of})


def _ticks(printed: str) -> dict[str, int]:
    numbers = {name: int(number) for name, number in map(str.split, printed.splitlines())}
    if (numbers["place"], numbers["saved"], numbers["opened"]) != (3, 1, 1):
        raise RuntimeError(f"the program did not know the word that it learned, or did not save it:\n{printed}")
    return numbers
