"""The tape that is played to a listener: clips of 4 bits a sample (IMA ADPCM), which main.c reads, as C."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.export.ear import ear_header
from hypertorus.export.table import Table
from hypertorus.sound.chip_ear import ChipEar

Samples = npt.NDArray[np.int16]

_TEXT = Path(__file__).with_name("main.c").read_text()
STEPS = [int(number) for number in re.findall(r"\d+", _TEXT.partition("tape_steps[89] HYPERTORUS_FLASH = {")[2])[:89]]
"""The steps by which a sample can move, from main.c."""


class Tape(NamedTuple):
    """Clips, of which the first `lessons` are examples of a new word, and the records of words known beforehand."""

    clips: Sequence[bytes]
    samples: Sequence[int]
    lessons: int
    known: npt.NDArray[np.uint8]
    threshold: int

    @property
    def bytes(self) -> int:
        """Size of the clips in flash, with where they begin and end."""
        return sum(map(len, self.clips)) + 6 * len(self.clips)


def recorded(samples: Samples) -> bytes:
    """Return samples of 16 bits as fours of bits, two in a byte."""
    fours, sample, step = list[int](), 0, 0
    for wanted in samples.tolist():
        away = abs(wanted - sample)
        four = min(7, away * 4 // STEPS[step]) | (8 if wanted < sample else 0)
        sample, step = _moved(sample, step, four)
        fours.append(four)
    fours += [0] * (len(fours) % 2)
    return bytes(low | high << 4 for low, high in zip(fours[::2], fours[1::2], strict=True))


def played(tape: bytes, count: int) -> Samples:
    """Return the samples that main.c plays of a clip of so many samples.

    >>> played(recorded(np.array([0, 900, 2000, 1500], np.int16)), 4).shape
    (4,)
    """
    samples, sample, step = list[int](), 0, 0
    for byte in tape:
        for four in (byte & 15, byte >> 4):
            sample, step = _moved(sample, step, four)
            samples.append(sample)
    return np.array(samples[:count], np.int16)


def _moved(sample: int, step: int, four: int) -> tuple[int, int]:
    """Return the sample and the step after four bits."""
    size = STEPS[step]
    change = (size >> 3) + (size if four & 4 else 0) + (size >> 1 if four & 2 else 0) + (size >> 2 if four & 1 else 0)
    sample = min(32767, max(-32768, sample - change if four & 8 else sample + change))
    return sample, min(88, max(0, step + (2 * (four & 3) + 2 if four & 4 else -1)))


def played_header(tape: Tape, ear: ChipEar, after: int = 0) -> str:
    """Return `played.h`: what is heard, by which ear, what is known; `after` samples of silence follow a clip."""
    begins = np.cumsum([0, *map(len, tape.clips)])[:-1].astype(np.uint32)
    sizes = {
        "CLIPS": len(tape.clips),
        "LESSONS": tape.lessons,
        "KNOWN": len(tape.known),
        "WINDOW_SAMPLES": ear.samples,
        "PLAYED_SAMPLES": ear.samples + after,
        "THRESHOLD": f"((int32_t){tape.threshold})",
    }
    tables = [
        Table("tape", np.frombuffer(b"".join(tape.clips), np.uint8), "All clips.", "tape"),
        Table("clip_begins", begins, "Where each clip begins.", "tape"),
        Table("clip_samples", np.array(tape.samples, np.uint16), "Samples of each clip.", "tape"),
        Table("known", tape.known, "Records of the words that are known beforehand.", "tape"),
    ]
    defines = [f"#define {name} {value}" for name, value in sizes.items()]
    return "\n".join([f'#include "{ear_header(ear)}"', *defines, *(table.c() for table in tables)]) + "\n"
