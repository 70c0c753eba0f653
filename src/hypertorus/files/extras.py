"""Optional libraries: they are imported when they are needed, and an error names the install of a missing one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def require(module: str, extra: str) -> None:
    """Raise an ImportError that names the fix unless `module` can be imported.

    >>> require("numpy", extra="train")
    >>> require("no_such_module", extra="train")
    Traceback (most recent call last):
    ImportError: this needs no_such_module, which is not installed; run: pip install 'hypertorus[train]'
    """
    if find_spec(module) is None:
        raise ImportError(_missing(module, extra))


def explained(error: Exception) -> str:
    """Return the sentence of an error; that of a missing torch, which many modules import, names the fix.

    >>> explained(ModuleNotFoundError("No module named 'torch'", name="torch"))
    "this needs torch, which is not installed; run: pip install 'hypertorus[train]'"
    """
    if isinstance(error, ModuleNotFoundError) and error.name == "torch":
        return _missing("torch", "train")
    return str(error)


def _missing(module: str, extra: str) -> str:
    return f"this needs {module}, which is not installed; run: pip install 'hypertorus[{extra}]'"


def lazy_names(package: str, modules: Mapping[str, str], *, needs: str, extra: str) -> Callable[[str], Any]:
    """Return a module's `__getattr__` that imports each public name from its module when it is first used.

    `modules` maps a name to the module of the package that defines it; `needs` is the library they all import.

    >>> get = lazy_names("hypertorus.files", {"cache_folder": "cache"}, needs="numpy", extra="train")
    >>> get("cache_folder").__name__
    'cache_folder'
    >>> get("cash_folder")
    Traceback (most recent call last):
    AttributeError: module 'hypertorus.files' has no attribute 'cash_folder'
    """

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        require(needs, extra)
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return get
