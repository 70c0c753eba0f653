"""`hypertorus shards`: an index in many files, which processes and machines search together."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hypertorus.cli.index import IdFile, Vectors, open_vectors
from hypertorus.cli.index_facts import print_facts
from hypertorus.cli.options import AsJson, Force, LabelsOfFile, MetricOfFile, SearchBitsOfFile, TorusOfFile, Verify
from hypertorus.cli.search import Neighbourhood, NeighboursFile, WhereFile, check_out, nearest_of_file, show_neighbours
from hypertorus.files.progress import bar
from hypertorus.files.suffixes import SUFFIXES, listed

if TYPE_CHECKING:
    from hypertorus.shards import MissingShard, ShardedIndex
    from hypertorus.shards.asking import ShardMap
    from hypertorus.shards.pieces import Pieces

app = typer.Typer(
    help="Cut an index into shards, which processes of this machine or a Dask cluster search together: the same "
    "neighbours as one index of everything, bit for bit. FOLDER may be a URL, such as s3://bucket/owls.",
    no_args_is_help=True,
)

Inputs = Annotated[
    list[str],
    typer.Argument(
        help="Embeddings or codes, as `hypertorus embed` and `encode` write them; or integer codes, or raw numbers "
        f"with --space, as {listed(SUFFIXES)}. Several files are read one after the other.",
        show_default=False,
    ),
]
Folder = Annotated[str, typer.Argument(help="Folder or URL of the shards.", show_default=False)]
Arrange = Annotated[bool, typer.Option("--arrange", help="Arrange each shard in cells, as `hypertorus index arrange`.")]


@app.command()
def build(
    inputs: Inputs,
    shards: Annotated[int, typer.Option(help="Number of shards, of equal size.", min=1, show_default=False)],
    out: Annotated[str, typer.Option(metavar="FOLDER", help="Folder or URL to write.", show_default=False)],
    space: TorusOfFile = None,
    bits: SearchBitsOfFile = None,
    metric: MetricOfFile = None,
    ids: IdFile = None,
    labels: LabelsOfFile = None,
    arrange: Arrange = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Cut files of embeddings or codes, of any size, into shards.

    Files are read a piece at a time, and one shard is in memory at once: with twice as many shards, half as much is.
    The manifest, shards.json, is written last; a build that is interrupted leaves no index, and the old one whole.
    Choose at least as many shards as there will be cores to search them.

    Example: hypertorus shards build base.fbin --space torusN --shards 8 --out base.shards

    Example: hypertorus shards build 2024.safetensors 2025.safetensors --shards 64 --arrange --out s3://bucket/owls
    """
    from hypertorus.shards.build import build_shards
    from hypertorus.shards.place import place_of

    pieces = _pieces(inputs, space, bits, ids, labels)
    with bar("building") as progress:
        build_shards(place_of(out), pieces, shards, bits, metric, arrange=arrange, force=force, progress=progress)
    info(out, as_json=as_json)


@app.command()
def add(
    folder: Folder,
    inputs: Inputs,
    shards: Annotated[
        int | None, typer.Option(help="Number of new shards.", min=1, show_default="none larger than those there are")
    ] = None,
    space: TorusOfFile = None,
    ids: IdFile = None,
    labels: LabelsOfFile = None,
    arrange: Arrange = False,
    as_json: AsJson = False,
) -> None:
    """Add files of embeddings or codes as new shards; those that are there are not touched.

    Ids continue, or are given with --ids and must be new. Whoever has the index open goes on with what was there.

    Example: hypertorus shards add base.shards more.fbin --space torusN
    """
    from hypertorus.shards.build import add_shards
    from hypertorus.shards.place import place_of

    place = place_of(folder)
    pieces = _pieces(inputs, space, place.manifest().bits, ids, labels)
    with bar("adding") as progress:
        add_shards(place, pieces, shards, arrange=arrange, progress=progress)
    info(folder, as_json=as_json)


