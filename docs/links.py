"""Checks built pages: every link within the site leads somewhere, and nothing is loaded from outside."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "audio": "src"}
"""What a browser fetches by itself, by tag; an `a` is only followed."""
NOT_FETCHED = {"canonical", "next", "prev", "alternate"}
OUTSIDE = re.compile(r"(url\(|@import)\s*['\"]?(https?:)?//")
"""A style that loads something from another server."""


class Page(HTMLParser):
    """The links of a page, what it loads, and the anchors that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.links, self.loads, self.anchors = path, list[str](), list[str](), {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in LOADED and LOADED[tag] in given and given.get("rel") not in NOT_FETCHED:
            self.loads.append(given[LOADED[tag]])


def problems(site: Path) -> list[str]:
    """Return a sentence for each link that is broken and for each thing that is loaded from outside."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for page in pages.values():
        name = page.path.relative_to(site)
        found += [f"{name} loads {url} from outside." for url in page.loads if urlsplit(url).netloc]
        for url in [*page.links, *page.loads]:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            target = _target(unquote(parts.path), page.path, site)
            if not target.exists() or site.resolve() not in target.parents:
                found.append(f"{name} links to {url}, which is not there.")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{name} links to {url}, where there is no such anchor.")
    styles = [path for path in sorted(site.rglob("*.css")) if OUTSIDE.search(path.read_text())]
    return found + [f"{path.relative_to(site)} loads something from outside." for path in styles]


def _target(link: str, page: Path, site: Path) -> Path:
    """The file that a link on a page leads to; one that begins with a slash, as on 404.html, begins at the site."""
    if not link:
        return page.resolve()
    target = (site / link.lstrip("/") if link.startswith("/") else page.parent / link).resolve()
    return target / "index.html" if target.is_dir() else target
