"""Writes shards: one after the other, each whole or not at all, and the manifest that makes them an index at last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress
from hypertorus.files.whole_folder import whole_folder
from hypertorus.search import Index, check_angles
from hypertorus.search._asked import check_count
from hypertorus.search._ids import LARGEST_ID
from hypertorus.shards.manifest import MANIFEST, Manifest, Shard, is_shard_name, shard_name
from hypertorus.shards.pieces import Piece, Pieces
from hypertorus.shards.place import LocalPlace, Place


def build_shards(
    place: Place,
    pieces: Pieces,
    shards: int,
    bits: int | None = None,
    metric: str | None = None,
    *,
    arrange: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Manifest:
    """Write a new sharded index; an existing one is replaced if `force`, and until that moment stays as it was."""
    sizes = _sizes(pieces.count, check_count(shards, "shards"))
    _check_free(place, force=force)
    fresh = Index(pieces.dim, bits or pieces.bits or 8, metric or pieces.metric or "cosine")  # which checks them
    check_angles(fresh.metric)
    manifest = Manifest(fresh.dim, fresh.bits, fresh.metric, pieces.model, "no", names=False, next_id=0, shards=())
    if isinstance(place, LocalPlace):
        with whole_folder(place.folder) as folder:
            return _Writer(LocalPlace(folder), manifest, 0, arrange, progress).write(pieces, sizes)
    before = place.manifest() if place.has_manifest() else manifest
    manifest = _Writer(place, manifest, before.next_number, arrange, progress).write(pieces, sizes)
    place.remove(shard.name for shard in before.shards)
    return manifest


def add_shards(
    place: Place, pieces: Pieces, shards: int | None = None, *, arrange: bool = False, progress: Progress | None = None
) -> Manifest:
    """Write more shards of an index, by default as few as make none larger than those there are."""
    with place.writing():
        manifest = place.manifest()
        if shards is None:
            shards = -(-pieces.count // max(shard.count for shard in manifest.shards))
        sizes = _sizes(pieces.count, check_count(shards, "shards"))
        return _Writer(place, manifest, manifest.next_number, arrange, progress).write(pieces, sizes)


def _sizes(count: int, shards: int) -> list[int]:
    """How many codes each shard gets: the same, or one more."""
    if shards > count:
        raise ValueError(f"shards is {shards} for {count} vectors; pass at most as many shards as vectors.")
    return [count // shards + (number < count % shards) for number in range(shards)]


def _check_free(place: Place, *, force: bool) -> None:
    """Raise unless there is nothing at a place, or a sharded index, and nothing else, that may be replaced."""
    if place.has_manifest() and not force:
        raise ValueError(f"{place} already holds a sharded index; pass --force to replace it.")
    if not isinstance(place, LocalPlace) or not place.folder.exists():
        return
    names = [path.name for path in place.folder.iterdir()]
    foreign = [name for name in names if MANIFEST not in names or not (name == MANIFEST or is_shard_name(name))]
    if foreign:
        raise ValueError(f"{place} holds {foreign[0]}, which is not ours to replace; choose another folder.")


@dataclass
class _Writer:
    """Writes the shards of a manifest that grows, and in the end the manifest."""

    place: Place
    manifest: Manifest
    first_number: int
    arrange: bool
    progress: Progress | None

    def write(self, pieces: Pieces, sizes: Sequence[int]) -> Manifest:
        names: list[str] = []
        try:
            for index in self._indexes(pieces, sizes):
                self._check_new(index)
                names.append(shard_name(self.first_number + len(names)))
                self._add(names[-1], index)
            self.place.write_manifest(self.manifest)
        except BaseException:
            self.place.remove(names)
            raise
        return self.manifest

    def _indexes(self, pieces: Pieces, sizes: Sequence[int]) -> Iterator[Index]:
        """Yield an index for each shard, one at a time in memory."""
        index, done, steps = self._empty(), 0, pieces.count * (2 if self.arrange else 1)
        for piece, is_last in _cut(pieces.pieces, sizes):
            ids = self._next_ids(index, len(piece)) if piece.ids is None else piece.ids
            index.add(piece.vectors, ids, piece.labels, names=piece.names)
            index.model = self.manifest.model  # also of embeddings that know theirs, if other shards do not
            done += len(piece)
            self._report(done, steps)
            if is_last and self.arrange:
                before, size = done, len(index)
                index.arrange(progress=lambda step, of, b=before, n=size: self._report(b + n * step // of, steps))  # type: ignore[misc]
                done += size
            if is_last:
                yield index
                index = self._empty()

    def _empty(self) -> Index:
        return Index(self.manifest.dim, self.manifest.bits, self.manifest.metric, model=self.manifest.model)

    def _next_ids(self, index: Index, count: int) -> npt.NDArray[np.int64]:
        first = max(self.manifest.next_id, int(index.ids.max()) + 1 if len(index) else 0)
        if first + count - 1 > LARGEST_ID:
            raise ValueError(f"ids would continue from {first}, beyond 2^63 - 1; pass ids of your own.")
        return first + np.arange(count)

    def _check_new(self, index: Index) -> None:
        """Raise if an id is in another shard, which only those can be whose ranges of ids overlap."""
        ids = index.ids
        for shard in self.manifest.shards:
            among = ids[(ids >= shard.first_id) & (ids <= shard.last_id)]
            known = Index.open(self.place.local(shard), verify=False).has(among) if len(among) else np.zeros(0, bool)
            if known.any():
                raise ValueError(f"ids holds {among[known][0]}, which is in {shard.name} already; ids must be new.")

    def _add(self, name: str, index: Index) -> None:
        labels, names = _label_kind(index), index.has_names
        if self.manifest.shards and (labels, names) != (self.manifest.labels, self.manifest.names):
            told = [
                f"{kind} labels and {'' if named else 'no '}names"
                for kind, named in ((labels, names), (self.manifest.labels, self.manifest.names))
            ]
            raise ValueError(f"these vectors have {told[0]}, and the shards before them {told[1]}; give all the same.")
        checksum, size = self.place.save(name, index)
        ids = index.ids
        shard = Shard(name, len(index), int(ids.min()), int(ids.max()), checksum, size)
        next_id = max(self.manifest.next_id, shard.last_id + 1)
        shards = (*self.manifest.shards, shard)
        self.manifest = replace(self.manifest, labels=labels, names=names, next_id=next_id, shards=shards)

    def _report(self, done: int, total: int) -> None:
        if self.progress:
            self.progress(done, total)


def _cut(pieces: Iterable[Piece], sizes: Sequence[int]) -> Iterator[tuple[Piece, bool]]:
    """Yield pieces that lie in one shard each, and whether the shard is full with it."""
    left = iter(sizes)
    room = next(left)
    for piece in pieces:
        begin = 0
        while begin < len(piece):
            end = min(begin + room, len(piece))
            room -= end - begin
            yield piece.part(begin, end), not room
            begin, room = end, room or next(left, 0)


def _label_kind(index: Index) -> str:
    if not index.has_labels:
        return "no"
    return "numbers" if index.labels_of(index.ids[:1]).dtype.kind == "i" else "strings"
