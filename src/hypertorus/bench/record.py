"""What every measurement is recorded with: the command, the date, the machine and the versions."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hypertorus.search import isa_name

PACKAGES = (
    "hypertorus",
    "numpy",
    "torch",
    "lightning",
    "pytorch-metric-learning",
    "faiss-cpu",
    "usearch",
    "sentence-transformers",
)


def record(command: str, result: object) -> dict[str, Any]:
    """Return a result with what it takes to repeat it, ready for JSON."""
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": describe(),
        "versions": versions(),
        "result": result,
    }


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
