"""`hypertorus explore`: a page on which a person searches an index, listens, answers and learns."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Annotated

import typer

from hypertorus.files.console import plain_console


def explore(
    index: Annotated[
        Path,
        typer.Argument(
            help="Folder of an index of sounds, file of an index, or file of embeddings with names or texts.",
            show_default=False,
        ),
    ],
    model: Annotated[
        Path | None,
        typer.Argument(
            help="Folder of the model that made the codes, to search by a dropped image or by a text; an index of "
            "sounds has its own.",
            show_default=False,
        ),
    ] = None,
    images: Annotated[
        Path | None, typer.Option(help="Folder of the images that the index names.", show_default=False)
    ] = None,
    coder: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a coder, or of a model trained on vectors, that made codes of the vectors of a text model.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the page; 0 takes a free one.", min=0, max=65535)] = 0,
    host: Annotated[
        str | None,
        typer.Option(help="Address to serve at, for others to reach; needs --token.", show_default="this computer"),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(help="Token in the address of the page, 16 or more letters and digits.", show_default="random"),
    ] = None,
    who: Annotated[
        str | None, typer.Option(help="Name that stands beside your answers.", show_default="your user name")
    ] = None,
    other_model: Annotated[
        bool, typer.Option("--other-model", help="Take over answers that were given on codes of another model.")
    ] = False,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Search an index on a page in your browser: look, listen, say yes or no, learn, and take the results away.

    The page is served by your own computer, to your own computer, and needs no network. Drop a sound on it, or choose a
    result to search for more like it; answer with the keys y, n and u; press ? on the page for all keys. Answers are
    kept beside the index. Ctrl-C ends it; nothing is lost.

    Example: hypertorus explore sounds/

    Example: hypertorus explore images.safetensors model/ --images photos/

    Example: hypertorus explore sentences.safetensors text-model/
    """
    from hypertorus.explorer.app import application
    from hypertorus.explorer.guard import Door
    from hypertorus.explorer.opening import open_collection
    from hypertorus.explorer.serve import bound, serve
    from hypertorus.workbench import Answers

    Door.of(host, port, token)  # before the work, not after it
    collection, sentences = open_collection(index, model, images, coder)
    with bound(host, port) as listener:
        door = Door.of(host, listener.getsockname()[1], token)
        console = plain_console()

        def said(address: str) -> None:
            console.print(f"{collection.title}: {len(collection.index):,} {collection.kind}", soft_wrap=True)
            console.print(f"The page: {address}", soft_wrap=True)
            console.print("Ctrl-C ends it.")
            sys.stdout.flush()

        answers = Answers.open(Answers.beside(index), collection.items, other_model=other_model)
        app = application(collection, answers, door, sentences=sentences, who=who or getpass.getuser())
        serve(app, listener, door, browser=browser, said=said)
