"""Processors to write C for: what differs between them, and how to compile it there."""

from __future__ import annotations

from typing import NamedTuple


class Target(NamedTuple):
    """What an export must know of a processor."""

    compile: str
    """The command that compiles model.c."""
    code: tuple[int, int, int]
    """Bytes of machine code without an encoder, of an encoder, and of each of its layers: gcc -Os, rounded up."""
    frame: int
    """Bytes of stack for saved registers and return addresses, beyond the arrays."""
    word_aligned: bool = False
    """Whether codes are placed at whole words, by an attribute that gcc and clang know."""


TARGETS = {
    "portable": Target("cc -std=c99 -O2 -c src/model.c", (2000, 1000, 200), 200),
    "avr": Target("avr-gcc -mmcu=atmega328p -std=c99 -Os -c src/model.c", (1600, 700, 150), 64),
    "cortex-m": Target(
        "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -std=c99 -O2 -c src/model.c",
        (1000, 400, 120),
        120,
        word_aligned=True,
    ),
    "riscv": Target(
        "riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 -std=c99 -O2 -c src/model.c",
        (1300, 500, 150),
        160,
        word_aligned=True,
    ),
}


def target_by_name(name: str) -> Target:
    """One of the table.

    >>> target_by_name("avr").word_aligned
    False
    """
    if name not in TARGETS:
        raise ValueError(f"--target is {name!r}; there are {', '.join(TARGETS)}.")
    return TARGETS[name]
