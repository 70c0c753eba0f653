"""The terminal: text is printed as it is, so that a label `[red]cat` keeps its brackets and changes no colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # rich is imported with the first line that is printed
    from rich.console import Console


def plain_console(*, stderr: bool = False, width: int | None = None, colour: bool = True) -> Console:
    """Return a console that reads no markup, no emoji and no highlights in what it prints.

    >>> plain_console(width=40).print("[red]cat[/x] :owl:")
    [red]cat[/x] :owl:
    """
    from rich.console import Console

    return Console(
        stderr=stderr,
        width=width,
        color_system="auto" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
