"""The reference of the Python interface: pages made of the docstrings and signatures of every public name."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import hypertorus as ht

PAGES = {
    "training": ("Data, models and training", "training datasets models losses sound"),
    "codes": ("Spaces, codes and coders", "spaces codes coders"),
    "embeddings": ("Embeddings and evaluation", "embeddings evaluation classes"),
    "search": ("Search", "search engines shards"),
    "recordings": ("Recordings and answers", "listen annotations workbench"),
}
"""Each page of the reference: its title, and the rooms whose public names it describes."""

WIDTH = 100


def pages() -> dict[str, str]:
    """Return the Markdown of each page of the reference, by file name."""
    where = {name: _page_of(name) for name in ht.__all__}
    written = {"index.md": _contents(where)}
    for page, (title, _) in PAGES.items():
        entries = [_entry(name, where) for name in ht.__all__ if where[name] == page]
        written[f"{page}.md"] = "\n\n".join([f"# {title}", *entries]) + "\n"
    return written


def _page_of(name: str) -> str:
    room = _target(name).__module__.split(".")[1]
    pages_of_room = [page for page, (_, rooms) in PAGES.items() if room in rooms.split()]
    if len(pages_of_room) != 1:
        raise ValueError(f"ht.{name} is of the room {room}, which has {len(pages_of_room)} pages in docs/reference.py.")
    return pages_of_room[0]


def _target(name: str) -> Any:
    return getattr(ht, name)


def _contents(where: dict[str, str]) -> str:
    lines = ["# Python", "", "Every name of `import hypertorus as ht`, by topic. Everything else may change."]
    for page, (title, _) in PAGES.items():
        lines += ["", f"## {title}", "", "| name | what it is |", "|---|---|"]
        for name in sorted((name for name in where if where[name] == page), key=str.lower):
            first = _paragraphs(_target(name))[0].replace("\n", " ").replace("|", "\\|")
            lines.append(f"| [`ht.{name}`]({page}.md#{name}) | {_linked(first, where)} |")
    return "\n".join(lines) + "\n"


def _entry(name: str, where: dict[str, str]) -> str:
    value = _target(name)
    heading = f"## ht.{name} {{#{name}}}"
    if value.__name__ != name and value.__name__ in where:
        return f"{heading}\n\nThe same as [`ht.{value.__name__}`](#{value.__name__})."
    parts = [heading, _code(f"ht.{name}", value), _text(value, where)]
    if inspect.isclass(value):
        parts += [_fields(value), *_members(name, value, where)]
    return "\n\n".join(filter(None, parts))


def _members(name: str, cls: type, where: dict[str, str]) -> Iterator[str]:
    """The attributes and methods of a class and of its private bases; those of a public base are linked."""
    public = {getattr(ht, other): other for other in where}
    own = list(itertools.takewhile(lambda base: base is cls or base not in public, cls.__mro__))
    members: dict[str, Any] = {}
    for base in own:
        if base.__module__.startswith("hypertorus."):
            members |= {member: value for member, value in vars(base).items() if member not in members}
    shown = {member: _function(value) for member, value in members.items() if not member.startswith("_")}
    attributes = [member for member in shown if isinstance(members[member], property | functools.cached_property)]
    if attributes:
        rows = [_attribute(member, shown[member], where) for member in attributes]
        yield "\n".join(["| attribute | type | what it is |", "|---|---|---|", *rows])
    for member, function in shown.items():
        if member not in attributes and inspect.isfunction(function):
            heading = f"### {member} {{#{name}.{member}}}"
            yield "\n\n".join(filter(None, [heading, _code(member, function, method=True), _text(function, where)]))
    for base in cls.__mro__[len(own) :][:1]:
        yield f"It also has everything of [`ht.{public[base]}`]({where[public[base]]}.md#{public[base]})."


def _function(value: Any) -> Any:
    """The function behind a method, a class method, a property or a cached property."""
    return getattr(value, "__func__", getattr(value, "fget", getattr(value, "func", value)))


def _attribute(name: str, function: Any, where: dict[str, str]) -> str:
    kind = _kind(function.__annotations__.get("return", "")).replace("|", "\\|")
    text = " ".join((inspect.getdoc(function) or "").split())
    return f"| `{name}`{{.option}} | `{kind}` | {_linked(text, where)} |"


def _code(name: str, value: Any, *, method: bool = False) -> str:
    """The signature as a block of code, with one line for each parameter where it is long."""
    try:
        signature = inspect.signature(value)
    except ValueError:  # an exception without parameters of its own
        return ""
    parameters = [_parameter(value) for value in signature.parameters.values()]
    parameters = _with_marks(parameters, list(signature.parameters.values()))
    if method and parameters and parameters[0] in {"self", "cls"}:
        parameters = parameters[1:]
    returned = signature.return_annotation
    arrow = "" if inspect.isclass(value) or returned in {inspect.Signature.empty, "None"} else f" -> {_kind(returned)}"
    line = f"{name}({', '.join(parameters)}){arrow}"
    if len(line) > WIDTH:
        line = "\n".join([f"{name}(", *(f"    {parameter}," for parameter in parameters), f"){arrow}"])
    return f"```python\n{line}\n```"


def _parameter(value: inspect.Parameter) -> str:
    star = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(value.kind.name, "")
    kind = "" if value.annotation is value.empty else f": {_kind(value.annotation)}"
    default = "" if value.default is value.empty else f"{' = ' if kind else '='}{value.default!r}"
    return f"{star}{value.name}{kind}{default}"


def _with_marks(shown: list[str], values: list[inspect.Parameter]) -> list[str]:
    for number, value in enumerate(values):
        if value.kind is value.VAR_POSITIONAL:
            break
        if value.kind is value.KEYWORD_ONLY:
            return [*shown[:number], "*", *shown[number:]]
    return shown


def _kind(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _fields(cls: type) -> str:
    """A table of the fields of a dataclass that are described, by their metadata or by the string below them."""
    if not dataclasses.is_dataclass(cls):
        return ""
    described = _described(cls)
    rows = []
    for field in dataclasses.fields(cls):
        text = field.metadata.get("help") or described.get(field.name)
        if text:
            rows.append(f"| `{field.name}`{{.option}} | {' '.join(text.split()).replace('|', chr(92) + '|')} |")
    return "\n".join(["| field | what it is |", "|---|---|", *rows]) if rows else ""


def _described(cls: type) -> dict[str, str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            found[field.target.id] = str(ast.literal_eval(text.value))
    return found


def _paragraphs(value: Any) -> list[str]:
    return (inspect.getdoc(value) or "").split("\n\n")


def _text(value: Any, where: dict[str, str]) -> str:
    """The docstring as Markdown: examples become blocks of code, and public names become links."""
    if inspect.isclass(value) and not value.__dict__.get("__doc__"):
        return ""
    parts = []
    for paragraph in _paragraphs(value):
        if paragraph.lstrip().startswith(">>>"):
            parts.append(f"```pycon\n{paragraph}\n```")
        elif ">>>" in paragraph:
            words, example = paragraph.split(">>>", 1)
            parts.append(f"{_linked(words.rstrip(), where)}\n\n```pycon\n>>>{example}\n```")
        else:
            parts.append(_linked(paragraph, where))
    return "\n\n".join(parts)


def _linked(text: str, where: dict[str, str]) -> str:
    """Text in which a public name in backticks is a link, unless it could be the name of a parameter."""

    def link(match: re.Match[str]) -> str:
        name = match[1]
        if name not in where or (name.islower() and "_" not in name):
            return match[0]
        return f"[`{name}`]({where[name]}.md#{name})"

    return re.sub(r"(?<!\[)`(\w+)`", link, text)
