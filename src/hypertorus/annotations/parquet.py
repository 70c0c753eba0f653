"""Annotations as a Parquet file: a column for each field, for data frames and databases; what is unknown is null."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

from hypertorus.annotations.record import Annotation
from hypertorus.files.arrow_file import parquet_batches
from hypertorus.files.atomic import replacing
from hypertorus.files.extras import require

NAMES = tuple(field.name for field in fields(Annotation))
TEXTS, TIMES = ("path", "label"), ("start", "end")
_ROWS_AT_ONCE = 2**16


def write_parquet(path: Path, annotations: Iterable[Annotation]) -> None:
    """Write the annotations of any number of recordings."""
    require("pyarrow", extra="parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {name: pa.string() if name in TEXTS else pa.float64() for name in NAMES}
    schema = pa.schema([pa.field(name, kind, nullable=name not in TEXTS + TIMES) for name, kind in kinds.items()])
    rest = iter(annotations)
    with replacing(path) as file, pq.ParquetWriter(file, schema) as writer:
        while some := list(islice(rest, _ROWS_AT_ONCE)):
            columns = {name: pa.array([getattr(one, name) for one in some], kinds[name]) for name in NAMES}
            writer.write_batch(pa.record_batch(columns, schema=schema))


def read_parquet(path: Path, recording: str | None = None) -> list[Annotation]:
    """Return the annotations; a file without a column path is one of `recording`."""
    needed = [*TIMES, "label", *(() if recording else ("path",))]
    annotations: list[Annotation] = []
    try:
        for batch in parquet_batches(path, needed, [name for name in NAMES if name not in needed]):
            columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
            for values in zip(*columns.values(), strict=True):
                row = dict(zip(columns, values, strict=True))
                annotations.append(_annotation({"path": recording, **row}))
    except ValueError as error:
        raise ValueError(f"{path} is not a Parquet file of annotations ({error}); write it again.") from error
    return annotations


def _annotation(row: dict[str, Any]) -> Annotation:
    for name, value in row.items():
        kind: Any = str if name in TEXTS else float | int
        if not (isinstance(value, kind) or (value is None and name not in TEXTS + TIMES)) or isinstance(value, bool):
            raise ValueError(f"{name} is {str(value)[:40]!r}, which is of another type")
    return Annotation(**row)
