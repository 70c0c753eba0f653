"""The reference of the command line: a page made of the help of every command."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer.main

from hypertorus.cli import app


def page() -> str:
    """Return the Markdown of the page."""
    entries = [_entry(words, command) for words, command in leaves(typer.main.get_command(app))]
    opening = "# Commands\n\nEvery command and its options, as `--help` shows them."
    return "\n\n".join([opening, *entries]) + "\n"


def leaves(command: Any, words: tuple[str, ...] = ("hypertorus",)) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each command that does something, with the words that call it."""
    if not hasattr(command, "commands"):
        yield words, command
        return
    for name, below in command.commands.items():
        yield from leaves(below, (*words, name))


def _entry(words: tuple[str, ...], command: Any) -> str:
    shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    arguments = [parameter for parameter in shown if parameter.param_type_name == "argument"]
    options = [parameter for parameter in shown if parameter.param_type_name == "option"]
    usage = " ".join([*words, *(_name(argument) for argument in arguments), *(["[OPTIONS]"] if options else [])])
    rows = [f"| `{_name(parameter)}`{{.option}} | {_sentence(parameter)} |" for parameter in [*arguments, *options]]
    table = "\n".join(["| | what it is |", "|---|---|", *rows]) if rows else ""
    heading = f"## {' '.join(words)} {{#{'-'.join(words[1:])}}}"
    help_text = re.sub(r"^Example: (.*)$", r"Example: `\1`", inspect.cleandoc(command.help or ""), flags=re.MULTILINE)
    return "\n\n".join(filter(None, [heading, f"```text\n{usage}\n```", help_text, table]))


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        metavar = str(parameter.metavar or parameter.name.upper())
        return metavar + ("..." if parameter.nargs == -1 and not metavar.endswith("...") else "")
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    return names if parameter.is_flag else f"{names} {parameter.metavar or parameter.type.name.upper()}"


def _sentence(parameter: Any) -> str:
    text = " ".join((parameter.help or "").split()).replace("|", "\\|")
    default = parameter.default
    if default in (None, False, "", (), []) or callable(default) or "Ellipsis" in repr(default) or default is True:
        return text
    return f"{text} Default: `{default}`."
