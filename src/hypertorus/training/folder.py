"""The folder of a run: its files, and whether a new run may start there or resume an unfinished one.

out/model.safetensors, out/config.json    the model, saved when the run is complete
out/run/settings.json                     the settings of the run
out/run/metrics.csv, events.out.*         the metrics of each epoch, and the same for TensorBoard
out/run/last.ckpt, best-*.ckpt            the checkpoint to resume from and the best weights, until the run is complete
out/run/results.json                      the results
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypertorus.files.atomic import replacing


@dataclass(frozen=True)
class RunFolder:
    """The files of a run under `out`."""

    out: Path

    @property
    def run(self) -> Path:
        return self.out / "run"

    @property
    def settings(self) -> Path:
        return self.run / "settings.json"

    @property
    def metrics(self) -> Path:
        return self.run / "metrics.csv"

    @property
    def last(self) -> Path:
        return self.run / "last.ckpt"

    @property
    def results(self) -> Path:
        return self.run / "results.json"

    @property
    def unfinished(self) -> bool:
        return self.settings.exists() and not self.results.exists()

    def begin(self, settings: dict[str, Any], *, restart: bool) -> None:
        """Prepare the folder for a new run, or keep an unfinished run of the same settings to be resumed."""
        if restart:
            shutil.rmtree(self.run, ignore_errors=True)  # the model of an earlier run stays until there is a new one
        elif self.unfinished:
            self._check_same(settings)
            return
        elif self.settings.exists() or (self.out / "config.json").exists():
            raise ValueError(
                f"{self.out} already holds a model; pass --restart to train it again, or choose another --out."
            )
        self.run.mkdir(parents=True, exist_ok=True)
        write_json(self.settings, settings)

    def finish(self, results: dict[str, Any]) -> None:
        """Write the results, and delete the checkpoints."""
        write_json(self.results, results)
        for checkpoint in self.run.glob("*.ckpt"):
            checkpoint.unlink()

    def _check_same(self, settings: dict[str, Any]) -> None:
        before = json.loads(self.settings.read_text())
        differing = [name for name in {**before, **settings} if before.get(name) != settings.get(name)]
        if differing:
            name = differing[0]
            raise ValueError(
                f"{self.out} holds an unfinished run with {name} {before.get(name)!r}, not {settings.get(name)!r}; "
                "pass the same options to resume it, --restart to start over, or choose another --out."
            )


def write_json(path: Path, content: dict[str, Any]) -> None:
    with replacing(path) as file:
        file.write((json.dumps(content, indent=2) + "\n").encode())
