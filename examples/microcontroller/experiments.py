"""What is tried on the boards: a model of all ten digits, and one of nine that learns the tenth on the device."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.datasets import Data, read_data
from hypertorus.export.firmware import Firmware, firmware
from hypertorus.export.from_model import known_of_model
from hypertorus.models.inputs import batches

LESSONS = 5
TRAINING = "--space torusC --dim 16 --encoder mlp:32 --head linear"


@dataclass(frozen=True)
class Experiment:
    """A trained model, what is exported of it, and what the device is to learn beyond; images [n, 64] of bytes."""

    name: str
    model: Path
    data: str
    prototypes: int
    held_out: str | None
    made: Firmware
    lessons: npt.NDArray[np.uint8]
    images: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.str_]

    def export(self, target: str, work: Path) -> Path:
        out = work / f"{self.model.name}-{target}"
        options = f"--data {self.data} --prototypes {self.prototypes} --encoder --target {target} --out {out} --force"
        _hypertorus(f"export c {self.model} {options}")
        return out


def ten_digits(work: Path) -> Experiment:
    """Four prototypes a digit, which is what an export takes unless it is told otherwise."""
    data = read_data("digits")
    return _experiment("ten digits", "digits", work / "digits", 4, None, _rows(data.train)[:0])


def nine_and_one(work: Path, held_out: str) -> Experiment:
    """The tenth digit appears in the training neither of the network nor of the prototypes.

    A class learned on the device has one prototype, so the others have one too: with more they would win too often.
    """
    data = read_data("digits")
    file = work / f"without-{held_out}.npz"
    work.mkdir(parents=True, exist_ok=True)
    train, test = (_labels(data, part) != held_out for part in (data.train, data.test))
    np.savez(
        file,
        train=_rows(data.train)[train].reshape(-1, 1, 8, 8),
        train_labels=_labels(data, data.train)[train],
        test=_rows(data.test)[test].reshape(-1, 1, 8, 8),
        test_labels=_labels(data, data.test)[test],
    )
    lessons = _rows(data.train)[~train][:LESSONS]
    return _experiment(f"learns {held_out}", str(file), work / f"without-{held_out}", 1, held_out, lessons)


def _experiment(
    name: str, data: str, model: Path, prototypes: int, held_out: str | None, lessons: npt.NDArray[np.uint8]
) -> Experiment:
    if not (model / "run" / "results.json").exists():
        _hypertorus(f"train {data} {TRAINING} --out {model}")
    known = known_of_model(model, encoder=True, data=data)
    digits = read_data("digits")
    test = (_rows(digits.test), _labels(digits, digits.test))
    return Experiment(name, model, data, prototypes, held_out, firmware(known, prototypes), lessons, *test)


def _rows(part: Any) -> npt.NDArray[np.uint8]:
    return np.concatenate([batch.flatten(1).numpy() for batch in batches(part, part.shape, 512)])


def _labels(data: Data, part: Any) -> npt.NDArray[np.str_]:
    return np.array(data.classes)[part.labels.numpy()]


def _hypertorus(arguments: str) -> None:
    print(f"hypertorus {arguments}", flush=True)
    program = str(Path(sys.executable).with_name("hypertorus"))
    subprocess.run([program, *shlex.split(arguments)], check=True, capture_output=True)
