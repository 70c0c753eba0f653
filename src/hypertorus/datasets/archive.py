"""Downloads published files into the data folder, by https alone, and checks them whenever they are used."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    UnknownHandler,
)

from hypertorus.files.atomic import replacing
from hypertorus.files.cache import cache_folder
from hypertorus.files.progress import Progress

HANDLERS = (
    *(ProxyHandler, HTTPSHandler, HTTPRedirectHandler),
    *(HTTPDefaultErrorHandler, HTTPErrorProcessor, UnknownHandler),
)
"""What a download understands; plain http is not among it, neither in an address nor where a server redirects to."""


def data_folder() -> Path:
    """Return the folder of published files: $HYPERTORUS_DATA, or a folder of the user's cache."""
    if folder := os.environ.get("HYPERTORUS_DATA"):
        return Path(folder).expanduser()
    return cache_folder("data")


@dataclass(frozen=True)
class Archive:
    """A published file, at `address`/`name`."""

    name: str
    address: str
    md5: str

    def fetch(self, folder: Path, progress: Progress | None = None) -> Path:
        """Return the path of the file in `folder`; it is checked if it exists, and downloaded if it does not."""
        path = folder / self.name
        if path.is_file():
            self.check(path)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            self._download(path, progress)
        return path

    def check(self, path: Path) -> None:
        """Raise an error unless a file is the one that was published."""
        with path.open("rb") as file:
            checksum = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
        if checksum != self.md5:
            raise ValueError(
                f"{path} has the MD5 checksum {checksum}, but {self.md5} was published; remove it to have it "
                "downloaded again."
            )

    def _download(self, path: Path, progress: Progress | None) -> None:
        checksum = hashlib.md5(usedforsecurity=False)
        with replacing(path) as file:
            for piece, total in self._pieces(path):
                file.write(piece)
                checksum.update(piece)
                if progress:
                    progress(file.tell(), total)
            if checksum.hexdigest() != self.md5:
                raise ValueError(
                    f"{self.address}/{self.name} has the MD5 checksum {checksum.hexdigest()}, but {self.md5} was "
                    f"published; try again, or put the right file at {path}."
                )

    def _pieces(self, path: Path) -> Iterator[tuple[bytes, int]]:
        """Yield the content in pieces, each with the total number of bytes."""
        address = f"{self.address}/{self.name}"
        try:
            with _opener().open(address, timeout=60) as answer:
                total, done = answer.length or 0, 0
                while piece := answer.read(1 << 18):
                    done += len(piece)
                    yield piece, max(done, total)
        except (OSError, HTTPException) as error:
            if isinstance(error, HTTPError):
                error.close()  # it holds the connection
            raise FileNotFoundError(
                f"{path} does not exist, and {address} could not be read ({error}); "
                "download it from that address by other means and put it there."
            ) from error
        if done < total:
            raise FileNotFoundError(
                f"{path} does not exist, and {address} broke off after {done:,} of {total:,} bytes; "
                "try again, or download it by other means and put it there."
            )


def _opener() -> OpenerDirector:
    opener = OpenerDirector()
    for handler in HANDLERS:
        opener.add_handler(handler())
    return opener
