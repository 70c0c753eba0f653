"""The folder of an index of sounds: codes, a table of clips, a model, and `sounds.json` with their checksums."""

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
"""Files whose checksums are in `sounds.json`; the checksum of the model's weights is in its own configuration."""
AGAIN = "make it again with: hypertorus sounds index RECORDINGS MODEL --force"


def write_facts(place: Path, path: Path, recordings: Path, left_out: Sequence[str]) -> None:
    """Write `sounds.json` with the checksums of the other files in `place`; `path` is the final path of the folder.

    It has the absolute path of the recordings, and their path relative to the index in case both are moved together.
    """
    try:
        relative = os.path.relpath(recordings, path)
    except ValueError:  # on Windows there is no relative path from one drive to another
        relative = str(recordings)
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "hypertorus": __version__,
        "folder": str(recordings),
        "folder_from_here": relative,
        "left_out": list(left_out),
        "sha256": {name: _checksum(place / name) for name in BOUND},
    }
    with replacing(place / FACTS) as file:
        file.write(json.dumps(content, indent=2).encode() + b"\n")


def read_facts(path: Path) -> dict[str, Any]:
    """Return `sounds.json`, after checking the other files against its checksums."""
    if not path.is_dir():
        raise FileNotFoundError(f"there is no folder {path}; make it with: hypertorus sounds index RECORDINGS MODEL")
    if not (path / FACTS).is_file():
        raise FileNotFoundError(
            f"{path} is not an index of sounds; make one with: hypertorus sounds index RECORDINGS MODEL"
        )
    try:
        facts = json.loads((path / FACTS).read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path / FACTS} is not valid JSON; it was changed, or is damaged: {AGAIN}") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise ValueError(f"{path / FACTS} does not belong to an index of sounds; {AGAIN}")
    version = facts.get("format_version")
    if version != FORMAT_VERSION:
        raise ValueError(
            f"{path} has format version {version!r}, and this hypertorus reads {FORMAT_VERSION}; update hypertorus."
        )
    checksums, types = facts.get("sha256"), {"folder": str, "folder_from_here": str, "left_out": list}
    if not isinstance(checksums, dict) or not all(isinstance(facts.get(name), kind) for name, kind in types.items()):
        raise ValueError(f"{path / FACTS} was changed, or is damaged; {AGAIN}")
    for name in BOUND:
        if not (path / name).is_file():
            raise FileNotFoundError(f"{path} has no {name}; {AGAIN}")
        if _checksum(path / name) != checksums.get(name):
            raise ValueError(
                f"{path / name} does not match its checksum in {FACTS}; it was changed or cut short: {AGAIN}"
            )
    return facts


def recordings_of(path: Path, facts: dict[str, Any]) -> Path:
    """Return the folder of the recordings, by its relative path only if the absolute one no longer exists."""
    absolute = Path(facts["folder"])
    relative = Path(os.path.normpath(path.absolute() / facts["folder_from_here"]))
    return relative if relative.is_dir() and not absolute.is_dir() else absolute


def check_replaceable(path: Path) -> None:
    """Raise an error unless the path is free, an empty folder, or an index of sounds, which may be replaced."""
    if path.is_dir():
        foreign = sorted({entry.name for entry in path.iterdir()} - {INDEX, CLIPS, MODEL, FACTS})
        if foreign:
            raise ValueError(
                f"{path} holds {foreign[0]}, which does not belong to an index of sounds; choose another place."
            )
    elif path.exists():
        raise ValueError(f"{path} is a file; an index of sounds is a folder, so choose another place.")


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
