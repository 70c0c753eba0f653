"""The versions of what builds and simulates, which results are kept with."""

from __future__ import annotations

import shutil
import subprocess

UNKNOWN = "unknown"


def command_version(command: str, package: str) -> str:
    """The first line that a command says of its version; simavr cannot be asked, so what its package says.

    >>> command_version("no-such-compiler", package="gcc-none")
    'unknown'
    """
    return package_version(package) if command == "simavr" else _first_line(command, "--version")


def package_version(package: str) -> str:
    """The version of a Debian package, as far as it is known here."""
    return _first_line("dpkg-query", "--show", "--showformat=Debian ${Version}", package)


def _first_line(command: str, *arguments: str) -> str:
    if shutil.which(command) is None:
        return UNKNOWN
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    return next(iter(done.stdout.splitlines()), UNKNOWN)
