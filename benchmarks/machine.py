"""Writes a result with the machine, the date, the versions and the command."""

from __future__ import annotations

import json
from pathlib import Path

from hypertorus.bench.record import describe, record

__all__ = ["describe", "write_result"]


def write_result(path: Path, command: str, result: object) -> None:
    """One result as JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(record(command, result), indent=2) + "\n")
    partial.replace(path)
