"""Blocks of a self-contained HTML page, with all pictures inside the file."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from hypertorus.report.style import DPI

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #222; --faint: #5a5a5a; --line: #ddd; --link: #b4460b; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #191714; --ink: #ece7df; --faint: #b0a89d; --line: #3d3831; --link: #f59a5e; }
}
body { font: 17px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 3rem auto; padding: 0 1rem; }
body { color: var(--ink); background: var(--paper); }
h1 { font-size: 1.7rem; margin-bottom: 0.2rem; line-height: 1.25; }
h2 { font-size: 1.25rem; margin-top: 3rem; }
a { color: var(--link); }
figure { margin: 2.5rem 0; }
img { max-width: 100%; }
figure img { background: #fff; border-radius: 8px; }
p, figcaption, footer { max-width: 46rem; }
figcaption, footer { color: var(--faint); }
dt { font-weight: 650; margin-top: 0.6rem; }
dd { margin: 0; max-width: 46rem; }
.wide { overflow-x: auto; }
@media (max-width: 700px) { body { margin-top: 1.5rem; } figure img { max-width: none; } }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.87em; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 1.2rem 0.35rem 0; }
th, td { border-bottom: 1px solid var(--line); }
"""


def heading(text: str) -> str:
    return f"<h2>{html.escape(text)}</h2>"


def paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>\n"

    lines = line(head, "th") + "".join(line(row, "td") for row in rows)
    return f'<div class="wide" tabindex="0" role="region" aria-label="Table">\n<table>\n{lines}</table></div>'


def words(meanings: Mapping[str, str]) -> str:
    """Return a list of words with what each means."""
    pairs = (f"<dt>{html.escape(word)}</dt><dd>{html.escape(text)}</dd>" for word, text in meanings.items())
    return f"<dl>{''.join(pairs)}</dl>"


def picture(png: Path, caption: str) -> str:
    """Return a figure as large as it was drawn; where it is wider than the page, it is made smaller, or scrolls."""
    content = png.read_bytes()
    width = round(int.from_bytes(content[16:20]) * 96 / DPI)
    data = base64.b64encode(content).decode()
    image = f'<img width="{width}" alt="{html.escape(caption, quote=True)}" src="data:image/png;base64,{data}">'
    return (
        f'<figure><div class="wide" tabindex="0" role="region" aria-label="Figure">{image}</div>'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
    )


def page(title: str, blocks: Iterable[str], style: str = "") -> str:
    """Return a page of these blocks under a title; `style` is added to the style of all pages."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width, initial-scale=1"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}{style}</style></head>\n<body><h1>{html.escape(title)}</h1>\n"
        + "\n".join(blocks)
        + f"\n<footer>Made by <code>hypertorus</code> {version('hypertorus')}.</footer></body></html>\n"
    )
