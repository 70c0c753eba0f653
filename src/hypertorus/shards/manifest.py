"""The manifest of a sharded index: a JSON file that says what the shards have in common, and which they are."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Self

from hypertorus.codes import BITS
from hypertorus.search import METRICS

MANIFEST = "shards.json"
FORMAT = "hypertorus-shards"
FORMAT_VERSION = 1
LABELS = ("no", "numbers", "strings")
_NAME = re.compile(r"shard-\d{5,}\.index")


class ShardError(ValueError):
    """A sharded index, or a shard of one, that is missing, damaged or another one than its manifest says."""


@dataclass(frozen=True)
class Shard:
    """One file of the index: its name beside the manifest, and what it must turn out to be."""

    name: str
    count: int
    first_id: int
    """The smallest id; ids lie between the two, and ranges of shards may overlap."""
    last_id: int
    checksum: str
    """SHA-256 of the header of the file, which has checksums of everything else in it."""
    bytes: int

    @property
    def number(self) -> int:
        """The number in its name."""
        return int(self.name.removeprefix("shard-").removesuffix(".index"))


@dataclass(frozen=True)
class Manifest:
    """What every shard has in common, and the shards.

    >>> manifest = Manifest(dim=64, bits=8, metric="l1", model=None, labels="no", names=False, next_id=0, shards=())
    >>> Manifest.parsed(manifest.text(), "here") == manifest
    True
    """

    dim: int
    bits: int
    metric: str
    model: str | None
    """The fingerprint of the model that made the codes."""
    labels: str
    """What labels are: numbers or strings, or `no` labels."""
    names: bool
    next_id: int
    """The id from which codes that come without ids are counted."""
    shards: tuple[Shard, ...]

    @property
    def count(self) -> int:
        return sum(shard.count for shard in self.shards)

    @property
    def next_number(self) -> int:
        """The number of the next shard, which no shard in the manifest has."""
        return 1 + max((shard.number for shard in self.shards), default=-1)

    def text(self) -> str:
        """Return the manifest as JSON, with a checksum of itself."""
        facts = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        return json.dumps({**facts, "checksum": _checksum(facts)}, indent=2) + "\n"

    @classmethod
    def parsed(cls, text: str | bytes, place: str) -> Self:
        """Return the manifest in a JSON text; errors call it by its place."""
        facts = _facts(text, place)
        version = facts.pop("format_version", None)
        if facts.pop("format", None) != FORMAT:
            raise ShardError(f"{place} is no manifest of shards; make one with: hypertorus shards build.")
        if version != FORMAT_VERSION:
            raise ShardError(f"{place} has format version {version!r:.20}, not {FORMAT_VERSION}; update hypertorus.")
        checksum = facts.pop("checksum", None)
        if checksum != _checksum({"format": FORMAT, "format_version": version, **facts}):
            raise ShardError(f"{place} is damaged: its checksum is wrong; build the shards anew.")
        try:
            shards = tuple(Shard(**shard) for shard in facts.pop("shards"))
            manifest = cls(**facts, shards=shards)
            valid = manifest._is_valid()
        except (TypeError, KeyError, ValueError):
            valid = False
        if not valid:
            raise ShardError(f"{place} speaks of shards that cannot be; build them anew.")
        return manifest

    def _is_valid(self) -> bool:
        names = [shard.name for shard in self.shards]
        numbers = [n for s in self.shards for n in (s.count, s.first_id, s.last_id, s.bytes)]
        return (
            all(type(number) is int and 0 <= number <= 2**63 for number in (self.dim, self.next_id, *numbers))
            and self.dim > 0
            and self.bits in BITS
            and self.metric in METRICS
            and isinstance(self.model, str | None)
            and self.labels in LABELS
            and isinstance(self.names, bool)
            and len(set(names)) == len(names)
            and all(_NAME.fullmatch(name) for name in names)  # and so none lies outside the folder
            and all(re.fullmatch(r"[0-9a-f]{64}", shard.checksum) for shard in self.shards)
        )


def shard_name(number: int) -> str:
    """Return the name of the file of a shard.

    >>> shard_name(7)
    'shard-00007.index'
    """
    return f"shard-{number:05d}.index"


def is_shard_name(name: str) -> bool:
    """Return whether a file is named as shards are."""
    return _NAME.fullmatch(name) is not None


def _facts(text: str | bytes, place: str) -> dict[str, Any]:
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise ShardError(f"{place} is no JSON of a manifest; build the shards anew.")
    return facts


def _checksum(facts: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
