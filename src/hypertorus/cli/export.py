"""`hypertorus export`: what was trained or indexed, for devices."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from hypertorus.cli.reading import read

if TYPE_CHECKING:
    from hypertorus.export.chips import Chip
    from hypertorus.export.firmware import Firmware
    from hypertorus.export.sizes import Sizes

app = typer.Typer(help="Write a model or an index for devices.", no_args_is_help=True)

FEW = 4
"""Prototypes a class of a model, unless it is said how many."""

LOSS = 0.005
"""How much accuracy integers may cost before a word of it."""


@app.callback()
def export() -> None:
    """Write a model or an index for devices."""


@app.command()
def c(
    source: Annotated[
        Path,
        typer.Argument(
            help="The folder of a model, the file of an index, or embeddings with labels.", show_default=False
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write.", show_default=False)],
    target: Annotated[
        str | None, typer.Option(help="portable, avr, cortex-m or riscv.", show_default="that of --chip, or portable")
    ] = None,
    prototypes: Annotated[
        str | None,
        typer.Option(help="How many codes to store for each class, or all.", show_default=f"{FEW}, of an index all"),
    ] = None,
    encoder: Annotated[bool, typer.Option("--encoder", help="The network too, in integers.")] = False,
    bits: Annotated[
        int | None, typer.Option(help="Bits a coordinate: 8, 4, 2 or 1.", show_default="8, or those of the index")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            help="Data to take codes of, as `hypertorus train` takes them.", show_default="those of the training"
        ),
    ] = None,
    chip: Annotated[
        str | None, typer.Option(help="A chip that it must fit, such as atmega328p.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an export that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Write a model or an index as C for a microcontroller, and say what it takes there.

    Example: hypertorus export c model/ --encoder --chip atmega328p --out firmware/
    """
    from hypertorus.export.chips import chip_by_name
    from hypertorus.export.firmware import firmware
    from hypertorus.export.folder import check_place, write_firmware
    from hypertorus.export.from_index import known_of_file
    from hypertorus.export.from_model import known_of_model
    from hypertorus.export.sizes import check_fits
    from hypertorus.export.targets import target_by_name

    if not source.exists():
        raise FileNotFoundError(f"there is no {source}; pass the folder of a model, or the file of an index.")
    check_place(out, force=force)
    found_chip = None if chip is None else chip_by_name(chip)
    meant = _target(target, chip, found_chip)
    target_by_name(meant)
    count = _count(prototypes, of_model=source.is_dir())
    if source.is_dir():
        known = known_of_model(source, bits, encoder=encoder, data=data, read=read)
    else:
        _refuse(source, encoder=encoder, data=data)
        known = known_of_file(source, bits)
    made = firmware(known, count, meant)
    if as_json:
        typer.echo(json.dumps({**made.as_dict(), "out": str(out), "chip": chip}, indent=2))
    else:
        _show(made, count, chip, found_chip)
    check_fits(made.sizes, meant, found_chip, chip or "")
    write_firmware(made, out, force=force)
    if not as_json:
        typer.echo(f"\n{out}: model.c, model.h and the headers, as a library")


def _target(target: str | None, chip: str | None, found: Chip | None) -> str:
    if found is None:
        return target or "portable"
    if target not in (None, "portable", found.target):
        raise ValueError(f"--target is {target}, and {chip} is of {found.target}; leave --target out.")
    return target or found.target


def _count(prototypes: str | None, *, of_model: bool) -> int | None:
    if prototypes is None:
        return FEW if of_model else None
    if prototypes == "all":
        return None
    if not prototypes.isdecimal() or int(prototypes) < 1:
        raise ValueError(f"--prototypes is {prototypes!r}; pass how many a class, 1 or more, or all.")
    return int(prototypes)


def _refuse(source: Path, *, encoder: bool, data: str | None) -> None:
    for name, given in (("--encoder", encoder), ("--data", data)):
        if given:
            raise ValueError(f"{source} is no folder of a model, and of an index there is no {name}; leave it out.")


def _show(made: Firmware, count: int | None, chip: str | None, found: Chip | None) -> None:
    known, accuracies, console = made.known, made.accuracies, Console(highlight=False)
    begin = "" if known.network is None else f"{known.network.inputs} numbers to "
    console.print(
        f"{known.name} for {made.target}: {begin}{known.dim} coordinates of {known.bits} bits, "
        f"{len(made.prototypes.stored.codes):,} codes of {len(known.classes)} classes",
        soft_wrap=True,
    )
    judged = "test inputs" if known.test is not None else "codes of the index"
    console.print(f"\nAccuracy on {accuracies.judged:,} {judged}")
    console.print(_accuracies(made, count))
    console.print("\nFlash, bytes")
    console.print(_flash(made.sizes, chip, found))
    console.print("\nRAM, bytes")
    console.print(_ram(made.sizes, chip, found))
    if accuracies.floats is not None and accuracies.floats - accuracies.all_codes > LOSS:
        sys.stderr.write("Integers cost more than half a point here; train longer, or a wider encoder.\n")


def _accuracies(made: Firmware, count: int | None) -> Table:
    """Each row with what it loses against the one before."""
    found, everything = made.accuracies, f"all {len(made.known.stored.labels):,} codes"
    rows = [] if found.floats is None else [(f"floats, {everything}", found.floats)]
    rows.append((everything if found.floats is None else f"integers, {everything}", found.all_codes))
    if count is not None:
        rows.append((f"{made.prototypes.kind}, up to {count} a class", found.stored))
    lost = ["", *(f"{100 * (after - before):+.1f} points" for (_, before), (_, after) in pairwise(rows))]
    return _table([(name, f"{accuracy:.3f}", points) for (name, accuracy), points in zip(rows, lost, strict=True)])


def _flash(sizes: Sizes, chip: str | None, found: Chip | None) -> Table:
    rows = [(name, f"{size:,}", "") for name, size in sizes.tables.items()]
    there = f"of {found.flash:,} of {chip}" if found else ""
    return _table([*rows, ("machine code, about", f"{sizes.code:,}", ""), ("in all", f"{sizes.flash:,}", there)])


def _ram(sizes: Sizes, chip: str | None, found: Chip | None) -> Table:
    rows = [
        ("input and code", f"{sizes.arguments:,}", ""),
        ("stack, arrays", f"{sizes.arrays:,}", ""),
        ("stack, calls, about", f"{sizes.frame:,}", ""),
        ("in all", f"{sizes.ram:,}", f"of {found.ram:,} of {chip}" if found else ""),
        ("and for each class to learn", f"{sizes.learned_class:,}", ""),
    ]
    return _table(rows)


def _table(rows: list[tuple[str, str, str]]) -> Table:
    shown = Table(show_header=False, box=None)
    shown.add_column(min_width=34)
    shown.add_column(justify="right", min_width=7)
    shown.add_column()
    for row in rows:
        shown.add_row(*row)
    return shown
