"""The folder of a saved engine: the engine's own files, and `engine.json`, which says what they are.

The engine's files are what its own library writes, so other programs can open them, too. `engine.json` has the shape,
the metric, the versions, the size and checksum of each file, and a checksum of all this; a file that does not fit is
never given to a library. Checksums find damage, not malice: whoever wrote the folder wrote them, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hypertorus import __version__
from hypertorus.files.whole_folder import whole_folder
from hypertorus.search._library import metric_number
from hypertorus.search._rows import Shape

JSON = "engine.json"
_FORMAT, _VERSION = "hypertorus-engine", 1
_AGAIN = "save the engine again"


@dataclass(frozen=True)
class Facts:
    """What `engine.json` says, apart from the files."""

    engine: str
    package: str
    dim: int
    bits: int
    metric: str
    count: int
    options: Mapping[str, int]

    @property
    def shape(self) -> Shape:
        return Shape(self.dim, self.bits)


def write_folder(folder: Path, facts: Facts, write: Callable[[Path], None]) -> None:
    """Replace the folder by what `write` puts into an empty one, described."""
    if folder.exists() and not _replaceable(folder):
        raise ValueError(f"{folder} is not the folder of an engine, so it is not replaced; choose another one.")
    with whole_folder(folder) as fresh:
        write(fresh)
        files = {path.name: {"bytes": path.stat().st_size, "sha256": _sha256(path)} for path in sorted(fresh.iterdir())}
        content = {
            "format": _FORMAT,
            "format_version": _VERSION,
            "versions": {"hypertorus": __version__, facts.package: version(facts.package)},
            **asdict(facts),
            "files": files,
        }
        (fresh / JSON).write_text(json.dumps({**content, "sha256": _seal(content)}, indent=2) + "\n")


def engine_name(folder: Path) -> str:
    """The name of the engine in a folder."""
    return str(_content(folder).get("engine"))


def read_folder(folder: Path, engine: str, files: tuple[str, ...]) -> Facts:
    """Return what `engine.json` says, once it is clear that it is of this engine and of these very files."""
    content = _content(folder)
    if content.get("engine") != engine:
        raise ValueError(
            f"{folder} holds the engine {content.get('engine')!r}, not {engine!r}; open it with ht.open_engine."
        )
    described = content.get("files")
    if not isinstance(described, dict) or set(described) != set(files):
        raise ValueError(f"{folder / JSON} does not describe {' and '.join(files)}; it was changed: {_AGAIN}.")
    for name in files:
        _check_file(folder / name, described[name])
    return _facts(folder, content)


def _content(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}; pass the folder of an engine.")
    try:
        content = json.loads((folder / JSON).read_bytes())
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{folder} has no {JSON}; pass the folder of an engine.") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{folder / JSON} is not valid JSON; it was changed, or is damaged: {_AGAIN}.") from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError(f"{folder / JSON} is not of a hypertorus engine; pass the folder of one.")
    if content.get("format_version") != _VERSION:
        raise ValueError(
            f"{folder / JSON} has format version {content.get('format_version')!r}, and this hypertorus reads "
            f"{_VERSION}; update hypertorus."
        )
    if content.pop("sha256", None) != _seal(content):
        raise ValueError(f"{folder / JSON} does not match its own checksum; it was changed, or is damaged: {_AGAIN}.")
    return content


def _seal(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _facts(folder: Path, content: dict[str, Any]) -> Facts:
    try:
        facts = Facts(**{name: content[name] for name in Facts.__dataclass_fields__})
        metric_number(facts.metric)
        numbers = (facts.shape.dim, facts.count, *dict(facts.options).values())
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder / JSON} describes no engine ({error}): {_AGAIN}.") from error
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError(f"{folder / JSON} describes no engine ({numbers} are not whole numbers): {_AGAIN}.")
    return facts


def _check_file(path: Path, described: Any) -> None:
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing; copy the whole folder, or {_AGAIN}.")
    size = described.get("bytes") if isinstance(described, dict) else None
    if path.stat().st_size != size:
        raise ValueError(
            f"{path} has {path.stat().st_size} bytes, not the {size} that {JSON} says; it was cut short or replaced: "
            f"{_AGAIN}."
        )
    if _sha256(path) != described.get("sha256"):
        raise ValueError(f"{path} does not match its checksum in {JSON}; it was changed, or is damaged: {_AGAIN}.")


def _replaceable(folder: Path) -> bool:
    """Whether this is the folder of an engine, or empty."""
    if folder.is_dir() and not any(folder.iterdir()):
        return True
    try:
        return json.loads((folder / JSON).read_bytes())["format"] == _FORMAT
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
