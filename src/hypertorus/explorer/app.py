"""The page and what it asks: an ASGI application over one collection."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hypertorus.datasets.kinds import IMAGES, SOUND_FILES
from hypertorus.explorer.asked import MOST, Asked
from hypertorus.explorer.cards import card, cards
from hypertorus.explorer.collection import Collection, Scale
from hypertorus.explorer.find import nearest
from hypertorus.explorer.guard import Door, Guard
from hypertorus.explorer.media import Media
from hypertorus.explorer.query import query_of
from hypertorus.explorer.sentences import Sentences
from hypertorus.explorer.uploads import LARGEST, Uploads

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
STATIC = {
    entry.name: entry.read_bytes()
    for entry in (files("hypertorus.explorer") / "static").iterdir()
    if entry.name[entry.name.rfind(".") :] in TYPES
}
"""Everything that the page consists of, by name: what is not in here is not served."""

Answer = Callable[[Asked], Any]


class Finder:
    """Answers the questions of the page that need nothing but the index."""

    def __init__(self, collection: Collection, sentences: Sentences | None, uploads: Uploads) -> None:
        self.collection, self.sentences, self.uploads = collection, sentences, uploads
        self.scale = Scale(collection.index)

    def about(self) -> dict[str, Any]:
        index, kind = self.collection.index, self.collection.kind
        droppable: tuple[str, ...] = {"sounds": SOUND_FILES, "images": IMAGES}.get(kind, ())
        if kind == "images" and getattr(self.collection, "model", None) is None:
            droppable = ()
        return {
            "kind": kind,
            "title": self.collection.title,
            "count": len(index),
            "metric": index.metric,
            "chance": self.scale.chance,
            "texts": self.sentences is not None,
            "drop": list(droppable),
            "largest": self.uploads.largest,
            **self.collection.facts(),
        }

    def search(self, asked: Asked) -> dict[str, Any]:
        """Return the nearest items of a query as cards, with distances as shares."""
        k = asked.whole("k", 1, MOST, 24)
        query = query_of(asked, self.collection, self.uploads, self.sentences)
        hits = nearest(self.collection, query.codes, k, leave_out=query.leave_out, one_each=asked.flag("one_each"))
        results = []
        for hit in hits:
            facts = {**card(self.collection, hit.number), "distance": self.scale.share(hit.distance)}
            facts |= {"same": hit.same, "more": hit.more}
            if len(query.starts) > 1:
                facts["at"] = query.starts[hit.row]
            results.append(facts)
        return {"sentence": query.sentence, "query": cards(self.collection, query.leave_out), "results": results}

    def browse(self, asked: Asked) -> dict[str, Any]:
        """Return items at random, or those whose names contain a text."""
        k, ids = asked.whole("k", 1, MOST, 24), self.collection.index.ids
        if "named" in asked:
            part = asked.text("named")
            ids = self.collection.named(part)
            sentence = f"{len(ids):,} of {len(self.collection.index):,} have “{part}” in their names"
            chosen = ids[:k]
        else:
            rng = np.random.default_rng(asked.whole("seed", 0, 2**31, 0))
            sentence = "A handful at random"
            chosen = rng.choice(ids, min(k, len(ids)), replace=False)
        return {"sentence": sentence, "query": [], "results": cards(self.collection, chosen.tolist())}


def application(
    collection: Collection, door: Door, sentences: Sentences | None = None, *, largest: int = LARGEST
) -> Starlette:
    """Return the application; `door` says who may come in."""
    uploads = Uploads(largest)
    finder, media = Finder(collection, sentences, uploads), Media(collection, uploads)

    async def upload(request: Request) -> Response:
        name = request.query_params.get("name", "")[:200]
        number = await uploads.add(request, name, tuple(finder.about()["drop"]))
        return JSONResponse({"upload": number, "name": name})

    routes = [
        Route("/", lambda _: _static("index.html")),
        Route("/static/{name}", lambda request: _static(request.path_params["name"])),
        Route("/api/about", lambda _: JSONResponse(finder.about())),
        Route("/api/search", _asked(finder.search), methods=["POST"]),
        Route("/api/browse", _asked(finder.browse), methods=["POST"]),
        Route("/api/upload", upload, methods=["POST"]),
        *(
            Route(f"/{what}/{{kind}}/{{number:int}}", serve)
            for what, serve in (("levels", media.levels), ("sound", media.sound), ("image", media.image))
        ),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        uploads.close()

    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, door=door)],
        exception_handlers=dict.fromkeys(ERRORS, _sentence),
        lifespan=lifespan,
    )


ERRORS: dict[Any, int] = {
    ValueError: 400,
    TypeError: 400,
    LookupError: 404,
    FileNotFoundError: 404,
    OSError: 500,
    sqlite3.Error: 500,
    HTTPException: 0,
}
"""Errors whose sentence the page shows, and their status."""


def _sentence(_: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return JSONResponse({"error": error.detail}, error.status_code)
    status = next(ERRORS[kind] for kind in type(error).__mro__ if kind in ERRORS)
    sentence = str(error.args[0]) if isinstance(error, LookupError) and error.args else str(error)
    return JSONResponse({"error": sentence}, status)


def _asked(answer: Answer) -> Callable[[Request], Any]:
    """Return an endpoint that reads a question, and answers it in a thread of its own."""

    async def endpoint(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(answer, await Asked.of(request)))

    return endpoint


def _static(name: str) -> Response:
    if name not in STATIC:
        raise LookupError(f"there is no file {name!r:.40} in this page.")
    return Response(STATIC[name], media_type=TYPES[name[name.rfind(".") :]])
