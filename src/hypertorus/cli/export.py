"""`hypertorus export`: what was trained, for devices."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hypertorus.cli.reading import read

app = typer.Typer(help="Export a model or an index for devices.", no_args_is_help=True)


@app.callback()
def export() -> None:
    """Export a model or an index for devices."""


@app.command()
def c(
    source: Annotated[Path, typer.Argument(help="The folder of a model, or the file of an index.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The folder to write.", show_default=False)],
    target: Annotated[str | None, typer.Option(help="portable, avr, cortex-m or riscv.", show_default="by --chip, or portable")] = None,
    prototypes: Annotated[
        str | None, typer.Option(help="Codes to store for each class, or all.", show_default="4 of a model, all of an index")
    ] = None,
    encoder: Annotated[bool, typer.Option("--encoder", help="The network too, in integers.")] = False,
    bits: Annotated[int | None, typer.Option(help="Bits a coordinate: 8, 4, 2 or 1.", show_default="8, or those of the index")] = None,
    data: Annotated[str | None, typer.Option(help="Where codes are taken from, as `hypertorus train` takes it.", show_default="what the model was trained on")] = None,
    chip: Annotated[str | None, typer.Option(help="A chip that it must fit, such as atmega328p.")] = None,
    leave_out: Annotated[str | None, typer.Option(help="A class to store no codes of, for the device to learn.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an export that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Write a model or an index as C99 for a microcontroller.

    Example: hypertorus export c model/ --encoder --chip atmega328p --out firmware/
    """
    from hypertorus.export.chips import chip_by_name
    from hypertorus.export.firmware import check_place, firmware, write_firmware
    from hypertorus.export.known import known_of_index, known_of_model
    from hypertorus.export.sizes import check_fits

    check_place(out, force=force)
    found_chip = None if chip is None else chip_by_name(chip)
    if source.is_dir():
        known = known_of_model(source, bits, encoder=encoder, read=read, data=data, leave_out=leave_out)
    else:
        known = known_of_index(source, bits, leave_out)
    wanted = ("4" if source.is_dir() else "all") if prototypes is None else prototypes
    made = firmware(known, None if wanted == "all" else int(wanted), target or (found_chip.target if found_chip else "portable"))
    sized = made.sizes
    typer.echo(sized)
    typer.echo(known.float_accuracy)
    typer.echo(known.accuracy_of_all())
    if known.test_codes is not None:
        typer.echo((made.prototypes.kind, made.prototypes.accuracy(known.test_codes, known.test_labels, known.bits)))
    if found_chip is not None and chip is not None:
        check_fits(sized, found_chip, chip)
    write_firmware(made, out, force=force)
    typer.echo(out)
