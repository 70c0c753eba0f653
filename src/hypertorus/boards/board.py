"""A board: the chip, the compiler that builds for it and the simulator that stands for it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from hypertorus.boards.program import Program
from hypertorus.boards.versions import command_version, package_version

SUPPORT = Path(__file__).parent / "c"
"""board.h, which programs include, and the C behind it."""

_OPTIONS = ("-std=c99", "-Wall", "-Wextra", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections")


@dataclass(frozen=True)
class Board:
    """Programs for it include board.h, begin with `board_begin()` and end with `board_end()`.

    `target` is the word for it in `hypertorus export c --target`. `unit` is what `board_ticks()` counts and `hertz` how
    many of them go by in a second where that is known. `tools` says which Debian package brings a command, `library`
    which brings a file of the compiler's.
    """

    name: str
    chip: str
    target: str
    flash: int
    ram: int
    unit: Literal["cycles", "instructions", "nothing"]
    hertz: int | None
    compiler: str
    flags: tuple[str, ...]
    support: str
    simulator: tuple[str, ...]
    tools: Mapping[str, str]
    library: tuple[str, str] | None = None

    def missing_tools(self) -> list[str]:
        """The Debian packages that are still to be installed before it can be used.

        >>> from hypertorus.boards import BOARDS
        >>> BOARDS["host"].missing_tools()
        []
        """
        missing = [package for command, package in self.tools.items() if shutil.which(command) is None]
        if self.library and not (shutil.which(self.compiler) and _has(self.compiler, self.library[0])):
            missing.append(self.library[1])
        return list(dict.fromkeys(missing))

    def versions(self) -> dict[str, str]:
        """The versions of the commands, and of the library's Debian package, that programs are built and run with."""
        tools = {command: command_version(command, package) for command, package in self.tools.items()}
        return tools | ({self.library[1]: package_version(self.library[1])} if self.library else {})

    def build(
        self,
        sources: Sequence[str | Path],
        includes: Sequence[str | Path],
        out: str | Path,
        defines: Mapping[str, str | int] | None = None,
        optimise: str = "-O2",
    ) -> Program:
        """Compile `sources` with the board's own C into the ELF file `out`; headers are looked for in `includes`."""
        if missing := self.missing_tools():
            raise FileNotFoundError(
                f"{self.name} needs {', '.join(missing)}, not installed here; run: make setup-firmware"
                f" (or apt-get install {' '.join(missing)})."
            )
        elf = Path(out)
        elf.parent.mkdir(parents=True, exist_ok=True)
        given = [f"-I{folder}" for folder in (SUPPORT, *includes)]
        given += [f"-D{name}={value}" for name, value in (defines or {}).items()]
        own = (SUPPORT / "board.c", SUPPORT / self.support)
        command = [self.compiler, *self.flags, *_OPTIONS, optimise, *given, *sources, *own, "-o", elf]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(
                f"{', '.join(Path(file).name for file in sources)} cannot be built for {self.name}:\n{done.stderr}"
            )
        return self._fitting(Program(self.name, elf, self.simulator, *self._sizes(elf)))

    def _sizes(self, elf: Path) -> tuple[int, int]:
        size = self.compiler.removesuffix("gcc") + "size" if self.compiler.endswith("gcc") else "size"
        text, data, bss = map(int, _output(size, str(elf)).splitlines()[1].split()[:3])
        return text + data, data + bss

    def _fitting(self, program: Program) -> Program:
        for kind, needed, there in (("flash", program.flash, self.flash), ("RAM", program.ram, self.ram)):
            if needed > there:
                raise ValueError(
                    f"{program.elf.name} needs {needed:,} bytes of {kind} and {self.name} has {there:,}:"
                    f" {needed - there:,} too many; leave something out."
                )
        return program


@cache
def _has(compiler: str, file: str) -> bool:
    return Path(_output(compiler, f"-print-file-name={file}").strip()).is_absolute()


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
