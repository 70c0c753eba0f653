"""Boards by name: an 8-bit AVR, three Cortex-M, a RISC-V, and this computer for tests."""

from __future__ import annotations

from functools import partial

from hypertorus.boards.board import SUPPORT, Board

_SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
_SERIAL = ("-display", "none", "-monitor", "none", "-serial", "stdio")
_KB = 1024

# The linker does not report by how much a program is too large, so Board checks its size.
_NO_LIMIT = ("-Wl,--defsym=__TEXT_REGION_LENGTH__=1M", "-Wl,--defsym=__DATA_REGION_LENGTH__=60K")

# qemu counts instructions; flash and RAM are the least that its machines have.
_on_qemu = partial(Board, flash=256 * _KB, ram=16 * _KB, unit="instructions", hertz=None)


def _atmega328p() -> Board:
    return Board(
        name="atmega328p",
        chip="ATmega328P at 16 MHz",
        target="avr",
        flash=32 * _KB,
        ram=2 * _KB,
        unit="cycles",
        hertz=16_000_000,
        compiler="avr-gcc",
        flags=("-mmcu=atmega328p", "-DF_CPU=16000000UL", *_NO_LIMIT),
        support="atmega328p.c",
        simulator=("simavr", "-m", "atmega328p", "-f", "16000000"),
        tools={"avr-gcc": "gcc-avr", "simavr": "simavr"},
        library=("libc.a", "avr-libc"),
    )


def _cortex_m(name: str, machine: str, shift: int, *flags: str) -> Board:
    """Return a Cortex-M board; an instruction takes 2**shift ns in the simulator, which cortex-m.c converts back."""
    return _on_qemu(
        name=name,
        chip=f"{name.title()} (qemu {machine})",
        target="cortex-m",
        compiler="arm-none-eabi-gcc",
        flags=(f"-mcpu={name}", "-mthumb", *flags, "--specs=nano.specs", "-nostartfiles", f"-T{SUPPORT}/cortex-m.ld"),
        support="cortex-m.c",
        simulator=("qemu-system-arm", "-M", machine, "-icount", f"shift={shift}", *_SERIAL, "-semihosting", "-kernel"),
        tools={"arm-none-eabi-gcc": "gcc-arm-none-eabi", "qemu-system-arm": "qemu-system-arm"},
        library=("nano.specs", "libnewlib-arm-none-eabi"),
    )


def _riscv32() -> Board:
    return _on_qemu(
        name="riscv32",
        chip="rv32imac (qemu virt)",
        target="riscv",
        compiler="riscv64-unknown-elf-gcc",
        flags=("-march=rv32imac", "-mabi=ilp32", "--specs=picolibc.specs", "-nostartfiles", f"-T{SUPPORT}/riscv32.ld"),
        support="riscv32.c",
        simulator=("qemu-system-riscv32", "-M", "virt", "-bios", "none", "-icount", "shift=0", *_SERIAL, "-kernel"),
        tools={"riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf", "qemu-system-riscv32": "qemu-system-misc"},
        library=("picolibc.specs", "picolibc-riscv64-unknown-elf"),
    )


def _host() -> Board:
    return Board(
        name="host",
        chip="this computer",
        target="portable",
        flash=1 << 30,
        ram=1 << 30,
        unit="nothing",
        hertz=None,
        compiler="cc",
        flags=_SANITIZERS,
        support="host.c",
        simulator=(),
        tools={"cc": "gcc"},
    )


BOARDS: dict[str, Board] = {
    board.name: board
    for board in (
        _atmega328p(),
        _cortex_m("cortex-m0", "microbit", 8),
        _cortex_m("cortex-m3", "mps2-an385", 7),
        _cortex_m("cortex-m4", "mps2-an386", 7, "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"),
        _riscv32(),
        _host(),
    )
}
