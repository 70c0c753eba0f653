"""A hoplite database with float16 vectors to one with codes: the same windows, labels and ids."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
from perch_hoplite.db.sqlite_usearch_impl import HOPLITE_FILENAME, SQLiteUSearchDB

from hypertorus.coders import Coder, codes_for
from hypertorus.coders.fit import STEPS
from hypertorus.files.progress import Progress
from hypertorus.integrations.hoplite.database import CodesDB

_FITTED_ON = 20_000
_ROWS_AT_ONCE = 4096


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    coder: Coder | None = None,
    bytes: int = 64,  # noqa: A002
    steps: int = STEPS,
    torus_bits: int | None = None,
    floats: bool = False,
    progress: Progress | None = None,
) -> CodesDB:
    """Write the database in folder `source`, which stays as it is, to a new folder `target` with codes, and open it.

    Without a `coder`, one is fitted to a sample of the vectors, with this many bytes a code, in `steps` steps.
    `torus_bits` is for vectors of a torusN model, which need no coder. Recordings, windows, annotations and metadata
    keep their ids. The target appears when it is complete.
    """
    source, target = Path(source), Path(target)
    if target.exists():
        raise FileExistsError(f"{target} exists already; name a folder that does not.")
    if coder is not None and torus_bits is not None:
        raise ValueError("coder and torus_bits are both given; pass the one that is meant.")
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    vectors = SQLiteUSearchDB.create(os.fspath(source), readonly=True)
    try:
        ids = _ids(vectors)
        if coder is None and torus_bits is None:
            coder = codes_for(vectors.get_embeddings_batch(_sample(ids)).astype(np.float32), bytes=bytes, steps=steps)
        partial.mkdir(parents=True)
        with closing(sqlite3.connect(partial / HOPLITE_FILENAME)) as copy:
            vectors.db.backup(copy)
        database = CodesDB.create(partial, coder=coder, bits=torus_bits, floats=floats)
        for begin in range(0, len(ids), _ROWS_AT_ONCE):
            some = ids[begin : begin + _ROWS_AT_ONCE]
            database.ui.add(some, vectors.get_embeddings_batch(some))
            if progress:
                progress(begin + len(some), len(ids))
        database.commit()
        database.ui.rewrite()
        database.db.close()
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    finally:
        vectors.db.close()
    partial.rename(target)
    return CodesDB.create(target)


def _ids(vectors: SQLiteUSearchDB) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The windows that have an embedding, in order."""
    ids = np.array(sorted(vectors.match_window_ids()), np.int64)
    if not len(ids) or not (there := vectors.ui.contains(ids)).any():
        raise ValueError(f"{vectors.db_path} has no embeddings; there is nothing to convert.")
    return ids[there]


def _sample(ids: np.ndarray[tuple[int], np.dtype[np.int64]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    chosen = np.random.default_rng(0).permutation(len(ids))[:_FITTED_ON]
    return ids[np.sort(chosen)]
