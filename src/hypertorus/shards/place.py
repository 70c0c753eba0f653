"""Where a sharded index lies: a folder, or a prefix of any file system that fsspec knows, such as s3:// and gs://."""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypertorus.files.atomic import replacing
from hypertorus.files.extras import require
from hypertorus.files.lock import FileLock
from hypertorus.search import Index
from hypertorus.shards.cached import cached_file
from hypertorus.shards.manifest import MANIFEST, Manifest, Shard, ShardError, is_shard_name


class Place(ABC):
    """The files of a sharded index by name."""

    url: str
    is_remote = False
    """Whether shards are fetched to a cache of this machine."""

    def __str__(self) -> str:
        return self.url

    def manifest(self) -> Manifest:
        """Return the manifest, read anew."""
        try:
            text = self._read(MANIFEST)
        except (FileNotFoundError, NotADirectoryError):
            raise ShardError(
                f"{self} has no {MANIFEST}, so it holds no sharded index, or one whose build did not finish; make one "
                "with: hypertorus shards build."
            ) from None
        return Manifest.parsed(text, f"{self}/{MANIFEST}")

    @abstractmethod
    def _read(self, name: str) -> bytes: ...

    @abstractmethod
    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest in one step."""

    @abstractmethod
    def has_manifest(self) -> bool: ...

    @abstractmethod
    def save(self, name: str, index: Index) -> tuple[str, int]:
        """Write a shard, and return its checksum and bytes."""

    @abstractmethod
    def remove(self, names: Iterable[str]) -> None:
        """Remove shards that no manifest names any more."""

    @abstractmethod
    def local(self, shard: Shard) -> Path:
        """Return a file of this machine that holds a shard."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other writers out, where that is possible."""
        yield


@dataclass(frozen=True)
class LocalPlace(Place):
    """A folder of this machine, or one that all machines mount."""

    folder: Path

    @property
    def url(self) -> str:  # type: ignore[override]
        return str(self.folder)

    def _read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def write_manifest(self, manifest: Manifest) -> None:
        with replacing(self.folder / MANIFEST) as file:
            file.write(manifest.text().encode())

    def has_manifest(self) -> bool:
        return (self.folder / MANIFEST).exists()

    def save(self, name: str, index: Index) -> tuple[str, int]:
        index.save(self.folder / name)
        return str(index.file_checksum), (self.folder / name).stat().st_size

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            (self.folder / name).unlink(missing_ok=True)

    def local(self, shard: Shard) -> Path:
        return self.folder / shard.name

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Wait for other writers, and remove what one that was killed has left."""
        with FileLock(self.folder / MANIFEST):
            listed = {shard.name for shard in self.manifest().shards}
            names = [path.name for path in self.folder.iterdir()]
            self.remove(name for name in names if is_shard_name(name) and name not in listed)
            yield


@dataclass(frozen=True)
class RemotePlace(Place):
    """A prefix of a file system of fsspec. Its shards are fetched to a cache of this machine when they are opened."""

    url: str
    is_remote = True

    def _file_system(self) -> tuple[Any, str]:
        require("fsspec", extra="cluster")
        from fsspec.core import url_to_fs

        return url_to_fs(self.url)

    def _read(self, name: str) -> bytes:
        files, prefix = self._file_system()
        return files.cat_file(f"{prefix}/{name}")

    def write_manifest(self, manifest: Manifest) -> None:
        files, prefix = self._file_system()
        files.pipe_file(f"{prefix}/{MANIFEST}", manifest.text().encode())  # which object stores do in one step

    def has_manifest(self) -> bool:
        files, prefix = self._file_system()
        return files.exists(f"{prefix}/{MANIFEST}")

    def save(self, name: str, index: Index) -> tuple[str, int]:
        files, prefix = self._file_system()
        with tempfile.TemporaryDirectory(prefix="hypertorus-") as folder:
            file = Path(folder, name)
            index.save(file)
            files.makedirs(prefix, exist_ok=True)
            files.put_file(str(file), f"{prefix}/{name}")
            return str(index.file_checksum), file.stat().st_size

    def remove(self, names: Iterable[str]) -> None:
        files, prefix = self._file_system()
        for name in names:
            if files.exists(f"{prefix}/{name}"):
                files.rm_file(f"{prefix}/{name}")

    def local(self, shard: Shard) -> Path:
        files, prefix = self._file_system()
        return cached_file(files, f"{prefix}/{shard.name}", shard.checksum)


def place_of(path: str | os.PathLike[str]) -> Place:
    """Return the place of a path, or of a URL as fsspec has them.

    >>> place_of("s3://birds/owls")
    RemotePlace(url='s3://birds/owls')
    >>> place_of("file:///data/owls").url
    '/data/owls'
    """
    text = os.fspath(path).rstrip("/") or "/"
    if text.startswith("file://"):
        text = text.removeprefix("file://")
    if "://" in text:
        return RemotePlace(text)
    return LocalPlace(Path(text).absolute())
