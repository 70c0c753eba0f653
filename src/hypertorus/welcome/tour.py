"""The tour that `hypertorus demo` takes, step by step, and the page that it writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hypertorus.datasets.digits import read_digits
from hypertorus.files.atomic import replacing
from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.paper.all_experiments import experiment
from hypertorus.paper.experiments.experiment import Experiment
from hypertorus.paper.experiments.grid import Case
from hypertorus.paper.figures.images import USUAL, usual_rows
from hypertorus.paper.report import write_report
from hypertorus.welcome import digits, sentences, sounds, speed
from hypertorus.welcome.commands import VECTORS, beginnings, explorations
from hypertorus.welcome.page import Tour, welcome_page
from hypertorus.welcome.precision import precision_curves

PAPER = "paper"
"""Name of the folder of the paper's runs, figures and page."""

Step = Callable[[str], AbstractContextManager[Progress]]
"""Context of a step with a sentence that says what it does; it yields the callback for its progress."""


@dataclass(frozen=True)
class Size:
    """How much the tour trains and measures."""

    epochs: dict[str, int]
    """Epochs of each exhibit."""
    count: int
    """Number of codes that the speed is measured on."""
    seconds: float
    """Seconds of each round in which it is measured."""
    images: Callable[[Case], bool]
    """Which runs of the paper's grid of images are run."""
    birdsong: Callable[[Case], bool]
    """Which runs of the paper's grid of birdsong are run."""


USUAL_SIZE = Size(
    {"digits": digits.EPOCHS, "sounds": sounds.EPOCHS, "sentences": sentences.EPOCHS},
    speed.COUNT,
    speed.SECONDS,
    lambda case: case.koleo == USUAL or case.seed == 0,
    lambda _: True,
)
"""Three minutes on two cores: of the grid of images all seeds of the usual KoLeo weight, and one of the others."""
QUICK = Size(
    {"digits": 2, "sounds": 1, "sentences": 2},
    5_000,
    0.01,
    lambda case: (case.dim, case.koleo, case.seed) == (16, USUAL, 0),
    lambda _: False,
)
"""Half a minute: everything once, and nothing trained to the end."""


def take_tour(folder: Path, step: Step, size: Size = USUAL_SIZE) -> Path:
    """Train, index, search, measure, and write `index.html` into a folder; return its path.

    What was trained before is not trained again, so a tour that was stopped resumes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    without = sentences.missing()
    with step("Digits: a network learns 1,438 handwritten digits"):
        first, model = digits.digits(folder, size.epochs["digits"])
        _write_vectors(folder)
    with step("Birdsong: a network hears 16 made-up species apart"):
        exhibits = [first, sounds.sounds(folder, size.epochs["sounds"])]
    if without is None:
        with step("Sentences: a text model ends in a torus"):
            exhibits.append(sentences.sentences(folder, size.epochs["sentences"]))
    with step(f"Speed: exact searches among {size.count:,} codes") as progress:
        speeds = speed.speeds(model, size.count, size.seconds, progress)
    images = experiment("images", "demo", folder / PAPER)
    with step("Precision: small networks learn digits in each space") as progress:
        _run(images, filter(size.images, images.scale.cases), progress)
    birdsong = experiment("birdsong", "demo", folder / PAPER)
    heard = list(filter(size.birdsong, birdsong.scale.cases))
    if heard:
        with step("The paper's third experiment: birdsong") as progress:
            _run(birdsong, heard, progress)
    with step("The page of the paper: figures and claims") as progress:
        paper = write_report(images, folder / PAPER, birdsong if heard else None, progress)
    tour = Tour(
        exhibits,
        without,
        speeds,
        precision_curves(images),
        beginnings(folder),
        explorations(folder, with_sentences=without is None),
        paper.relative_to(folder).as_posix(),
        Path.cwd(),
        size.count,
        len({row["seed"] for row in usual_rows(images)}),
    )
    with replacing(folder / "index.html") as file:
        file.write(welcome_page(tour).encode())
    return folder / "index.html"


def _run(grid: Experiment, cases: Iterable[Case], progress: Progress) -> None:
    grid.run(list(cases), progress, processes=thread_count(None))


def _write_vectors(folder: Path) -> None:
    """Write the pixels of the digits as vectors, for the command that takes vectors of any model."""
    pixels = read_digits().train.inputs.flatten(1).numpy().astype(np.float32)  # type: ignore[attr-defined]
    with replacing(folder / VECTORS) as file:
        np.save(file, pixels)
