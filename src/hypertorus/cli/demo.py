"""`hypertorus demo`: a tour of the library on pictures, sounds and sentences, with a page to look at."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hypertorus.files.console import plain_console
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.files.progress import Progress

EVERY = 4.0
"""Seconds between two lines of progress where there is no terminal."""


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page and all that it is made of.")] = Path("demo"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Take half a minute: train everything briefly, and nothing well.")
    ] = False,
) -> None:
    """Train on digits, birdsong and sentences, search them, measure speed and precision, and write a page of it all.

    It takes three minutes on two cores. Ctrl-C stops it, and the same command resumes.

    Example: hypertorus demo --out build/demo
    """
    console = plain_console()
    try:
        length = "half a minute" if quick else "three minutes"
        console.print(f"A tour of {length} on two cores; Ctrl-C stops it, and the same command resumes.")
        from hypertorus.welcome import sentences
        from hypertorus.welcome.tour import QUICK, USUAL_SIZE, take_tour

        page = take_tour(out, _step, QUICK if quick else USUAL_SIZE)
        if without := sentences.missing():
            console.print(f"Sentences were left out; to see them, {without}, and run this again.", soft_wrap=True)
        console.print(f"The page to look at: {page}", soft_wrap=True)
    except KeyboardInterrupt:
        plain_console(stderr=True).print("Stopped; what was trained is kept, and the same command resumes.")
        raise typer.Exit(130) from None


@contextmanager
def _step(what: str) -> Iterator[Progress]:
    """Show the progress of a step, and print a line when it is done."""
    begun = time.monotonic()
    with bar(what, EVERY) as progress:
        yield progress
    plain_console().print(f"{what}: done in {time.monotonic() - begun:.0f} s", soft_wrap=True)
