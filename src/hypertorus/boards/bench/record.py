"""Records results with their command, date, machine and tool versions."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from hypertorus.boards import Board
from hypertorus.boards.bench.measure import Cost
from hypertorus.boards.bench.words import WordsCost


def record(command: str, boards: Iterable[Board], costs: Iterable[Cost | WordsCost]) -> dict[str, Any]:
    """Return costs with the command, the date, the machine and the versions, ready for JSON."""
    tools = {tool: told for board in boards for tool, told in board.versions().items()}
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"simulated boards on {platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": {"hypertorus": version("hypertorus"), **tools},
        "result": [cost.as_dict() for cost in costs],
    }
