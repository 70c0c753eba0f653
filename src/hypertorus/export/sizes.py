"""Flash and RAM of an export, before anything is built: constants and stack counted, code estimated."""

from __future__ import annotations

from dataclasses import dataclass

from hypertorus.codes.packing import packed_width
from hypertorus.export.c_source import buffer_sizes
from hypertorus.export.chips import Chip
from hypertorus.export.known import Known
from hypertorus.export.tables import Table

COSINES = 258
"""Bytes of the table in hypertorus.h, which angles and prototypes are found by."""

CODE = {"portable": (3000, 1500), "avr": (3000, 1500), "cortex-m": (2000, 1000), "riscv": (2000, 1000)}
"""Bytes of machine code with the encoder and without, measured with gcc -Os, and rounded up."""

FRAME = {"portable": 128, "avr": 64, "cortex-m": 96, "riscv": 128}
"""Bytes of stack for saved registers and calls, on top of the arrays."""


@dataclass(frozen=True)
class Sizes:
    """Bytes. RAM is stack alone: there are no variables."""

    tables: dict[str, int]
    code: int
    stack: int
    learned_class: int

    @property
    def constants(self) -> int:
        return sum(self.tables.values())

    @property
    def flash(self) -> int:
        return self.constants + self.code


def sizes(known: Known, tables: list[Table], target: str) -> Sizes:
    grouped: dict[str, int] = {}
    for table in tables:
        group = _GROUPS.get(table.name, "weights" if "weights" in table.name else "biases and multipliers")
        grouped[group] = grouped.get(group, 0) + table.bytes
    grouped["cosines"] = COSINES
    code_bytes = packed_width(known.dim, known.bits)
    arrays = sum(buffer_sizes(known.network)) if known.network else 0
    learned = known.dim * 8 + 2 + code_bytes
    return Sizes(
        grouped,
        CODE[target][0 if known.network else 1],
        arrays + code_bytes + FRAME[target],
        learned if target == "avr" else -(-learned // 4) * 4,
    )


_GROUPS = {"ht_codes": "codes", "ht_code_classes": "classes of codes", "ht_labels": "labels"}


def check_fits(found: Sizes, chip: Chip, name: str) -> None:
    """Raise unless flash and RAM suffice, and say by how much they do not."""
    for what, needed, there in (("flash", found.flash, chip.flash), ("RAM", found.stack, chip.ram)):
        if needed > there:
            raise ValueError(
                f"{needed:,} bytes of {what} are needed and {name} has {there:,}, {needed - there:,} too few; store "
                "fewer --prototypes, or train a smaller --encoder mlp:WIDTH or --dim."
            )
