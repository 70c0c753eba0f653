"""`hypertorus export`: writes a model or an index for devices."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from hypertorus.cli.options import AsJson, Force, folder_place
from hypertorus.cli.reading import read
from hypertorus.files.console import plain_console

if TYPE_CHECKING:
    from hypertorus.export.chips import Chip
    from hypertorus.export.firmware import Firmware
    from hypertorus.export.sizes import Sizes

app = typer.Typer(help="Export a model or an index for devices.", no_args_is_help=True)

FEW = 4
"""Default number of prototypes per class of a model."""

LOSS = 0.005
"""Loss of accuracy by integers above which there is a warning."""


@app.callback()
def export() -> None:
    """Export a model or an index for devices."""


@app.command()
def c(
    source: Annotated[
        Path,
        typer.Argument(help="Folder of a model, file of an index, or embeddings with labels.", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="Folder to write.", callback=folder_place, show_default=False)],
    target: Annotated[
        str | None,
        typer.Option(help="Processor: portable, avr, cortex-m or riscv.", show_default="that of --chip, or portable"),
    ] = None,
    prototypes: Annotated[
        str | None,
        typer.Option(help="Number of codes to store for each class, or all.", show_default=f"{FEW}; all for an index"),
    ] = None,
    encoder: Annotated[bool, typer.Option("--encoder", help="Export the network too, in integers.")] = False,
    bits: Annotated[
        int | None, typer.Option(help="Bits per coordinate: 8, 4, 2 or 1.", show_default="8, or those of the index")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            help="Data set whose codes are stored; anything that `hypertorus train` takes.",
            show_default="the training data",
        ),
    ] = None,
    chip: Annotated[
        str | None, typer.Option(help="Chip that the export must fit, such as atmega328p.", show_default=False)
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a model or an index as C for a microcontroller, and show its accuracy and size.

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
        raise FileNotFoundError(f"{source} does not exist; pass the folder of a model, or the file of an index.")
    check_place(out, force=force)
    device = None if chip is None else chip_by_name(chip)
    target_name = _target(target, chip, device)
    target_by_name(target_name)
    count = _count(prototypes, of_model=source.is_dir())
    if source.is_dir():
        known = known_of_model(source, bits, encoder=encoder, data=data, read=read)
    else:
        _refuse(source, encoder=encoder, data=data)
        known = known_of_file(source, bits)
    made = firmware(known, count, target_name)
    if as_json:
        typer.echo(json.dumps({**made.as_dict(), "out": str(out), "chip": chip}, indent=2))
    else:
        _show(made, count, chip, device)
    check_fits(made.sizes, target_name, device, chip or "")
    write_firmware(made, out, force=force)
    if not as_json:
        typer.echo(f"\n{out}: model.c, model.h and the headers, as a library")


def _target(target: str | None, chip: str | None, device: Chip | None) -> str:
    if device is None:
        return target or "portable"
    if target not in (None, "portable", device.target):
        raise ValueError(f"--target is {target}, but {chip} is a chip for {device.target}; leave --target out.")
    return target or device.target


def _count(prototypes: str | None, *, of_model: bool) -> int | None:
    if prototypes is None:
        return FEW if of_model else None
    if prototypes == "all":
        return None
    if not prototypes.isdecimal() or int(prototypes) < 1:
        raise ValueError(f"--prototypes is {prototypes!r}; pass the number for each class, 1 or more, or all.")
    return int(prototypes)


def _refuse(source: Path, *, encoder: bool, data: str | None) -> None:
    for name, value in (("--encoder", encoder), ("--data", data)):
        if value:
            raise ValueError(f"{source} is an index, which has no {name}; leave it out, or pass the folder of a model.")


def _show(made: Firmware, count: int | None, chip: str | None, device: Chip | None) -> None:
    known, accuracies, console = made.known, made.accuracies, plain_console()
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
    console.print(_flash(made.sizes, chip, device))
    console.print("\nRAM, bytes")
    console.print(_ram(made.sizes, chip, device))
    if accuracies.floats is not None and accuracies.floats - accuracies.all_codes > LOSS:
        sys.stderr.write(
            "hypertorus: integers cost more than 0.005 of accuracy; train longer, or use a wider encoder.\n"
        )


def _accuracies(made: Firmware, count: int | None) -> Table:
    """Return a table of accuracies, each with its loss against the one before."""
    accuracies, everything = made.accuracies, f"all {len(made.known.stored.labels):,} codes"
    rows = [] if accuracies.floats is None else [(f"floats, {everything}", accuracies.floats)]
    rows.append((everything if accuracies.floats is None else f"integers, {everything}", accuracies.all_codes))
    if count is not None:
        rows.append((f"{made.prototypes.kind}, up to {count} a class", accuracies.stored))
    lost = ["", *(f"{100 * (after - before):+.1f} points" for (_, before), (_, after) in pairwise(rows))]
    return _table([(name, f"{accuracy:.3f}", points) for (name, accuracy), points in zip(rows, lost, strict=True)])


def _flash(sizes: Sizes, chip: str | None, device: Chip | None) -> Table:
    rows = [(name, f"{size:,}", "") for name, size in sizes.tables.items()]
    limit = f"of {device.flash:,} of {chip}" if device else ""
    return _table([*rows, ("machine code, about", f"{sizes.code:,}", ""), ("in all", f"{sizes.flash:,}", limit)])


def _ram(sizes: Sizes, chip: str | None, device: Chip | None) -> Table:
    rows = [
        ("input and code", f"{sizes.arguments:,}", ""),
        ("stack, arrays", f"{sizes.arrays:,}", ""),
        ("stack, calls, about", f"{sizes.frame:,}", ""),
        *([("ear", f"{sizes.ear:,}", "")] if sizes.ear else []),
        ("in all", f"{sizes.ram:,}", f"of {device.ram:,} of {chip}" if device else ""),
        ("and for each class to learn", f"{sizes.learned_class:,}", ""),
        *([("a stream, in place of windows", f"{sizes.stream:,}", "")] if sizes.stream else []),
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
