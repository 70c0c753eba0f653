"""An ear on a board: what it hears, which must be what Python's ear hears, and what that costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.boards import Board, Program
from hypertorus.export.ear import ear_header, ear_tables, write_ear
from hypertorus.export.table import Table
from hypertorus.sound.chip_ear import ChipEar
from hypertorus.sound.levels import FULL, Integers

_SOURCE = Path(__file__).parent / "c" / "ear.c"


@dataclass(frozen=True)
class Heard:
    """Checksums of every new column and of the last window, and the level of its loudest place."""

    columns: int
    window: int
    loudest: int
    frames: int
    counter: int
    """The counter of frames, which wraps after 65,535."""


@dataclass(frozen=True)
class EarCost:
    """Cost of an ear on a board: in the board's unit a frame, a sample, at most in one call, and a window; bytes.

    `flash` is that of code and tables as linked, `tables` that of the ear's own tables, `ram` the ear's variables.
    """

    board: str
    unit: str
    frame: float
    sample: float
    most: int
    window: int
    flash: int
    tables: int
    ram: int
    stack: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Run(NamedTuple):
    """A program that heard samples on a board, and the numbers it printed by name."""

    program: Program
    printed: dict[str, int]

    @property
    def heard(self) -> Heard:
        return Heard(**{field.name: self.printed[field.name] for field in fields(Heard)})


def hear_on(
    board: Board, ear: ChipEar, samples: npt.NDArray[np.int16], work: Path, *, chunk: int = 32, first_frame: int = 0
) -> Run:
    """Build and run a program whose ear hears samples [n], `chunk` at a time; its counter begins at `first_frame`."""
    work.mkdir(parents=True, exist_ok=True)
    write_ear(ear, work)
    table = Table("samples", samples, "What there is to hear.", "samples").c()
    (work / "samples.h").write_text(f'#include "hypertorus.h"\n#define SAMPLES {len(samples)}\n{table}\n')
    defines: dict[str, str | int] = {"EAR": f'"{ear_header(ear)}"', "CHUNK": chunk, "FIRST_FRAME": first_frame}
    program = board.build([_SOURCE], [work], work / "ear.elf", defines)
    return Run(program, {name: int(number) for name, number in map(str.split, program.run().splitlines())})


def ear_cost(board: Board, ear: ChipEar, samples: npt.NDArray[np.int16], work: Path) -> EarCost:
    """Return the cost of an ear that hears samples [n]; a RuntimeError says if it does not hear what Python hears."""
    run = hear_on(board, ear, samples, work)
    if run.heard != heard_here(ear, samples):
        raise RuntimeError(f"the ear on {board.name} heard {run.heard}, not {heard_here(ear, samples)}.")
    empty = board.build([_SOURCE], [work], work / "nothing.elf", {"NOTHING": 1})
    said = run.printed
    return EarCost(
        board.name,
        board.unit,
        frame=round(said["ticks"] / max(1, said["frames"]), 1),
        sample=round(said["ticks"] / len(samples), 1),
        most=said["most_ticks"],
        window=said["window_ticks"],
        flash=run.program.flash - empty.flash,
        tables=sum(table.bytes for table in ear_tables(ear)),
        ram=said["bytes"],
        stack=said["stack"],
    )


def heard_here(ear: ChipEar, samples: npt.NDArray[np.int16], first_frame: int = 0) -> Heard:
    """Return what Python's ear hears of samples [n] from the beginning, one frame after the other as on a chip."""
    levels = ear.levels(samples[None])[0]
    windows = [_window(levels[: end + 1], ear.frames) for end in range(len(levels))]
    columns = b"".join(window[:, -1].tobytes() for window in windows)
    return Heard(
        _checksum(columns),
        _checksum(windows[-1].tobytes()),
        max(FULL, int(levels[-ear.frames :].max())),
        len(levels),
        (first_frame + len(levels)) % 2**16,
    )


def _window(levels: Integers, frames: int) -> npt.NDArray[np.uint8]:
    """Return the bytes [bands, frames] of the last frames of levels [any, bands], by their definition."""
    last = levels[-frames:]
    loudest = max(FULL, int(last.max()))
    heard = (FULL - loudest + last).clip(0, FULL).astype(np.uint8)
    return np.concatenate([np.zeros((frames - len(last), last.shape[1]), np.uint8), heard]).T


def _checksum(heard: bytes) -> int:
    """Return the FNV-1a checksum of bytes."""
    total = 2166136261
    for byte in heard:
        total = (total ^ byte) * 16777619 % 2**32
    return total
