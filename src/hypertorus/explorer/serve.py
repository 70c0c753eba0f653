"""Serves the page until Ctrl-C, and opens it in the browser."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from hypertorus.explorer.guard import Door


def bound(host: str | None, port: int) -> socket.socket:
    """Return a socket on a port, or on any free one if it is 0; loopback unless a host is given."""
    place = host or "127.0.0.1"
    family = socket.AF_INET6 if ":" in place else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((place, port))
    except OSError as error:
        listener.close()
        raise OSError(f"the page cannot be served at {place}:{port} ({error}); choose another --port.") from error
    return listener


def serve(app: ASGIApp, listener: socket.socket, door: Door, *, browser: bool, said: Callable[[str], object]) -> None:
    """Serve until Ctrl-C; `said` is called with the address once the page is there."""
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=3
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            said(door.address)
            if browser:
                threading.Thread(target=webbrowser.open, args=(door.address,), daemon=True).start()

    Server(config).run(sockets=[listener])
