"""Which recordings of an index are meant by a path, a folder or a pattern."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase


def named_files(paths: Sequence[str], names: Sequence[str]) -> set[int]:
    """Return the numbers of the paths that are named: by themselves, by a folder that they are in, or by a pattern.

    >>> sorted(named_files(["a/1.wav", "a/2.wav", "b/1.wav", "c.wav"], ["a", "c.*"]))
    [0, 1, 3]
    """
    found: set[int] = set()
    for name in names:
        folder = name.rstrip("/") + "/"
        own = {
            number
            for number, path in enumerate(paths)
            if path == name or path.startswith(folder) or fnmatchcase(path, name)
        }
        if not own:
            raise ValueError(
                f"the index has no recording {name}; name one as `hypertorus sounds search` lists it, a folder or a "
                "pattern such as 'site/*.wav'."
            )
        found |= own
    return found
