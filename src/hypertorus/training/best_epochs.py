"""The checkpoints of the best epochs, remembered by their names, so that a run resumes wherever its folder is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lightning.pytorch import Trainer
from lightning.pytorch.callbacks import ModelCheckpoint

_PATHS = ("best_model_path", "kth_best_model_path", "last_model_path")


class BestEpochs(ModelCheckpoint):
    """Keeps the checkpoints of the `count` epochs with the highest score in a folder.

    lightning remembers absolute paths, and forgets the best epochs when the folder has moved. It deletes a checkpoint
    before the next `last.ckpt` says that another took its place; here it is deleted one epoch later, so that whatever
    `last.ckpt` names exists at every moment.
    """

    def __init__(self, folder: Path, count: int) -> None:
        super().__init__(
            folder,
            "best-{epoch}",
            monitor="score",
            mode="max",
            save_top_k=count,
            save_on_train_epoch_end=True,
            enable_version_counter=False,
        )
        self._superseded: list[str] = []

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        scores = {Path(path).name: score for path, score in self.best_k_models.items()}
        return {**state, "dirpath": "", "best_k_models": scores, **{key: Path(state[key]).name for key in _PATHS}}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        scores = {self._here(name): score for name, score in state_dict["best_k_models"].items()}
        paths = {key: self._here(state_dict[key]) for key in _PATHS}
        super().load_state_dict({**state_dict, "dirpath": self.dirpath, "best_k_models": scores, **paths})

    def _here(self, name: str) -> str:
        return str(Path(str(self.dirpath)) / Path(name).name) if name else ""

    def _remove_checkpoint(self, trainer: Trainer, filepath: str) -> None:
        for path in self._superseded:
            if path not in self.best_k_models:
                super()._remove_checkpoint(trainer, path)
        self._superseded = [filepath]
