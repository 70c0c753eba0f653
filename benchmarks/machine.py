"""What every result is kept with: the machine, the date, the versions and the command."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hypertorus.search import isa_name

PACKAGES = ("hypertorus", "numpy", "torch", "lightning", "pytorch-metric-learning", "faiss-cpu", "usearch")


def describe() -> str:
    """The machine in a line, with the instruction set by which codes are scanned there."""
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{processor()} ({isa_name()}), {os.cpu_count()} cores, {system}"


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def write_result(path: Path, command: str, result: object) -> None:
    """One result as JSON, whole or not at all."""
    record = {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": describe(),
        "versions": versions(),
        "result": result,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(record, indent=2) + "\n")
    partial.replace(path)
