"""A board: a chip, its compiler and its simulator."""

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
"""Folder of board.h, which programs include, and of its implementation."""

_OPTIONS = ("-std=c99", "-Wall", "-Wextra", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections")


@dataclass(frozen=True)
class Board:
    """A simulated board; its programs include board.h, begin with `board_begin()` and end with `board_end()`.

    `target` is its name in `hypertorus export c --target`. `unit` is what `board_ticks()` counts, and `hertz` is their
    number per second, if known. `tools` maps commands to the Debian packages that install them; `library` is a file of
    the compiler and its package.
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
        """Return the Debian packages that the board needs and that are not installed.

        >>> from hypertorus.boards import BOARDS
        >>> BOARDS["host"].missing_tools()
        []
        """
        missing = [package for command, package in self.tools.items() if shutil.which(command) is None]
        if self.library and not (shutil.which(self.compiler) and _has(self.compiler, self.library[0])):
            missing.append(self.library[1])
        return list(dict.fromkeys(missing))

    def versions(self) -> dict[str, str]:
        """Return the versions of the commands, and of the library's Debian package, that programs are made with."""
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
        """Compile `sources` with the board's own C into the ELF file `out`; `includes` are the folders of headers."""
        if missing := self.missing_tools():
            raise FileNotFoundError(
                f"{self.name} needs {', '.join(missing)}, which are not installed; run: make setup-firmware"
                f" (or apt-get install {' '.join(missing)})."
            )
        elf = Path(out)
        elf.parent.mkdir(parents=True, exist_ok=True)
        options = [f"-I{folder}" for folder in (SUPPORT, *includes)]
        options += [f"-D{name}={value}" for name, value in (defines or {}).items()]
        own = (SUPPORT / "board.c", SUPPORT / self.support)
        command = [self.compiler, *self.flags, *_OPTIONS, optimise, *options, *sources, *own, "-o", elf]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(
                f"{', '.join(Path(file).name for file in sources)} cannot be built for {self.name}:\n{done.stderr}"
            )
        return self._check_fits(Program(self.name, elf, self.simulator, *self._sizes(elf)))

    def _sizes(self, elf: Path) -> tuple[int, int]:
        size = self.compiler.removesuffix("gcc") + "size" if self.compiler.endswith("gcc") else "size"
        text, data, bss = map(int, _output(size, str(elf)).splitlines()[1].split()[:3])
        return text + data, data + bss

    def _check_fits(self, program: Program) -> Program:
        for kind, needed, limit in (("flash", program.flash, self.flash), ("RAM", program.ram, self.ram)):
            if needed > limit:
                raise ValueError(
                    f"{program.elf.name} needs {needed:,} bytes of {kind} and {self.name} has {limit:,}:"
                    f" {needed - limit:,} too many; make the program smaller."
                )
        return program


@cache
def _has(compiler: str, file: str) -> bool:
    return Path(_output(compiler, f"-print-file-name={file}").strip()).is_absolute()


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
