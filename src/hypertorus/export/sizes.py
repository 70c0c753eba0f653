"""Flash and RAM of an export before it is built: constants and arrays are counted, machine code is estimated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypertorus.codes.packing import packed_width
from hypertorus.export.c_columns import stream_bytes
from hypertorus.export.c_source import stack_bytes
from hypertorus.export.chips import Chip
from hypertorus.export.known import Known
from hypertorus.export.stages import Columns
from hypertorus.export.table import Table
from hypertorus.export.targets import target_by_name

COSINES, QUARTERS = 258, 256
"""Bytes of the tables in hypertorus.h: cosines for angles and means, and a table that compares 2-bit codes."""


@dataclass(frozen=True)
class Sizes:
    """Sizes in bytes. An export has no variables: RAM is the caller's arguments and the stack."""

    tables: dict[str, int]
    largest_table: int
    code: int
    arguments: int
    """Size of an input and its code."""
    arrays: int
    """Size of the outputs of hidden layers and of a window, on the stack of `ht_encode`."""
    frame: int
    ear: int
    """Size of `ht_ear_t`, 0 without an ear."""
    learned_class: int
    """Size of each class that is learned on the device, in addition to `ram`."""
    stream: int
    """Size of `ht_stream`, which a program has in place of windows if it uses it; 0 without convolutions."""

    @property
    def constants(self) -> int:
        return sum(self.tables.values())

    @property
    def flash(self) -> int:
        return self.constants + self.code

    @property
    def ram(self) -> int:
        return self.arguments + self.arrays + self.frame + self.ear

    def as_dict(self) -> dict[str, Any]:
        """Return the sizes by name, ready for JSON."""
        return {
            "flash": self.flash,
            "flash_constants": self.constants,
            "flash_code_estimate": self.code,
            "flash_tables": self.tables,
            "ram": self.ram,
            "ram_arguments": self.arguments,
            "ram_arrays": self.arrays,
            "ram_frame_estimate": self.frame,
            "ram_ear": self.ear,
            "ram_learned_class": self.learned_class,
            "ram_stream": self.stream,
        }


def sizes(known: Known, tables: list[Table], target: str) -> Sizes:
    processor, network = target_by_name(target), known.network
    grouped: dict[str, int] = {}
    for table in tables:
        grouped[table.group] = grouped.get(table.group, 0) + table.bytes
    grouped |= _ear_tables(known)
    grouped["tables of hypertorus.h"] = COSINES + (QUARTERS if known.bits == 2 and target != "riscv" else 0)
    code_bytes = packed_width(known.dim, known.bits)
    classify, encode, layer = processor.code
    own_code, own_frame = processor.convolutions if network is not None and network.columns is not None else (0, 0)
    own_code += processor.ear if known.ear is not None else 0
    learned = known.dim * 8 + code_bytes + 2
    return Sizes(
        grouped,
        largest_table=max(table.bytes for table in tables),
        code=classify if network is None else classify + encode + layer * len(network.layers) + own_code,
        # An ear gives its frames one by one, so that there is no whole picture in memory.
        arguments=code_bytes if network is None or known.ear is not None else code_bytes + network.inputs,
        arrays=0 if network is None else stack_bytes(network),
        frame=processor.frame + own_frame,
        ear=_ear_bytes(known, target),
        stream=stream_bytes(network.columns) if network and isinstance(network.columns, Columns) else 0,
        learned_class=learned if target == "avr" else (learned + 3) // 4 * 4,  # int32 is aligned to words
    )


def _ear_tables(known: Known) -> dict[str, int]:
    if known.ear is None:
        return {}
    from hypertorus.export.ear import LOGARITHMS, ear_tables  # which need torch

    return {"tables of the ear": sum(table.bytes for table in ear_tables(known.ear)) + LOGARITHMS}


def _ear_bytes(known: Known, target: str) -> int:
    if known.ear is None:
        return 0
    from hypertorus.export.ear import ear_bytes

    return ear_bytes(known.ear, target)


def check_fits(needs: Sizes, target: str, chip: Chip | None = None, name: str = "") -> None:
    """Raise an error that says by how much, if the export is too large for the target or the chip."""
    limits = [("flash", needs.flash, chip.flash, name), ("RAM", needs.ram, chip.ram, name)] if chip else []
    if target == "avr":
        limits += [
            ("constants", needs.constants, 2**16, "lpm"),
            ("one table", needs.largest_table, 2**15 - 1, "avr-gcc"),
        ]
    for what, needed, limit, owner in limits:
        if needed > limit:
            raise ValueError(
                f"this needs {needed:,} bytes of {what} and {owner} has {limit:,}: {needed - limit:,} too few; store "
                "fewer --prototypes or --bits, or train a smaller --encoder of another WIDTH or --dim."
            )
