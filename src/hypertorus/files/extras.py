"""Heavy libraries are optional; where one is missing, say which install brings it."""

from __future__ import annotations

from importlib.util import find_spec


def require(module: str, extra: str) -> None:
    """Raise an ImportError that names the fix unless `module` can be imported.

    >>> require("numpy", extra="train")
    >>> require("no_such_module", extra="train")
    Traceback (most recent call last):
    ImportError: this needs no_such_module, which is not installed; run: pip install 'hypertorus[train]'
    """
    if find_spec(module) is None:
        raise ImportError(f"this needs {module}, which is not installed; run: pip install 'hypertorus[{extra}]'")
