"""Progress of long work: the type of its callback, a bar for the terminal, and a line now and then without one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hypertorus.files.console import plain_console

Progress = Callable[[int, int], None]
"""Callback that long work calls as `progress(done, total)`."""

FIRST_LINE, LATER_LINES = 5.0, 30.0
"""Seconds until the first line, and the longest time between two; each interval is twice the one before."""


@contextmanager
def bar(what: str, every: float | None = None) -> Iterator[Progress]:
    """Show on stderr how far the work is and how long it will take: a bar that is removed at the end, or lines.

    With `every`, there is a line every so many seconds where there is no bar, also while the work itself says nothing.
    """
    # Only commands show a bar; modules that import `Progress` alone do not need rich.
    from rich import progress as rich

    console = plain_console(stderr=True)
    if not console.is_terminal:
        write: Callable[[str], object] = lambda line: console.print(line, soft_wrap=True)  # noqa: E731
        if every is None:
            yield lines(what, write)
        else:
            with steady_lines(what, write, every) as steady:
                yield steady
        return
    columns = (
        rich.TextColumn(what, markup=False),
        rich.BarColumn(),
        rich.TextColumn("{task.percentage:.0f}%"),
        rich.TimeElapsedColumn(),
        rich.TextColumn("left"),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=console, transient=True) as display:
        task = display.add_task(what, total=None)

        def progress(done: int, total: int) -> None:
            display.update(task, completed=done, total=total)

        yield progress


def lines(what: str, write: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> Progress:
    """Return a callback that writes a line now and then, for logs; of work that takes a few seconds it writes none."""
    begun = clock()
    interval, due = FIRST_LINE, begun + FIRST_LINE
    pace = _Pace(begun)

    def progress(done: int, total: int) -> None:
        nonlocal interval, due
        now = clock()
        left = pace.left(done, total, now)
        if now < due or left is None:
            return
        interval = min(2 * interval, LATER_LINES)
        due = now + interval
        write(f"{what}: {done / total:.0%}, about {_duration(left)} left")

    return progress


class _Pace:
    """How long work takes by its pace since its first call, before which it may have prepared or gone on from half."""

    def __init__(self, begun: float) -> None:
        self.since, self.before = begun, 0
        self.called = False

    def left(self, done: int, total: int, now: float) -> float | None:
        """Return the seconds left, or None where that cannot be said."""
        since, before = self.since, self.before
        if not self.called:
            self.called, self.since, self.before = True, now, done
            if 100 * done < total:
                return None  # of so little, nothing follows
        return (now - since) * (total - done) / (done - before) if before < done < total else None


@contextmanager
def steady_lines(what: str, write: Callable[[str], object], every: float) -> Iterator[Progress]:
    """Write a line every so many seconds until the work is done, whether it calls back or not."""
    begun, share = time.monotonic(), 0.0
    pace, end = _Pace(begun), None
    finished = threading.Event()

    def progress(done: int, total: int) -> None:
        nonlocal share, end
        now = time.monotonic()
        left = pace.left(done, total, now)
        share, end = done / max(1, total), None if left is None else now + left

    def beat() -> None:
        while not finished.wait(every):
            now = time.monotonic()
            if end is not None:
                write(f"{what}: {share:.0%}, about {_duration(max(0.0, end - now))} left")
            else:
                write(f"{what}: {_duration(now - begun)} so far")

    beating = threading.Thread(target=beat, daemon=True)
    beating.start()
    try:
        yield progress
    finally:
        finished.set()
        beating.join()


def _duration(seconds: float) -> str:
    """Return a time in words.

    >>> _duration(41.6), _duration(600), _duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
