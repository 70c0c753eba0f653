"""Writes the folder of an export: a library for Arduino and PlatformIO, and plain C for other systems."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np

from hypertorus import __version__
from hypertorus.export.c_source import c_source
from hypertorus.export.firmware import Firmware
from hypertorus.export.headers import EAR_HEADERS, EAR_TABLES, HEADERS, header_files
from hypertorus.export.readme import readme
from hypertorus.files.whole_folder import whole_folder

FILES = {"library.properties", "library.json", "README.md", "inputs.csv"} | {
    f"src/{name}" for name in ("model.h", "model.c", *HEADERS, *EAR_HEADERS, EAR_TABLES)
}
"""All files that an export may write."""


def write_firmware(made: Firmware, out: Path, *, force: bool = False) -> None:
    """Write the folder completely or not at all; `force` replaces an earlier export, and nothing else."""
    check_place(out, force=force)
    source = c_source(made.known, made.prototypes, made.tables)
    texts = {
        "src/model.h": source.header,
        "src/model.c": source.code,
        "library.properties": _arduino(made),
        "library.json": _platformio(made),
        "README.md": readme(made),
    }
    headers = header_files()
    with whole_folder(out) as folder:
        (folder / "src").mkdir()
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        for header in headers:
            shutil.copyfile(header, folder / "src" / header.name)
        if made.known.ear is not None:
            from hypertorus.export.ear import write_ear  # which needs torch

            write_ear(made.known.ear, folder / "src")
        if made.known.network is not None and made.known.scaling is not None:
            np.savetxt(folder / "inputs.csv", made.known.scaling, "%.9g", ",", header="mean,std", comments="")


def check_place(out: Path, *, force: bool = False) -> None:
    """Raise an error unless an export may be written to this folder."""
    if not out.exists():
        return
    if not out.is_dir():
        raise ValueError(f"--out is {out}, which is a file; choose a folder.")
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if not path.is_dir() or path.is_symlink()}
    if files - FILES or (files and "src/model.h" not in files):
        other = min(files - FILES or files)
        raise ValueError(f"--out is {out}, which holds {other}, not written by an export; choose another folder.")
    if files and not force:
        raise ValueError(f"--out is {out}, which already holds an export; pass --force to replace it.")


def _arduino(made: Firmware) -> str:
    facts = {
        "name": library_name(made),
        "version": __version__,
        "author": "hypertorus",
        "maintainer": "hypertorus",
        "sentence": _sentence(made),
        "paragraph": "Integers alone, no allocation; it learns new classes on the device.",
        "category": "Data Processing",
        "url": "https://arxiv.org/abs/2603.03135",
        "architectures": "*",
        "includes": "model.h",
    }
    return "".join(f"{key}={value}\n" for key, value in facts.items())


def _platformio(made: Firmware) -> str:
    facts = {
        "name": library_name(made),
        "version": __version__,
        "description": _sentence(made),
        "frameworks": "*",
        "platforms": "*",
        "headers": "model.h",
    }
    return json.dumps(facts, indent=2) + "\n"


def library_name(made: Firmware) -> str:
    return "hypertorus_" + (re.sub(r"[^A-Za-z0-9]+", "_", made.known.name).strip("_") or "model")


def _sentence(made: Firmware) -> str:
    return f"Classifies into {len(made.known.classes)} classes by the nearest torus code."
