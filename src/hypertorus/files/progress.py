"""How work that takes long tells how far it is, and a bar of it for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]
"""What such work calls as `progress(done, total)`."""


@contextmanager
def bar(what: str) -> Iterator[Progress]:
    """A bar with the time left, to be told of progress; on a terminal only, and gone when it is done."""
    # Only commands show a bar; what is imported for `Progress` alone needs no rich.
    from rich import progress as rich
    from rich.console import Console

    console = Console(stderr=True)
    columns = (
        rich.TextColumn(what),
        rich.BarColumn(),
        rich.TextColumn("{task.percentage:.0f}%"),
        rich.TimeElapsedColumn(),
        rich.TextColumn("left"),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
        task = shown.add_task(what, total=None)

        def progress(done: int, total: int) -> None:
            shown.update(task, completed=done, total=total)

        yield progress
