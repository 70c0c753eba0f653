"""Which ear reads sounds for an encoder."""

from __future__ import annotations

from pathlib import Path

from hypertorus.datasets.kinds import holds_sounds

NEEDED = {"birdnet": "birdnet", "keyword": "chip", "keyword-1d": "resonators"}
"""The kind of ear that an encoder needs or is made for, on a chip in integers; every other one takes
spectrograms as they are published."""


def kind_of_ear(encoder: str, source: str) -> str | None:
    """Return the kind of ear for an encoder on these data; None if the usual one will do.

    BirdNET is not trained: sounds are read as its vectors, and a file of vectors is told that they are its. The
    networks for keywords take other pictures as well.
    """
    kind = NEEDED.get(encoder.partition(":")[0])
    return kind if kind == "birdnet" or holds_sounds(Path(source).expanduser()) else None
