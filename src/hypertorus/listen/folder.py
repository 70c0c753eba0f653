"""An index of sounds on disk: codes, a table of clips, a model, and `sounds.json`, which binds them by checksums."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypertorus import __version__
from hypertorus.files.atomic import replacing

FORMAT = "hypertorus-sound-index"
FORMAT_VERSION = 1
INDEX, CLIPS, MODEL, FACTS = "index.safetensors", "clips.csv", "model", "sounds.json"
BOUND = (INDEX, CLIPS, f"{MODEL}/config.json")
"""The model's weights are bound by its own configuration."""
AGAIN = "make it again with: hypertorus sounds index RECORDINGS MODEL --force"


def write_facts(place: Path, path: Path, recordings: Path, left_out: Sequence[str]) -> None:
    """Write the last file, with the checksums of the others in `place`; `path` is where the folder will be.

    Recordings are found again where they were or, when they moved together with the index, by the way from it.
    """
    try:
        way = os.path.relpath(recordings, path)
    except ValueError:  # on Windows there is no way from one drive to another
        way = str(recordings)
    written = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "hypertorus": __version__,
        "folder": str(recordings),
        "folder_from_here": way,
        "left_out": list(left_out),
        "sha256": {name: _checksum(place / name) for name in BOUND},
    }
    with replacing(place / FACTS) as file:
        file.write(json.dumps(written, indent=2).encode() + b"\n")


def read_facts(path: Path) -> dict[str, Any]:
    """What `sounds.json` says, once it is clear that the other files are those it speaks of."""
    if not path.is_dir():
        raise FileNotFoundError(f"there is no folder {path}; make it with: hypertorus sounds index RECORDINGS MODEL")
    if not (path / FACTS).is_file():
        raise FileNotFoundError(
            f"{path} is no index of sounds; make one with: hypertorus sounds index RECORDINGS MODEL"
        )
    try:
        facts = json.loads((path / FACTS).read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path / FACTS} is no JSON; it was changed, or is damaged: {AGAIN}") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise ValueError(f"{path / FACTS} is not of an index of sounds; {AGAIN}")
    version = facts.get("format_version")
    if version != FORMAT_VERSION:
        raise ValueError(
            f"{path} has format version {version!r}, and this hypertorus reads {FORMAT_VERSION}; update it."
        )
    checksums, wanted = facts.get("sha256"), {"folder": str, "folder_from_here": str, "left_out": list}
    if not isinstance(checksums, dict) or not all(isinstance(facts.get(name), kind) for name, kind in wanted.items()):
        raise ValueError(f"{path / FACTS} was changed, or is damaged; {AGAIN}")
    for name in BOUND:
        if not (path / name).is_file():
            raise FileNotFoundError(f"{path} has no {name}; {AGAIN}")
        if _checksum(path / name) != checksums.get(name):
            raise ValueError(
                f"{path / name} is not the file that {FACTS} speaks of; it was changed or cut short: {AGAIN}"
            )
    return facts


def recordings_of(path: Path, facts: dict[str, Any]) -> Path:
    """Where the recordings are or, if they are nowhere, where they were."""
    absolute = Path(facts["folder"])
    by_way = Path(os.path.normpath(path.absolute() / facts["folder_from_here"]))
    return by_way if by_way.is_dir() and not absolute.is_dir() else absolute


def check_replaceable(path: Path) -> None:
    """Nothing but an index of sounds, or an empty folder, is ever replaced by one."""
    if path.is_dir():
        foreign = sorted({entry.name for entry in path.iterdir()} - {INDEX, CLIPS, MODEL, FACTS})
        if foreign:
            raise ValueError(f"{path} holds {foreign[0]}, which is not of an index of sounds; choose another place.")
    elif path.exists():
        raise ValueError(f"{path} is a file; an index of sounds is a folder, so choose another place.")


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
