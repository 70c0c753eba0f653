"""The paper's experiments by name, each at its scales, in a folder that they may share."""

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
from hypertorus.train import Hardware


@dataclass(frozen=True)
class Kind:
    """What an experiment is made of."""

    of: type[Experiment]
    scales: Mapping[str, Scale]
    folder: str
    """Below that of the page."""


KINDS = {
    "images": Kind(ImageExperiment, IMAGE_SCALES, "."),
    "birdsong": Kind(BirdsongExperiment, BIRDSONG_SCALES, "birdsong"),
}


def experiment(
    name: str, scale: str, out: Path, data_folder: Path | None = None, hardware: Hardware | None = None
) -> Experiment:
    """The experiment of this name; a table that is there is gone on with."""
    if name not in KINDS:
        raise ValueError(f"the experiment is {name!r}; there are {', '.join(KINDS)}.")
    kind = KINDS[name]
    if scale not in kind.scales:
        raise ValueError(f"--scale is {scale}; there are {', '.join(kind.scales)}.")
    return kind.of(kind.scales[scale], out / kind.folder, data_folder, hardware or Hardware())
