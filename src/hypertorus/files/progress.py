"""Progress of long work: the type of its callback, and a progress bar for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hypertorus.files.console import plain_console

Progress = Callable[[int, int], None]
"""Callback that long work calls as `progress(done, total)`."""


@contextmanager
def bar(what: str) -> Iterator[Progress]:
    """Show a progress bar with the time left, on a terminal only, and remove it at the end."""
    # Only commands show a bar; modules that import `Progress` alone do not need rich.
    from rich import progress as rich

    console = plain_console(stderr=True)
    columns = (
        rich.TextColumn(what, markup=False),
        rich.BarColumn(),
        rich.TextColumn("{task.percentage:.0f}%"),
        rich.TimeElapsedColumn(),
        rich.TextColumn("left"),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as display:
        task = display.add_task(what, total=None)

        def progress(done: int, total: int) -> None:
            display.update(task, completed=done, total=total)

        yield progress
