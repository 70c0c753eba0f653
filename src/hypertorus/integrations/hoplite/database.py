"""The database itself: hoplite's own, with codes where it has a graph of float16 vectors."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from ml_collections import config_dict
from perch_hoplite.db import interface, score_functions, search_results
from perch_hoplite.db.sqlite_usearch_impl import (
    HOPLITE_FILENAME,
    UINDEX_FILENAME,
    SQLiteUSearchDB,
    get_default_usearch_config,
)

from hypertorus.coders import Coder, load_coder
from hypertorus.integrations.hoplite.codecs import Codec, CoderCodec, TorusCodec
from hypertorus.integrations.hoplite.store import CODES_FILENAME, CodeStore, FloatTable, Keys

SETTINGS_KEY = "hypertorus_codes"
CODER_FOLDER = "coder"
_RERANKED = 10
"""With floats, this many times as many codes are looked at as results are asked for, and at least 100."""


class CodesDB(SQLiteUSearchDB):
    """A hoplite database whose embeddings are codes: everything else is hoplite's own.

    `CodesDB.create(folder, embedding_dim=256)` is for embeddings of a torusN model, `bits` for each pair of numbers;
    `CodesDB.create(folder, coder=coder)` is for any others, by a coder that was fitted to such vectors with
    `ht.codes_for`. Once made, `CodesDB.create(folder)` opens it. `get_embedding` returns the vector of length 1 that a
    code stands for; with `floats=True` the vectors are kept as float16 beside the codes and returned as they were.

    `search` finds the nearest codes exactly, whatever `approximate` says, and scores them with hoplite's score
    functions on what `get_embedding` returns. With floats, ten times as many codes are scored as results are asked for,
    and `approximate=False` scores all of them.
    """

    ui: CodeStore
    _ui_updated: bool

    @classmethod
    def create(
        cls,
        db_path: str | os.PathLike[str],
        usearch_cfg: Any = None,
        readonly: bool = False,  # noqa: FBT001, FBT002
        *,
        embedding_dim: int | None = None,
        coder: Coder | None = None,
        bits: int | None = None,
        floats: bool | None = None,
    ) -> Self:
        """Open the database in a folder, or make one there; arguments that differ from those it has are an error."""
        folder = Path(db_path)
        if (folder / UINDEX_FILENAME).exists():
            raise ValueError(f"{folder} holds float16 vectors; make codes of them with convert({str(folder)!r}, ...).")
        if readonly and not (folder / CODES_FILENAME).exists():
            raise FileNotFoundError(f"{folder} has no {CODES_FILENAME}; to make a database, leave readonly out.")
        is_new = not (folder / HOPLITE_FILENAME).exists()
        if usearch_cfg is None and is_new:
            usearch_cfg = get_default_usearch_config(_numbers(embedding_dim, coder))
        database = super().create(os.fspath(folder), usearch_cfg)
        try:
            database._keep_codes(folder, {"numbers": embedding_dim, "bits": bits, "floats": floats}, coder)  # noqa: SLF001
        except BaseException:
            database.db.close()
            raise
        if readonly:
            database.db.execute("PRAGMA query_only = ON")
            database._readonly = True  # noqa: SLF001
        return database

    def commit(self) -> None:
        if not isinstance(self.ui, CodeStore):
            self._ui_updated = False  # hoplite commits a new database before there are codes in it; write no graph
        super().commit()

    def rollback(self) -> None:
        """Undo all since the last commit, that of codes too."""
        super().rollback()
        self.ui.restore()
        self._ui_updated = False

    def get_embeddings_batch(self, window_ids: Keys) -> npt.NDArray[np.float16]:
        try:
            return self.ui.get(window_ids)
        except ValueError as error:
            raise KeyError(f"Embedding vectors not found for window ids: {error}") from error

    def search(
        self,
        query_embedding: npt.NDArray[Any],
        search_list_size: int,
        approximate: bool = True,  # noqa: FBT001, FBT002
        target_score: float | None = None,
        score_fn_name: str = "dot",
        **kwargs: Any,
    ) -> search_results.TopKSearchResults:
        """The nearest windows of an embedding, or with `target_score` those whose scores are nearest to it."""
        if target_score is not None and approximate:
            raise ValueError("Approximate search does not support target_score sampling; pass approximate=False.")
        query = query_embedding if self.ui.floats else self.ui.codec.query(query_embedding[None])[0]
        if target_score is not None or (self.ui.floats and not approximate):
            options = {"approximate": False, "target_score": target_score, "score_fn_name": score_fn_name, **kwargs}
            return interface.HopliteDBInterface.search(self, query, search_list_size, **options)
        count = max(100, _RERANKED * search_list_size) if self.ui.floats else search_list_size
        results = search_results.TopKSearchResults(search_list_size)
        keys = self.ui.search(query_embedding, count).keys
        if len(keys):
            scores = score_functions.get_score_fn(score_fn_name)(self.get_embeddings_batch(keys), query)
            for key, score in zip(keys.tolist(), np.asarray(scores).tolist(), strict=True):
                results.update(search_results.SearchResult(key, score))
        return results

    def _keep_codes(self, folder: Path, given: dict[str, Any], coder: Coder | None) -> None:
        """Put codes where the graph of vectors was, by the settings of the database or, if it is new, those given."""
        numbers, bits = self.get_embedding_dim(), given["bits"]
        metadata = self.get_metadata(None)
        is_new = SETTINGS_KEY not in metadata
        if is_new:
            codec: Codec = CoderCodec(coder) if coder else TorusCodec(numbers, 8 if bits is None else bits)
            if coder:
                coder.save(folder / CODER_FOLDER)
            kept = {"numbers": numbers, "coder": codec.fingerprint, "bits": codec.bits, "floats": bool(given["floats"])}
        else:
            kept = metadata[SETTINGS_KEY].to_dict()
            codec = (
                CoderCodec(load_coder(folder / CODER_FOLDER)) if kept["coder"] else TorusCodec(numbers, kept["bits"])
            )
            kept["coder"] = codec.fingerprint
        for name, value in {**given, "coder": coder and coder.fingerprint}.items():
            if value is not None and value != kept[name]:
                raise ValueError(f"{name} is {value!r}, but the database in {folder} has {kept[name]!r}.")
        if codec.numbers != numbers:
            raise ValueError(f"the coder is of {codec.numbers} numbers, but embeddings have {numbers}.")
        table = FloatTable(self.db, numbers) if kept["floats"] else None
        if is_new:
            if table:
                table.create()
            self.insert_metadata(SETTINGS_KEY, config_dict.ConfigDict(kept))
        self.ui = CodeStore(folder, codec, table)
        self._ui_loaded, self._ui_updated = True, is_new
        if is_new:
            self.commit()


def _numbers(embedding_dim: int | None, coder: Coder | None) -> int:
    if coder is None and embedding_dim is None:
        raise ValueError("a new database needs embedding_dim or a coder; pass one of them.")
    return coder.numbers if coder else int(embedding_dim or 0)
