"""Experiment 3: networks learn some species and are tested on others by a few examples of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hypertorus.datasets import Data
from hypertorus.datasets.archive import data_folder
from hypertorus.paper.experiments.birdsong.baselines import features, standardised, statistics
from hypertorus.paper.experiments.birdsong.clips import Source
from hypertorus.paper.experiments.birdsong.measure import COLUMNS, keys_of, measure, measurements
from hypertorus.paper.experiments.birdsong.scales import AS_THEY_ARE, STATISTICS, BirdsongScale
from hypertorus.paper.experiments.experiment import Experiment
from hypertorus.paper.experiments.grid import SPACES, Case
from hypertorus.paper.experiments.table import Row
from hypertorus.spaces import Sphere


@dataclass(frozen=True)
class BirdsongExperiment(Experiment):
    """Whole networks on spectrograms, heads on ready-made features, and baselines without training."""

    columns = COLUMNS

    scale: BirdsongScale

    def prepare(self, cases: Sequence[Case]) -> None:
        """Compute the spectrograms that all cases share."""
        for name in dict.fromkeys(case.data for case in cases):
            self._source(name).clips  # noqa: B018

    def rows(self, case: Case) -> list[Row]:
        return self.measure(case) if case.trained in AS_THEY_ARE else super().rows(case)

    def inputs(self, case: Case) -> Data:
        source = self._source(case.data)
        parts, clips = source.parts(self.scale, case.seed), source.clips
        return Data(case.data, parts.train, parts.familiar, clips.classes, clips.sound, parts.choosing)

    def measure(self, case: Case) -> list[Row]:
        parts, rows = self._source(case.data).parts(self.scale, case.seed), []
        if case.trained in AS_THEY_ARE:
            numbers = statistics if case.trained == STATISTICS else features
            for name, part in parts.tests.items():
                raw = standardised(numbers(part), numbers(parts.train))
                rows += measure(raw, part, name, Sphere(raw.shape[1]), self.scale)
            return rows
        model = self.model(case)
        grids = {f"{bits}bit": model.grid(bits) for bits in self.scale.bits}
        for name, part in parts.tests.items():
            rows += measure(model.rows(model.raw, part), part, name, model.space, self.scale, grids)
        return rows

    def failed(self, case: Case) -> list[Row]:
        tests = self._source(case.data).parts(self.scale, case.seed).tests
        asked = measurements(self.scale, codes=True, torus=SPACES[case.space]["space"] != "sphere")
        return [keys_of(name, *key) for name in tests for key in asked]

    def _source(self, name: str) -> Source:
        return _source(name, self.data_folder or data_folder(), self.out, tuple(self.scale.sound.items()))


@cache
def _source(name: str, folder: Path, out: Path, sound: tuple[tuple[str, Any], ...]) -> Source:
    """Return the same source for the same arguments, because a source caches what it has read."""
    return Source(name, folder, out, sound)
