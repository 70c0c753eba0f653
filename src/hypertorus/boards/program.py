"""A program that was built for a board, and how it runs under the board's simulator."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

_END = "[end]"
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_SIMAVR_PIECE = re.compile(r"^(?:\x1b\[0m)?\x1b\[32m(.*)$", re.MULTILINE)
_SIMAVR_WIDTH = 256
_SHOWN = 2000


@dataclass(frozen=True)
class Program:
    """`flash` is what the program occupies of it (code, constants, first values of variables), `ram` its variables
    without the stack; both with the board's own few hundred bytes of start-up and serial port.
    """

    board: str
    elf: Path
    simulator: tuple[str, ...]
    flash: int
    ram: int

    def run(self, timeout: float = 60) -> str:
        """What the program printed. `timeout` is in seconds; the simulator never outlives this call."""
        command = [*self.simulator, str(self.elf.resolve())]
        try:
            # run() kills the process whatever ends it, Ctrl-C included
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired as error:
            told = self._told(error.stdout, error.stderr)
            raise TimeoutError(f"{self._who()} did not end within {timeout:g} s; {told}") from None
        printed = self._printed(_text(done.stdout), _text(done.stderr))
        text, end, _ = printed.rpartition(_END)
        if done.returncode or not end:
            told = self._told(done.stdout, done.stderr)
            raise RuntimeError(f"{self._who()} broke off before board_end() (status {done.returncode}); {told}")
        return text

    def _printed(self, output: str, errors: str) -> str:
        """Under simavr each line of the serial port is green, with a dot for its end, on the other channel.

        It breaks a line after 256 characters; a dot that stands there of itself is taken for the end.
        """
        if self.simulator[:1] != ("simavr",):
            return output
        pieces = _SIMAVR_PIECE.findall(output + errors)
        return "".join(
            piece if len(piece) == _SIMAVR_WIDTH and piece[-1] != "." else piece[:-1] + "\n" for piece in pieces
        )

    def _who(self) -> str:
        return f"{self.elf.name} on {self.board}"

    def _told(self, output: bytes | None, errors: bytes | None) -> str:
        said = _ESCAPE.sub("", _text(output) + _text(errors)).strip()
        return f"it said:\n{said[-_SHOWN:]}" if said else "it said nothing."


def _text(output: bytes | None) -> str:
    return (output or b"").decode(errors="replace")
