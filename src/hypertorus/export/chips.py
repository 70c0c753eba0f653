"""Microcontrollers by name, with the sizes of their memories."""

from __future__ import annotations

from typing import NamedTuple


class Chip(NamedTuple):
    """Bytes of flash and RAM, the target to compile for, and a board with the chip."""

    flash: int
    ram: int
    target: str
    board: str


_KB = 1024

CHIPS = {
    "attiny85": Chip(8 * _KB, 512, "avr", "Digispark"),
    "atmega328p": Chip(32 * _KB, 2 * _KB, "avr", "Arduino Uno, Nano"),
    "atmega32u4": Chip(32 * _KB, 2560, "avr", "Arduino Leonardo, Micro"),
    "atmega4809": Chip(48 * _KB, 6 * _KB, "avr", "Arduino Nano Every"),
    "atmega2560": Chip(256 * _KB, 8 * _KB, "avr", "Arduino Mega"),
    "stm32f030f4": Chip(16 * _KB, 4 * _KB, "cortex-m", "many small ones"),
    "stm32f103c8": Chip(64 * _KB, 20 * _KB, "cortex-m", "Blue Pill"),
    "stm32f411ce": Chip(512 * _KB, 128 * _KB, "cortex-m", "Black Pill"),
    "samd21g18": Chip(256 * _KB, 32 * _KB, "cortex-m", "Arduino Zero, MKR"),
    "nrf51822": Chip(256 * _KB, 16 * _KB, "cortex-m", "micro:bit"),
    "nrf52833": Chip(512 * _KB, 128 * _KB, "cortex-m", "micro:bit 2"),
    "nrf52840": Chip(1024 * _KB, 256 * _KB, "cortex-m", "Arduino Nano 33 BLE"),
    "rp2040": Chip(2048 * _KB, 264 * _KB, "cortex-m", "Raspberry Pi Pico"),
    "ch32v003": Chip(16 * _KB, 2 * _KB, "riscv", "the ten-cent one"),
    "gd32vf103cb": Chip(128 * _KB, 32 * _KB, "riscv", "Longan Nano"),
    "esp32-c3": Chip(4096 * _KB, 400 * _KB, "riscv", "many small ones"),
}


def chip_by_name(name: str) -> Chip:
    """Return a chip by its name.

    >>> chip_by_name("atmega328p").ram
    2048
    """
    if name.lower() not in CHIPS:
        raise ValueError(f"--chip is {name!r}; choose one of {', '.join(CHIPS)}.")
    return CHIPS[name.lower()]
