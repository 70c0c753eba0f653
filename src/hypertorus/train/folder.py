"""The folder of a run: what is in it, and whether a new run may begin there, goes on, or must not touch it.

out/model.safetensors, out/config.json    the model, there when the run has ended well
out/run/settings.json                     what the run was asked for
out/run/metrics.csv, events.out.*         a row an epoch, and the same for TensorBoard
out/run/last.ckpt, best-*.ckpt            the state to go on from and the best weights, gone when the run has ended
out/run/results.json                      what came of it
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

    def begin(self, asked: dict[str, Any], *, restart: bool) -> None:
        """Make the folder ready for a run, or leave an unfinished one of the same settings as it is."""
        if restart:
            shutil.rmtree(self.run, ignore_errors=True)  # the model of an earlier run stays until there is a new one
        elif self.unfinished:
            self._check_same(asked)
            return
        elif self.settings.exists() or (self.out / "config.json").exists():
            raise ValueError(f"{self.out} holds a model already; pass --restart to train it anew, or another --out.")
        self.run.mkdir(parents=True, exist_ok=True)
        write_json(self.settings, asked)

    def finish(self, results: dict[str, Any]) -> None:
        """Say what came of the run, and drop what only an unfinished one needs."""
        write_json(self.results, results)
        for checkpoint in self.run.glob("*.ckpt"):
            checkpoint.unlink()

    def _check_same(self, asked: dict[str, Any]) -> None:
        begun = json.loads(self.settings.read_text())
        differing = [name for name in {**begun, **asked} if begun.get(name) != asked.get(name)]
        if differing:
            name = differing[0]
            raise ValueError(
                f"{self.out} holds an unfinished run with {name} {begun.get(name)!r}, not {asked.get(name)!r}; "
                "go on with the same options, pass --restart to begin anew, or another --out."
            )


def write_json(path: Path, content: dict[str, Any]) -> None:
    with replacing(path) as file:
        file.write((json.dumps(content, indent=2) + "\n").encode())
