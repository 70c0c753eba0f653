"""What to do next: commands to paste, which work as they stand on what the demo has just made."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from hypertorus.welcome import digits, sentences, sounds

VECTORS = "vectors.npy"
"""File of vectors for the third command: the pixels of the digits, as any vectors that were made elsewhere."""


@dataclass(frozen=True)
class Command:
    """A command, and the sentence that says what it does."""

    title: str
    text: str
    command: str


def program(executable: str = sys.executable, here: Path | None = None) -> str:
    """Return how this program is called: by its name if that is found, else by its path.

    >>> program("/nowhere/project/.venv/bin/python", Path("/nowhere/project"))
    '.venv/bin/hypertorus'
    """
    own, here = Path(executable).with_name("hypertorus"), here or Path.cwd()
    known = shutil.which("hypertorus")
    if known and Path(known) == own:
        return "hypertorus"
    return shlex.quote(str(own.relative_to(here) if own.is_relative_to(here) else own))


def explorations(folder: Path, *, with_sentences: bool) -> list[Command]:
    """Return the commands that open what the demo has built."""
    explore = f"{program()} explore"
    found = [
        Command(
            "Digits",
            "Click a digit to see what is near it.",
            _line(explore, folder, digits.INDEX, digits.MODEL, images=digits.IMAGES),
        ),
        Command("Sounds", "Listen, and search by any stretch of a song.", _line(explore, folder, sounds.INDEX)),
    ]
    if with_sentences:
        text = "Type a sentence of your own."
        found.append(Command("Sentences", text, _line(explore, folder, sentences.INDEX, sentences.MODEL)))
    return found


def beginnings(folder: Path) -> list[Command]:
    """Return a command for each kind of data, on the data of the demo."""
    images, vectors = (_path(folder, name) for name in (digits.IMAGES, VECTORS))
    recordings = _path(folder, sounds.RECORDINGS)
    return [
        Command(
            "Images",
            "A folder of pictures, with a folder for each class, becomes a model.",
            f"{program()} train {images} --out my-images",
        ),
        Command(
            "Sounds",
            "A folder of recordings becomes a model that tells them apart.",
            f"{program()} train {recordings} --out my-sounds",
        ),
        Command(
            "Vectors",
            "Vectors of any other model become 16 bytes each, without labels.",
            f"{program()} fit-codes {vectors} --bytes 16 --out my-codes",
        ),
    ]


def _path(folder: Path, name: str) -> str:
    return shlex.quote(str(folder / name))


def _line(explore: str, folder: Path, *names: str, images: str | None = None) -> str:
    option = [f"--images {_path(folder, images)}"] if images else []
    return " ".join([explore, *(_path(folder, name) for name in names), *option])
