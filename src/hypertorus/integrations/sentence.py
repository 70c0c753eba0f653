"""The torus in sentence-transformers: a last module that projects onto a space."""

from __future__ import annotations

from typing import Any, Self

from torch import Tensor

from hypertorus.files.extras import require
from hypertorus.models.head import head_by_name
from hypertorus.models.project import Project
from hypertorus.models.soft_schedule import Softness

require("sentence_transformers", extra="sentence")

from sentence_transformers.base.modules import Module  # noqa: E402


class TorusProjection(Module):
    """Projects sentence embeddings [n, in_features] to unit-norm points of a space; append it as the last module.

    `model.append(TorusProjection(384, dim=64, space="torusN"))`, then train with any cosine loss of the library and
    save. The head before the space is `linear`, the paper's `two-layer`, or `none`, which projects the embeddings
    themselves and needs `dim` equal to `in_features`. With `soft=SoftSchedule(steps)` torusN is trained softly: call
    `step` of the schedule after each step of the optimiser; a saved model does not remember the schedule. The class is
    not part of sentence-transformers, so load the model with `SentenceTransformer(folder, trust_remote_code=True)`.

    >>> import torch
    >>> projection = TorusProjection(384, dim=64, space="torusN")
    >>> projection({"sentence_embedding": torch.randn(2, 384)})["sentence_embedding"].shape
    torch.Size([2, 64])
    """

    config_keys = ["in_features", "dim", "space", "head"]  # noqa: RUF012

    def __init__(
        self, in_features: int, dim: int, space: str = "torusN", head: str = "linear", *, soft: Softness = 0.0
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.in_features, self.dim, self.space, self.head = in_features, dim, space, head
        self.layers = head_by_name(head, in_features, dim, space)
        self.layers[-1] = Project(space, soft)

    def forward(self, features: dict[str, Any], **_: Any) -> dict[str, Any]:
        embedding: Tensor = features["sentence_embedding"]
        return {**features, "sentence_embedding": self.layers(embedding)}

    def get_embedding_dimension(self) -> int:
        return Project(self.space).space(self.dim).ambient_dim

    def save(self, output_path: str, *_: Any, safe_serialization: bool = True, **__: Any) -> None:  # noqa: ARG002
        """Write `config.json` and `model.safetensors` into a folder; no pickle."""
        self.save_config(output_path)
        self.save_torch_weights(output_path)

    @classmethod
    def load(cls, model_name_or_path: str, *_: Any, **options: Any) -> Self:
        """Return the module that was saved in a folder or on the Hugging Face hub."""
        names = ("subfolder", "token", "cache_folder", "revision", "local_files_only")
        location = {name: options[name] for name in names if name in options}
        projection = cls(**cls.load_config(model_name_or_path, **location))
        return cls.load_torch_weights(model_name_or_path, model=projection, **location)
