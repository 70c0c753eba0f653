"""The paper's experiments by name, each at several scales; they may share a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hypertorus.paper.experiments.birdsong.run import BirdsongExperiment
from hypertorus.paper.experiments.birdsong.scales import SCALES as BIRDSONG_SCALES
from hypertorus.paper.experiments.experiment import Experiment
from hypertorus.paper.experiments.grid import Scale
from hypertorus.paper.experiments.images.run import ImageExperiment
from hypertorus.paper.experiments.images.scales import SCALES as IMAGE_SCALES
from hypertorus.paper.experiments.text.run import TextExperiment
from hypertorus.paper.experiments.text.scales import SCALES as TEXT_SCALES
from hypertorus.training import Hardware


@dataclass(frozen=True)
class Kind:
    """The class of an experiment, its scales, and its folder."""

    experiment: type[Experiment]
    scales: Mapping[str, Scale]
    folder: str
    """Folder of the experiment, relative to the folder of the page."""


KINDS = {
    "images": Kind(ImageExperiment, IMAGE_SCALES, "."),
    "birdsong": Kind(BirdsongExperiment, BIRDSONG_SCALES, "birdsong"),
    "text": Kind(TextExperiment, TEXT_SCALES, "text"),
}


def experiment(
    name: str, scale: str, out: Path, data_folder: Path | None = None, hardware: Hardware | None = None
) -> Experiment:
    """Return the experiment of this name; it resumes the table in its folder if there is one."""
    if name not in KINDS:
        raise ValueError(f"the experiment is {name!r}; choose one of {', '.join(KINDS)}.")
    kind = KINDS[name]
    if scale not in kind.scales:
        raise ValueError(f"--scale is {scale}; choose one of {', '.join(kind.scales)}.")
    return kind.experiment(kind.scales[scale], out / kind.folder, data_folder, hardware or Hardware())
