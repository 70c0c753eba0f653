"""Blocks of a self-contained HTML page, with all pictures inside the file."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

STYLE = """
body { font: 17px/1.55 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: 0.2rem; }
h2 { font-size: 1.25rem; margin-top: 3rem; }
figure { margin: 2.5rem 0; }
img { max-width: 100%; }
p, figcaption, footer { max-width: 46rem; }
figcaption, footer { color: #555; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.87em; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 1.2rem 0.35rem 0; border-bottom: 1px solid #ddd; }
"""


def heading(text: str) -> str:
    return f"<h2>{html.escape(text)}</h2>"


def paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>\n"

    return "<table>\n" + line(head, "th") + "".join(line(row, "td") for row in rows) + "</table>"


def picture(png: Path, caption: str) -> str:
    data = base64.b64encode(png.read_bytes()).decode()
    image = f'<img alt="{html.escape(caption, quote=True)}" src="data:image/png;base64,{data}">'
    return f"<figure>{image}<figcaption>{html.escape(caption)}</figcaption></figure>"


def page(title: str, blocks: Iterable[str], style: str = "") -> str:
    """Return a page of these blocks under a title; `style` is added to the style of all pages."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}{style}</style></head>\n<body><h1>{html.escape(title)}</h1>\n"
        + "\n".join(blocks)
        + f"\n<footer>Made by <code>hypertorus</code> {version('hypertorus')}.</footer></body></html>\n"
    )
