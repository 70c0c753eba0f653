"""Records results with their command, date, machine and tool versions."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from hypertorus.boards import Board
from hypertorus.boards.bench.measure import Cost


def record(command: str, boards: Iterable[Board], costs: Iterable[Cost]) -> dict[str, Any]:
    """Return costs with the command, the date, the machine and the versions, ready for JSON."""
    tools = dict.fromkeys(tool for board in boards for tool in board.tools)
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"simulated boards on {platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": {"hypertorus": version("hypertorus"), **{tool: _version(tool) for tool in tools}},
        "result": [cost.as_dict() for cost in costs],
    }


def _version(tool: str) -> str:
    """Return the first line of `tool --version`; simavr has no such option, so ask the package manager."""
    if tool == "simavr":
        command = ["dpkg-query", "--show", "--showformat=Debian ${Version}", "simavr"]
    else:
        command = [tool, "--version"]
    if shutil.which(command[0]) is None:
        return "unknown"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return next(iter(done.stdout.splitlines()), "unknown")
