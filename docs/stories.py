"""The page of examples: the stories in examples/, each with what it shows and its code."""

from __future__ import annotations

import ast
from pathlib import Path

OPENING = """# Five stories

Each is a script of about thirty lines that reads from top to bottom. Run one from the repository, for example with
`python examples/images.py`."""


def page(root: Path) -> str:
    """Return the Markdown of the page; its links are those of a page in docs/."""
    return "\n\n".join([OPENING, *(_story(path) for path in paths(root))]) + "\n"


def paths(root: Path) -> list[Path]:
    """Return the scripts of the stories."""
    return [path for path in sorted((root / "examples").glob("*.py")) if path.name != "__init__.py"]


def _story(path: Path) -> str:
    source = path.read_text()
    docstring = ast.get_docstring(ast.parse(source)) or ""
    title, _, text = docstring.partition("\n\n")
    code = source.split('"""', 2)[2].strip()
    link = f"[examples/{path.name}](../examples/{path.name})"
    return f"## {title.rstrip('.')}\n\n{text}\n\n{link}\n\n```python\n{code}\n```"
