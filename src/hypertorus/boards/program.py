"""A program that was built for a board, and how it runs in the board's simulator."""

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
    """A built program, with its sizes in bytes.

    `flash` holds code, constants and initial values of variables, `ram` the variables without the stack; both include
    a few hundred bytes of the board for start-up and the serial port.
    """

    board: str
    elf: Path
    simulator: tuple[str, ...]
    flash: int
    ram: int

    def run(self, timeout: float = 60) -> str:
        """Run the program and return its output; `timeout` is in seconds, and the simulator ends with this call."""
        command = [*self.simulator, str(self.elf.resolve())]
        try:
            # run() kills the process whatever ends it, Ctrl-C included
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired as error:
            output = self._output(error.stdout, error.stderr)
            raise TimeoutError(f"{self._name()} did not end within {timeout:g} s; {output}") from None
        printed = self._printed(_text(done.stdout), _text(done.stderr))
        text, end, _ = printed.rpartition(_END)
        if done.returncode or not end:
            output = self._output(done.stdout, done.stderr)
            raise RuntimeError(f"{self._name()} stopped before board_end() (status {done.returncode}); {output}")
        return text

    def _printed(self, output: str, errors: str) -> str:
        """Return the text of the serial port.

        simavr prints each of its lines in green on stderr, with a dot for the line end. It breaks a line after 256
        characters; a dot of the text in that place is mistaken for a line end.
        """
        if self.simulator[:1] != ("simavr",):
            return output
        pieces = _SIMAVR_PIECE.findall(output + errors)
        return "".join(
            piece if len(piece) == _SIMAVR_WIDTH and piece[-1] != "." else piece[:-1] + "\n" for piece in pieces
        )

    def _name(self) -> str:
        return f"{self.elf.name} on {self.board}"

    def _output(self, output: bytes | None, errors: bytes | None) -> str:
        text = _ESCAPE.sub("", _text(output) + _text(errors)).strip()
        return f"it printed:\n{text[-_SHOWN:]}" if text else "it printed nothing."


def _text(output: bytes | None) -> str:
    return (output or b"").decode(errors="replace")
