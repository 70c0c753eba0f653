"""The folder of a run: its files, and whether a new run may start there or resume an unfinished one.

out/model.safetensors, out/config.json    the model, saved when the run is complete
out/run/settings.json                     the settings of the run, and the mark that this folder is ours
out/run/metrics.csv, events.out.*         the metrics of each epoch, and the same for TensorBoard
out/run/last.ckpt, best-*.ckpt            the checkpoint to resume from and the best weights, until the run is complete
out/run/results.json, curves.png          the results
out/run/lock                              locked by the process that trains, and gone when it ends
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypertorus.files.atomic import replacing
from hypertorus.files.lock import FileLock
from hypertorus.files.place import problem_of_folder
from hypertorus.models.folder import MODEL

FORMAT = "hypertorus-run"
CHECKPOINTS = ("last.ckpt", "best-*.ckpt")
TEMPORARY = ("lock", ".*.????????.partial")
FILES = (*CHECKPOINTS, *TEMPORARY, "metrics.csv", "events.out.*", "hparams.yaml", "results.json", "curves.png")
"""What a run writes beside its settings; nothing else is ever deleted."""


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

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other process from training into this folder; the lock ends with the process that holds it."""
        self.check_place()
        self._check_ours()
        new = [folder for folder in (self.run, self.out) if not folder.exists()]
        try:
            self.run.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._no_place(error.strerror) from error
        try:
            with FileLock(self.run / "lock", wait=False, create=True):
                try:
                    yield
                finally:
                    (self.run / "lock").unlink(missing_ok=True)
        except BlockingIOError as error:
            raise ValueError(
                f"another process is training into {self.out}; wait until it has ended, or choose another --out."
            ) from error
        finally:
            with suppress(OSError):  # what was made for the lock goes with it, unless it has been filled
                for folder in new:
                    folder.rmdir()

    def check_place(self) -> None:
        """Refuse a place where nothing can be written, before there is any work to lose."""
        if (problem := problem_of_folder(self.out)) is not None:
            raise self._no_place(problem)

    def _no_place(self, why: str | None) -> ValueError:
        return ValueError(f"no model can be saved in {self.out}: {why}; choose another --out.")

    def begin(self, settings: dict[str, Any], *, restart: bool) -> None:
        """Prepare the folder for a new run, or keep an unfinished run of the same settings to be resumed."""
        if restart:
            MODEL.check_replaceable(self.out)
            self._remove()  # the model of an earlier run stays until there is a new one
        elif self.unfinished:
            self._check_same(settings)
            return
        elif self.settings.exists() or (self.out / "config.json").exists():
            raise ValueError(
                f"{self.out} already holds a model; pass --restart to train it again, or choose another --out."
            )
        MODEL.check_replaceable(self.out)
        self.run.mkdir(parents=True, exist_ok=True)
        write_json(self.settings, {"format": FORMAT, **settings})

    def finish(self, results: dict[str, Any]) -> None:
        """Write the results, and delete the checkpoints."""
        write_json(self.results, results)
        for pattern in CHECKPOINTS:
            for checkpoint in self.run.glob(pattern):
                checkpoint.unlink()

    def described(self) -> dict[str, Any]:
        """Return the settings of the run in this folder."""
        try:
            settings = json.loads(self.settings.read_bytes())
            settings.pop("format", None)
        except (OSError, ValueError, AttributeError) as error:
            raise ValueError(f"{self.settings} is damaged; pass --restart to start over.") from error
        return dict(settings)

    def _check_ours(self) -> None:
        """Raise an error if there is a folder `run` that no training wrote."""
        if not self.run.exists() or self._is_marked():
            return
        others = {path.name for path in self.run.iterdir()} if self.run.is_dir() else {"run"}
        for pattern in TEMPORARY:  # a crash may leave these before the settings are written
            others -= {path.name for path in self.run.glob(pattern)}
        if others:
            raise ValueError(
                f"{self.run} was not written by a training, so it is neither used nor deleted; choose another --out."
            )

    def _is_marked(self) -> bool:
        try:
            settings = json.loads(self.settings.read_bytes())
        except (OSError, ValueError):
            return False
        # Runs from before there was a mark are known by their settings.
        before = {"space", "dim", "encoder", "koleo", "data", "train"}
        return isinstance(settings, dict) and (settings.get("format") == FORMAT or before <= settings.keys())

    def _remove(self) -> None:
        self._check_ours()
        for pattern in FILES:
            for path in self.run.glob(pattern):
                if path.name != "lock":
                    path.unlink()
        self.settings.unlink(missing_ok=True)  # last, since it is the mark

    def _check_same(self, settings: dict[str, Any]) -> None:
        before = self.described()
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
