"""Exchanges the names of two folders in one step, where the system can."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_HERE = -100  # AT_FDCWD: paths are as they are for this process


def exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two existing files or folders; return False, with nothing done, if the system cannot.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     owl, wren = Path(folder, "owl"), Path(folder, "wren")
    ...     _, _ = owl.write_text("tu-whit"), wren.write_text("tic")
    ...     exchange(owl, wren), sorted(path.read_text() for path in (owl, wren))
    (True, ['tic', 'tu-whit'])
    """
    if sys.platform == "win32":
        return False
    names, library = (os.fsencode(one), os.fsencode(other)), ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(*names, _EXCHANGE)
    elif hasattr(library, "renameat2"):
        failed = library.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE)
    else:
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP):  # this file system has no such step
        return False
    raise OSError(number, os.strerror(number), str(one), None, str(other))
