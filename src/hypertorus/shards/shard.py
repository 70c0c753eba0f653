"""A shard on the machine that searches it: where it is, what it must be, and the index once it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from hypertorus.search import Index, IndexFileError
from hypertorus.shards.manifest import Manifest, Shard, ShardError
from hypertorus.shards.place import place_of


@dataclass(frozen=True)
class ShardSource:
    """Everything that a worker needs to know to open a shard; small, so that it is sent with every task."""

    place: str
    shard: Shard
    dim: int
    bits: int
    metric: str
    model: str | None
    verify: bool

    @classmethod
    def all_of(cls, manifest: Manifest, place: str, *, verify: bool) -> list[ShardSource]:
        shape = manifest.dim, manifest.bits, manifest.metric, manifest.model
        return [cls(place, shard, *shape, verify) for shard in manifest.shards]

    @property
    def number(self) -> int:
        """The number in the name of the shard."""
        return self.shard.number

    def __str__(self) -> str:
        return f"{self.shard.name} of {self.place}"

    def missing(self, reason: str) -> MissingShard:
        return MissingShard(self.shard.name, self.shard.count, f"{self} {reason}")


@dataclass(frozen=True)
class MissingShard:
    """A shard that could not be searched."""

    name: str
    count: int
    """Number of codes in it."""
    reason: str
    """What is wrong with it, as the beginning of a sentence."""

    def error(self) -> ShardError:
        return ShardError(f"{self.reason}; put the right file there, or search the rest with partial=True (--partial).")


class OpenShard:
    """The index of a shard that is open in this process. Sent elsewhere, it is opened there."""

    def __init__(self, source: ShardSource, index: Index) -> None:
        self.source, self.index = source, index

    def __sizeof__(self) -> int:
        """The bytes of the file: whoever thinks of moving it should know that all of them are read again."""
        return self.source.shard.bytes

    def __reduce__(self) -> tuple[object, tuple[ShardSource]]:
        return open_shard, (self.source,)


def open_shard(source: ShardSource) -> OpenShard | MissingShard:
    """Open a shard, or return what is wrong with it; one that is open in this process is not opened again."""
    try:
        return _opened(source)
    except ShardError as error:
        return source.missing(str(error))


@lru_cache(maxsize=1024)
def _opened(source: ShardSource) -> OpenShard:
    index = _index(source)
    told = {"dim": index.dim, "bits": index.bits, "metric": index.metric}
    expected = {"dim": source.dim, "bits": source.bits, "metric": source.metric}
    if index.model != source.model:
        raise ShardError(f"is of {_model(index.model)}, and the other shards are of {_model(source.model)}")
    if told != expected:
        raise ShardError(f"has {_facts(told)}, and the other shards have {_facts(expected)}")
    if index.file_checksum != source.shard.checksum:
        raise ShardError("is another file than the manifest says, or was changed since")
    return OpenShard(source, index)


def _index(source: ShardSource) -> Index:
    place = place_of(source.place)
    try:
        path = place.local(source.shard)
        try:
            return Index.open(path, verify=source.verify)
        except IndexFileError:
            if not place.is_remote:
                raise
            path.unlink(missing_ok=True)  # the copy may be damaged, and the shard sound
            return Index.open(place.local(source.shard), verify=source.verify)
    except FileNotFoundError:
        raise ShardError("is missing") from None
    except IndexFileError as error:
        raise ShardError(f"cannot be opened ({str(error).rstrip('.')})") from error
    except ImportError:
        raise
    except Exception as error:  # file systems of fsspec have errors of their own
        raise ShardError(f"cannot be read ({type(error).__name__}: {str(error).rstrip('.')})") from error


def _model(fingerprint: str | None) -> str:
    return "no known model" if fingerprint is None else f"the model {fingerprint}"


def _facts(facts: dict[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in facts.items())
