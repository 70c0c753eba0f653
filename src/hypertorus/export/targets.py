"""Processors that C is written for: their differences, and how to compile for them."""

from __future__ import annotations

from typing import NamedTuple


class Target(NamedTuple):
    """Properties of a processor that an export depends on."""

    compile: str
    """Command that compiles model.c."""
    code: tuple[int, int, int]
    """Bytes of machine code without an encoder, of an encoder, and of each of its layers: the most that gcc -O2 and -Os
    give, with the helpers of its library."""
    frame: int
    """Bytes of stack for saved registers and return addresses, beyond the arrays."""
    convolutions: tuple[int, int]
    """Bytes that convolutions add: of machine code, and of stack for calls."""
    ear: int
    """Bytes of machine code that an ear adds, at most."""
    words: bool = False
    """Whether codes are aligned to words, by an attribute of gcc and clang."""


_OPTIONS = "-std=c99 -ffreestanding -O2 -c src/model.c"

TARGETS = {
    "portable": Target(f"cc {_OPTIONS}", (2000, 600, 260), 160, (3700, 450), 4000),
    "avr": Target(f"avr-gcc -mmcu=atmega328p {_OPTIONS}", (2000, 600, 260), 80, (3700, 140), 2300),
    "cortex-m": Target(
        f"arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb {_OPTIONS}", (1050, 100, 180), 120, (2500, 300), 3700, words=True
    ),
    "riscv": Target(
        f"riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 {_OPTIONS}",
        (1250, 150, 180),
        160,
        (2800, 260),
        3900,
        words=True,
    ),
}


def target_by_name(name: str) -> Target:
    """Return a target by its name.

    >>> target_by_name("avr").words
    False
    """
    if name not in TARGETS:
        raise ValueError(f"--target is {name!r}; choose one of {', '.join(TARGETS)}.")
    return TARGETS[name]
