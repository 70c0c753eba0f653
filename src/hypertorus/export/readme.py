"""Writes the README.md of an export."""

from __future__ import annotations

from hypertorus import __version__
from hypertorus.export.firmware import Firmware
from hypertorus.export.targets import TARGETS


def readme(made: Firmware) -> str:
    known, sizes = made.known, made.sizes
    classes = ", ".join(known.classes[:20]) + (", ..." if len(known.classes) > 20 else "")
    what = (
        f"Written by hypertorus {__version__} (`hypertorus export c`). It tells {len(known.classes)} classes apart: "
        f"{classes}. Everything is integers; nothing is allocated, and there are no variables in RAM."
    )
    where = (
        "Arduino: copy this folder to `libraries/` and `#include <model.h>`. PlatformIO: copy it to `lib/`. "
        f"Elsewhere: `{TARGETS[made.target].compile}`."
    )
    learn = (
        "To learn a class on the device, begin with `ht_class owl = {0};` and call `ht_learn(&owl, code)` for each "
        "example; `ht_classify(code, &owl, 1)` is `HT_CLASSES` for what is nearest to it. It takes "
        f"{sizes.learned_class:,} bytes of RAM."
    )
    title = f"# {known.name}, as C for microcontrollers"
    parts = [title, what, _numbers(made), "## Use", f"```c\n{_example(made)}\n```", where, learn]
    if known.ear is not None:
        parts.append(
            "The ear of the network is here too: `ear_tables.h` has its settings, and `hypertorus_levels.h` says how "
            "to give it samples and take frames for `ht_window_frame` or, without end, `ht_stream_frame`."
        )
    if known.network is not None and known.network.signed:
        parts.append(
            "An input is made of a vector by `inputs.csv`: (number - mean) / std * 32, rounded and held to -128..127."
        )
    return "\n\n".join(parts) + "\n"


def _numbers(made: Firmware) -> str:
    known, sizes, accuracies = made.known, made.sizes, made.accuracies
    judged = "codes of the index" if known.test is None else "test inputs"
    stack, ear = sizes.arrays + sizes.frame, f", {sizes.ear:,} of the ear" if sizes.ear else ""
    rows = [
        ("codes", f"{len(made.prototypes.stored.codes):,} of {known.dim} coordinates x {known.bits} bits"),
        ("which are", made.prototypes.kind),
        (f"accuracy on {accuracies.judged:,} {judged}", f"{accuracies.stored:.3f}"),
        ("flash, constants", f"{sizes.constants:,} bytes"),
        (f"flash, machine code ({made.target}, estimated)", f"{sizes.code:,} bytes"),
        ("RAM", f"{sizes.ram:,} bytes: {sizes.arguments} of input and code, {stack:,} of stack{ear}"),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def _example(made: Firmware) -> str:
    begin = (
        ["uint8_t code[HT_CODE_BYTES];  /* of another device, or of a network of yours */"]
        if made.known.network is None
        else ["ht_input input[HT_INPUTS];    /* fill it */", "uint8_t code[HT_CODE_BYTES];", "ht_encode(input, code);"]
    )
    end = ["char label[HT_LABEL_BYTES];", "ht_label(ht_classify(code, 0, 0), label);"]
    return "\n".join(['#include "model.h"', *begin, *end])
