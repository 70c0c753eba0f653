"""The commands of `hypertorus index` that lay codes out anew: in cells, with a coarse part, cut to fewer bits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hypertorus.cli.index_facts import commit_index, print_index, save_index
from hypertorus.cli.options import AsJson, Coordinates, Force, IndexFile, file_place
from hypertorus.files.progress import bar


def arrange(
    index_file: IndexFile,
    cells: Annotated[
        int | None, typer.Option(help="Number of cells.", show_default="twice the square root of the codes", min=1)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Arrange an index in cells, so that an exact search looks at few of its codes.

    What a search finds stays the same. Codes of a trained model form clusters, of which a query has to look at one or
    two; `share` is the share of codes that a typical query looks at. Codes without clusters gain nothing.

    Example: hypertorus index arrange digits.index
    """
    if index_file.is_dir():
        from hypertorus.cli.sounds import info as sound_info
        from hypertorus.listen import SoundIndex

        sounds = SoundIndex.open(index_file)
        with bar("arranging") as progress:
            sounds.index.arrange(cells, progress=progress)
        sounds.save(index_file)
        sound_info(index_file, as_json=as_json)
        return
    from hypertorus.search import Index

    index = Index.open(index_file)
    with bar("arranging") as progress:
        index.arrange(cells, progress=progress)
    save_index(index, index_file, as_json)


def coarsen(
    index_file: IndexFile,
    coordinates: Coordinates = None,
    bits: Annotated[int, typer.Option(help="Bits per coordinate of the coarse part: 4, 2 or 1.")] = 4,
    as_json: AsJson = False,
) -> None:
    """Keep the top bits of the first coordinates of each code apart, for a first pass that reads little.

    What an exact search finds stays the same. `coarse` shows the share of codes that a typical query has to look at
    after the first pass; where that is much, an exact search scans the codes as before.

    Example: hypertorus index coarsen digits.index --coordinates 32 --bits 2
    """
    from hypertorus.search import Index

    if index_file.is_dir():
        raise ValueError(f"{index_file} is an index of sounds; pass the file of an index of codes.")
    with Index.editing(index_file) as index:
        with bar("coarsening") as progress:
            index.coarsen(coordinates, bits, progress=progress)
        commit_index(index)
    print_index(index, index_file, as_json)


def shrink(
    index_file: IndexFile,
    out: Annotated[
        Path,
        typer.Option(help="File or, of an index of sounds, folder to write.", callback=file_place, show_default=False),
    ],
    coordinates: Coordinates = None,
    bits: Annotated[
        int | None, typer.Option(help="Bits per coordinate to keep: 8, 4, 2 or 1.", show_default="all")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Cut the codes of an index to fewer coordinates and bits, without encoding anything again.

    Ids, labels, names and the model stay; embeddings of that model, which are cut alike, search the smaller index. An
    index in cells is arranged anew. The first coordinates of a model that was trained with --nested are an embedding by
    themselves; of other models they are worth less.

    Example: hypertorus index shrink digits.index --coordinates 32 --bits 2 --out small.index
    """
    if coordinates is None and bits is None:
        raise ValueError("there is nothing to shrink by; pass --coordinates, --bits or both.")
    if out.exists() and not force:
        raise ValueError(f"--out is {out}, which already exists; pass --force to replace it.")
    if index_file.is_dir():
        from hypertorus.cli.sounds import info as sound_info
        from hypertorus.listen import SoundIndex

        sounds = SoundIndex.open(index_file)
        with bar("shrinking") as progress:
            sounds = sounds.narrowed(coordinates, bits, progress=progress)
        sounds.save(out)
        sound_info(out, as_json=as_json)
        return
    from hypertorus.search import Index

    index = Index.open(index_file)
    with bar("shrinking") as progress:
        smaller = index.narrowed(coordinates, bits, progress=progress)
    save_index(smaller, out, as_json)
