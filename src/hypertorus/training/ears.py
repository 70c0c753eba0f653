"""Which ear reads sounds for an encoder."""

from __future__ import annotations

from pathlib import Path

from hypertorus.datasets.kinds import holds_sounds

NEEDED = {"birdnet": "birdnet", "keyword": "keyword"}
"""The kind of ear that an encoder needs or is made for; every other one takes spectrograms as they are published."""


def kind_of_ear(encoder: str, source: str) -> str | None:
    """Return the kind of ear for an encoder on these data; None if the usual one will do.

    BirdNET is not trained: sounds are read as its vectors, and a file of vectors is told that they are its. The network
    for keywords takes other pictures as well.
    """
    kind = NEEDED.get(encoder.partition(":")[0])
    return kind if kind != "keyword" or holds_sounds(Path(source).expanduser()) else None
