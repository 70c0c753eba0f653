"""The page of records: what each file in results/ measures, with its command, machine, date, figures and pages."""

from __future__ import annotations

import ast
import itertools
import json
import re
import shlex
from pathlib import Path
from typing import Any

import commands
import typer.main

from hypertorus.cli import app

OPENING = """# Records

Every number in these pages comes from a command, and what the command measured is kept in `results/` of the repository:
one JSON file a record, with the command, the machine, the date and the versions of what it ran on. Timings are ratios
within one run. `make bench` measures the speed on your machine."""


def page(root: Path, documents: dict[str, str]) -> str:
    """Return the Markdown of the page; `documents` are the texts of docs/ by path, and links are as from docs/."""
    results = root / "results"
    records = sorted(results.glob("*.json"))
    parts = [OPENING, _table(records), *(_entry(record, root, documents) for record in records)]
    if others := [file for file in sorted(results.glob("*.csv")) if _owner(file) is None]:
        listed = "\n".join(f"* {_link(file, root)}{_mentions(file, documents)}" for file in others)
        parts += ["## Tables without a record", "The page that shows such a table has its command.", listed]
    return "\n\n".join(parts) + "\n"


def _read(record: Path) -> dict[str, Any]:
    content = json.loads(record.read_text())
    if missing := {"command", "date", "machine", "versions", "result"} - set(content):
        raise ValueError(f"{record} has no {', '.join(sorted(missing))}.")
    return content


def _table(records: list[Path]) -> str:
    rows = [f"| [{record.stem}](#{record.stem}) | {_purpose(_read(record))} |" for record in records]
    return "\n".join(["| record | what it measures |", "|---|---|", *rows])


def _entry(record: Path, root: Path, documents: dict[str, str]) -> str:
    content = _read(record)
    files = [file for file in sorted(record.parent.glob(f"{record.stem}*")) if _owner(file) == record]
    facts = f"{content['date']}, {content['machine']}. Files: {', '.join(_link(file, root) for file in files)}."
    plotted = [root / path for path in re.findall(r"--plot (\S+)", content["command"])]
    figures = [
        f"![A figure of the record {record.stem}](../{file.relative_to(root)})"
        for file in [*plotted, *files]
        if file.suffix == ".png"
    ]
    heading = f"## {record.stem} {{#{record.stem}}}"
    command = f"```text\n{content['command']}\n```"
    return "\n\n".join([heading, _purpose(content), command, facts + _mentions(record, documents), *figures])


def _link(file: Path, root: Path) -> str:
    return f"[{file.name}](../{file.relative_to(root)})"


def _mentions(file: Path, documents: dict[str, str]) -> str:
    """The pages that name a file in results/, as a sentence."""
    named = [
        f"[{text.splitlines()[0].removeprefix('# ')}]({path})"
        for path, text in documents.items()
        if f"results/{file.name}" in text
    ]
    return f" Discussed in {', '.join(named)}." if named else ""


def _purpose(content: dict[str, Any]) -> str:
    """The first sentence of the module or of the command that made the record."""
    words = [*itertools.dropwhile(lambda word: "=" in word, shlex.split(content["command"]))]  # variables come first
    if words[0] == "hypertorus":
        called = itertools.takewhile(lambda word: not word.startswith("-"), words)
        text = dict(commands.leaves(typer.main.get_command(app)))[tuple(called)].help
    else:  # python -m module
        place = Path(__file__).parent.parent.joinpath(*words[2].split("."))
        source = place / "__main__.py" if place.is_dir() else place.with_suffix(".py")
        text = ast.get_docstring(ast.parse(source.read_text())) or ""
    return " ".join(text.split("\n\n", maxsplit=1)[0].split()).replace("|", "\\|")


def _owner(file: Path) -> Path | None:
    """The record that a file in results/ belongs to: the one with the longest name that its own begins with."""
    owners = [record for record in file.parent.glob("*.json") if re.match(rf"{re.escape(record.stem)}\b", file.stem)]
    return max(owners, key=lambda record: len(record.stem), default=None)
