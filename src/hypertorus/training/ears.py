"""Which encoder suits sounds, and which ear reads them for it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

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


def named_ear(text: str) -> dict[str, Any]:
    """Return the settings of an ear that is named with those that are not its own: KIND[:NAME=VALUE,NAME=VALUE...].

    >>> named_ear("chip")
    {'kind': 'chip'}
    >>> named_ear("chip:rate=16000,depth=32.5,padding=zeros")
    {'kind': 'chip', 'rate': 16000, 'depth': 32.5, 'padding': 'zeros'}
    """
    kind, _, rest = text.partition(":")
    settings: dict[str, Any] = {"kind": kind}
    for part in rest.split(",") if rest else ():
        name, equals, value = part.partition("=")
        if not (name and equals and value):
            raise ValueError(f"--sound is {text}; write settings of an ear as in chip:rate=16000,bands=36.")
        settings[name] = _value(value)
    return settings


def _value(text: str) -> bool | float | str:
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    return text


LONGEST, FASTEST = 1.0, 8000
"""Seconds and samples a second of what may be words."""


def encoder_for(source: str) -> str:
    """Return the encoder for data for which none is chosen: `keyword` for words, else `auto`.

    Words are sounds of at most a second, in the median, and of at most 8,000 samples a second, so that the ear of
    `keyword` hears all there is in them. Bird song is neither.
    """
    folder = Path(source).expanduser()
    if not folder.is_dir() or not holds_sounds(folder):
        return "auto"
    from hypertorus.datasets.sound_folder import read_sound_folder
    from hypertorus.sound.wave import rate_of, seconds_of

    try:
        paths = [clip.path for clip in read_sound_folder(folder).clips]
        some = paths[:: -(-len(paths) // 64)]
        seconds, rates = [seconds_of(path) for path in some], [rate_of(path) for path in some]
    except ValueError:  # it will be reported when it is read
        return "auto"
    return "keyword" if median(seconds) <= LONGEST and max(rates) <= FASTEST else "auto"