@app.command()
def info(
    folder: Folder,
    verify: Annotated[bool, typer.Option("--verify", help="Also read every shard, and check it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the facts of a sharded index, by its manifest; --verify also checks all bytes of all shards.

    Example: hypertorus shards info base.shards --verify
    """
    from hypertorus.shards import ShardedIndex

    index = ShardedIndex.open(folder)
    missing = _missing(index) if verify else ()
    manifest = index.manifest
    facts: dict[str, Any] = {
        "folder": index.place.url,
        "shards": len(index.shards),
        "codes": len(index),
        "dim": index.dim,
        "bits": index.bits,
        "metric": index.metric,
        "labels": manifest.labels != "no",
        "names": manifest.names,
        "model": index.model,
        "largest": max(shard.count for shard in index.shards),
        "bytes": sum(shard.bytes for shard in index.shards),
    }
    if verify:
        facts["missing"] = [shard.reason for shard in missing] if as_json else len(missing)
    print_facts(facts, as_json=as_json)
    if missing:
        raise missing[0].error()


@app.command()
def search(
    folder: Folder,
    queries: Vectors,
    k: Neighbourhood = 10,
    space: TorusOfFile = None,
    where: WhereFile = None,
    out: NeighboursFile = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of processes of this machine.", min=1, show_default="one a core")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Search on the workers of the Dask scheduler at this address, such as tcp://host:8786.",
            show_default="processes of this machine",
        ),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="If shards are missing or damaged, search the others, and say so.")
    ] = False,
    verify: Verify = True,
    as_json: AsJson = False,
) -> None:
    """Find the k nearest codes of each query in all shards, exactly: the same as in one index of everything.

    A worker that dies is replaced, and the answer stays the same. A shard that is missing, damaged or of another model
    is an error that names it, unless --partial.

    Example: hypertorus shards search base.shards queries.fbin --space torusN -k 10 --out neighbours.ibin

    Example: hypertorus shards search /mnt/owls queries.safetensors --scheduler tcp://10.0.0.1:8786
    """
    check_out(out)
    if scheduler is not None and workers is not None:
        raise ValueError("both --scheduler and --workers were given; workers of a scheduler are started beside it.")
    from hypertorus.shards import ShardedIndex

    index = ShardedIndex.open(folder, verify=verify)
    missing: dict[str, MissingShard] = {}

    def searched(piece: Any, among: Any, progress: Any) -> Any:
        found = index.search(piece, k, among, progress=progress, partial=partial)
        missing.update({shard.name: shard for shard in found.missing})
        return found

    with _shard_map(scheduler, workers, len(index.shards)) as shard_map:
        index = ShardedIndex.open(folder, shard_map, verify=verify)
        neighbours = nearest_of_file(queries, space, index.bits, where, searched)
        told = [{"shard": shard.name, "codes": shard.count, "reason": shard.reason} for shard in missing.values()]
        show_neighbours(neighbours, k, out, as_json, {"missing": told} if partial else {})
    if missing and not as_json:
        codes = sum(shard.count for shard in missing.values())
        reasons = "; ".join(shard.reason for shard in missing.values())
        sys.stderr.write(
            f"hypertorus: {len(missing)} of {len(index.shards)} shards, with {codes:,} of {len(index):,} codes, "
            f"were not searched: {reasons}\n"
        )


def _pieces(inputs: Sequence[str], space: str | None, bits: int | None, ids: str | None, labels: Path | None) -> Pieces:
    from hypertorus.files.arrays import read_column
    from hypertorus.shards.pieces import stream_pieces

    return stream_pieces(
        [open_vectors(source, space, bits) for source in inputs],
        None if ids is None else read_column(Path(ids), "ids"),
        None if labels is None else read_column(labels, "labels"),
    )


def _missing(index: ShardedIndex) -> list[MissingShard]:
    """Open and check every shard here, and return those that are not as they must be."""
    from hypertorus.shards.shard import MissingShard, ShardSource, open_shard

    sources = ShardSource.all_of(index.manifest, index.place.url, verify=True)
    missing = []
    with bar("checking") as progress:
        for done, source in enumerate(sources, 1):
            shard = open_shard(source)
            missing += [shard] if isinstance(shard, MissingShard) else []
            progress(done, len(sources))
    return missing


@contextmanager
def _shard_map(scheduler: str | None, workers: int | None, shards: int) -> Iterator[ShardMap]:
    """Yield who searches: a Dask cluster, processes of this machine, or this process alone."""
    from hypertorus.files.threads import thread_count
    from hypertorus.shards import DaskMap, ProcessMap

    count = min(shards, workers or thread_count(None))
    if scheduler is not None:
        with closing(DaskMap.connected(scheduler)) as cluster:
            yield cluster
    elif count == 1:
        yield builtins.map
    else:
        with ProcessMap(count) as processes:
            yield processes
