"""Self-contained pages: one HTML file with its pictures inside, for a person to read."""

from __future__ import annotations

import base64
import html
from importlib.metadata import version
from pathlib import Path

from hypertorus.paper.figures import FIGURES
from hypertorus.paper.style import save

CAPTIONS = {
    "spaces": "The three spaces. A cloud of random raw numbers and, in black, a straight walk among them, "
    "as each space sees it. On a torus nothing has an edge: what leaves on one side comes back on the other.",
    "projections": "What the two projections make of a plane of two raw numbers. torusN keeps the angle and "
    "forgets the length; torusC wraps each number around by itself.",
    "steps": "One large gradient step, and one 15% larger, on the first circle and on the flat square. torusN projects "
    "it back, so that no step turns by a quarter or more; on torusC it winds around and may end anywhere, unless the "
    "gradient is clipped (here at 100, with a learning rate of 0.001).",
}

STYLE = """
body { font: 17px/1.55 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: 0.2rem; }
figure { margin: 2.5rem 0; }
img { max-width: 100%; }
figcaption, footer { color: #555; max-width: 46rem; }
"""


def write_demo(folder: Path) -> Path:
    """Every figure as a PNG file in `folder`, and a page that shows them; returns the page's path."""
    blocks = []
    for name, draw in FIGURES.items():
        picture = folder / f"{name}.png"
        save(draw(), picture)
        blocks.append(_figure(picture, CAPTIONS[name]))
    page = folder / "index.html"
    page.write_text(_page("hypertorus: where embeddings live", blocks), encoding="utf-8")
    return page


def _figure(picture: Path, caption: str) -> str:
    data = base64.b64encode(picture.read_bytes()).decode()
    alt = html.escape(caption, quote=True)
    image = f'<img alt="{alt}" src="data:image/png;base64,{data}">'
    return f"<figure>{image}<figcaption>{html.escape(caption)}</figcaption></figure>"


def _page(title: str, blocks: list[str]) -> str:
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>{html.escape(title)}</h1>\n"
        + "\n".join(blocks)
        + f"\n<footer>Made by <code>hypertorus demo</code>, version {version('hypertorus')}.</footer></body></html>\n"
    )
