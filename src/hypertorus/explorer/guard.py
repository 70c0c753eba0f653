"""Lets in only the person who started the page: a token, the right host and origin, and headers that forbid the rest.

A page on one's own computer can be reached by every other page that the browser shows: by posting forms to it, and by a
name that first leads to a foreign server and then to 127.0.0.1 (DNS rebinding). So every request must name a host that
is this computer, come from this page, and carry the token in a cookie that the browser sends for this page alone.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
"""Content security policy: nothing from outside, nothing inline, in nobody's frame, and no text becomes markup."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
SHORTEST = 16
"""Length of a token that a person chooses, at least."""


class Door(NamedTuple):
    """Where the page is served, and the token that opens it."""

    host: str
    port: int
    token: str

    @classmethod
    def of(cls, host: str | None, port: int, token: str | None) -> Door:
        """Return a door on this computer alone, or on the network if a host and a token are given."""
        place = host or "127.0.0.1"
        if not is_loopback(place) and token is None:
            raise ValueError(
                f"--host is {place}, which others can reach; choose a --token of at least {SHORTEST} characters, too."
            )
        if token is not None and not (len(token) >= SHORTEST and token.isalnum() and token.isascii()):
            raise ValueError(f"--token must have at least {SHORTEST} characters, letters and digits alone.")
        return cls(place, port, token or secrets.token_hex(16))

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """Name of the cookie; cookies do not know ports, so two pages on one computer need two names."""
        return f"hypertorus-{self.port}"

    def knows(self, host: str) -> bool:
        """Return whether a Host header names this computer; a foreign name may be DNS rebinding."""
        name, _, port = host.rpartition(":")
        if port != str(self.port):
            return False
        name = name.strip("[]").lower()
        if is_loopback(self.host):
            return is_loopback(name)
        return is_loopback(name) or name in (self.host.lower(), socket.gethostname().lower()) or _is_address(name)


class Guard:
    """Refuses requests that may not come from the page, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app, self.door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        query = parse_qs(scope["query_string"].decode("latin-1"))
        brought = scope["path"] == "/" and self._is_token(query.get("token", [""])[0])
        reason = self._reason(headers, scope["method"], brought=brought)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    out[name] = value
                out.setdefault("Cache-Control", "no-store")
                if brought and not reason:
                    attributes = "HttpOnly; SameSite=Strict; Path=/"
                    out.append("Set-Cookie", f"{self.door.cookie}={self.door.token}; {attributes}")
            await send(message)

        app = PlainTextResponse(reason, 403) if reason else self.app
        await app(scope, receive, guarded)

    def _reason(self, headers: Headers, method: str, *, brought: bool) -> str | None:
        """Return a sentence on why a request is refused, or None."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.door.knows(host):
            return "This page is not known by that name; open the address that the command printed.\n"
        if origin not in (None, f"http://{host}"):
            return "This request came from another page; open the address that the command printed.\n"
        if method not in ("GET", "HEAD") and origin is None:
            return "This request does not say which page it came from; use the page itself.\n"
        if not brought and not self._is_token(self._kept(headers)):
            return "This page needs its token; open the address that the command printed.\n"
        return None

    def _kept(self, headers: Headers) -> str:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self.door.cookie)
        except CookieError:
            return ""
        return "" if cookie is None else cookie.value

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.door.token.encode())


def is_loopback(host: str) -> bool:
    """Return whether a host is this computer itself.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
