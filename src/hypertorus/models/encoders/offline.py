"""Keeps the libraries of other people from the network while a network is built from a configuration."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_inside: list[bool] = []
"""What the setting was before each thread that is inside came in."""


@contextmanager
def offline() -> Iterator[None]:
    """Refuse every request to the Hugging Face hub inside the block, whatever a configuration names."""
    if importlib.util.find_spec("huggingface_hub") is None:
        yield
        return
    from huggingface_hub import constants

    with _lock:
        _inside.append(constants.HF_HUB_OFFLINE)
        constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        with _lock:
            first = _inside[0]
            _inside.pop()
            if not _inside:  # the last to leave restores what the first found
                constants.HF_HUB_OFFLINE = first
