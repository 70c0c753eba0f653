"""The page and what it asks: an ASGI application over one collection."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hypertorus.explorer.asked import Asked
from hypertorus.explorer.bench import Bench
from hypertorus.explorer.bring import SUFFIXES, bring
from hypertorus.explorer.chart import Chart
from hypertorus.explorer.collection import Collection
from hypertorus.explorer.everything import Everything
from hypertorus.explorer.finder import Finder
from hypertorus.explorer.guard import Door, Guard
from hypertorus.explorer.media import Media
from hypertorus.explorer.take import take
from hypertorus.explorer.uploads import LARGEST, Uploads
from hypertorus.integrations.texts import Texts
from hypertorus.workbench import Answers

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


def application(
    collection: Collection,
    answers: Answers,
    door: Door,
    *,
    sentences: Texts | None = None,
    who: str = "somebody",
    largest: int = LARGEST,
) -> Starlette:
    """Return the application; `door` says who may come in, and `answers` is closed with it."""
    uploads = Uploads(largest)
    finder, media, chart = Finder(collection, sentences, uploads), Media(collection, uploads), Chart(collection)
    bench = Bench(collection, answers, who)
    everything = Everything(bench)

    async def upload(request: Request) -> Response:
        name = request.query_params.get("name", "")[:200]
        number = await uploads.add(request, name, collection.drop)
        return JSONResponse({"upload": number, "name": name})

    async def brought(request: Request) -> Response:
        name, by = (request.query_params.get(each, other)[:200] for each, other in (("name", ""), ("who", who)))
        number = await uploads.add(request, name, SUFFIXES)
        try:
            return JSONResponse(await run_in_threadpool(bring, bench, uploads[number].path, name, by))
        finally:
            uploads.remove(number)

    def taken(request: Request) -> Response:
        values = {
            name: request.query_params.get(name, "") for name in ("question", "form", "what", "threshold", "windows")
        }
        try:
            threshold = float(values["threshold"] or "inf")
        except ValueError as error:
            raise ValueError(f"threshold is {values['threshold']!r:.40}; it must be a number.") from error
        download = take(
            bench, values["question"], values["form"], values["what"], threshold, single=values["windows"] == "single"
        )
        headers = {"Content-Disposition": f'attachment; filename="{download.name.encode("ascii", "ignore").decode()}"'}
        return Response(download.content, media_type=download.kind, headers=headers)

    questions = {
        "search": finder.search,
        "browse": finder.browse,
        "say": bench.say,
        "undo": bench.undo,
        "learn": bench.learn,
        "ask": bench.ask,
        "run": everything.run,
        "threshold": everything.threshold,
    }
    routes = [
        Route("/", lambda _: _static("index.html")),
        Route("/static/{name}", lambda request: _static(request.path_params["name"])),
        Route("/api/about", lambda _: JSONResponse(finder.about())),
        Route("/api/said", lambda _: JSONResponse(bench.said())),
        Route("/api/map", lambda _: JSONResponse(chart.state())),
        Route("/api/take", taken),
        *(Route(f"/api/{name}", _asked(answer), methods=["POST"]) for name, answer in questions.items()),
        Route("/api/upload", upload, methods=["POST"]),
        Route("/api/bring", brought, methods=["POST"]),
        Route("/map", lambda _: Response(chart.content(), media_type="application/octet-stream")),
        *(
            Route(f"/{what}/{{kind}}/{{number:int}}", serve)
            for what, serve in (("levels", media.levels), ("sound", media.sound), ("image", media.image))
        ),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        uploads.close()
        answers.close()

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
