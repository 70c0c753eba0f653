"""Writes an index for a command, and prints the facts of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from hypertorus.files.console import plain_console
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from pathlib import Path

    from hypertorus.search import Index
    from hypertorus.search._coarse import CoarseFacts


def save_index(index: Index, path: Path, as_json: bool) -> None:
    """Write an index to a file, and print its facts."""
    with bar("saving") as progress:
        index.save(path, progress)
    print_index(index, path, as_json)


def commit_index(index: Index) -> None:
    """Write the changes of an index to its file."""
    with bar("saving") as progress:
        index.commit(progress)


def print_index(index: Index, path: Path, as_json: bool) -> None:
    """Print the facts of an index and of its file."""
    from hypertorus.search._journal import journal_path

    journal = journal_path(path.resolve())
    facts: dict[str, Any] = {
        "file": str(path),
        "codes": len(index),
        "dim": index.dim,
        "bits": index.bits,
        "metric": index.metric,
        "labels": index.has_labels,
        "names": index.has_names,
        "model": index.model,
        "cells": index.cells,
        "share": round(index.share, 4),
        "coarse": None if index.coarse is None else _coarse_text(index.coarse),
        "bytes": path.stat().st_size + (journal.stat().st_size if journal.exists() else 0),
    }
    print_facts(facts, as_json=as_json)


def _coarse_text(coarse: CoarseFacts) -> str:
    """Return the size of a coarse part, and what it is worth."""
    return f"{coarse.coordinates} x {coarse.bits} bits, a query looks at {coarse.share:.2%} of the codes"


def print_facts(facts: dict[str, Any], *, as_json: bool) -> None:
    """Print facts by name, as a table or as JSON."""
    if as_json:
        typer.echo(json.dumps(facts))
        return
    table = Table(show_header=False, box=None)
    for name, value in facts.items():
        table.add_row(name, _cell(value))
    plain_console().print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
