"""Warns about files that could not be read."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

SHOWN = 3
"""Number of reasons in a warning."""


def warn_of_unreadable(reasons: Sequence[str], total: int, outcome: str, what: str = "sounds") -> None:
    """Warn that of `total` sounds, or images, some had this outcome, with a sentence on each of the first few."""
    more = f" And {len(reasons) - SHOWN} more." if len(reasons) > SHOWN else ""
    # The warning points at whoever called what called this function's caller.
    warnings.warn(f"{len(reasons)} of {total} {what} {outcome}. {' '.join(reasons[:SHOWN])}{more}", stacklevel=4)
