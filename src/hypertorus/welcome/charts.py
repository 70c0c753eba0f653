"""Charts of the welcome page in HTML and SVG, whose colours follow the light or dark of the reader."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from itertools import pairwise

from hypertorus.paper.experiments.grid import SOFT
from hypertorus.welcome.precision import Curve
from hypertorus.welcome.speed import Speed

NAMES = {SOFT: "soft torus", "sphere": "sphere", "torusN": "torusN", "torusC": "torusC"}
"""Names of the spaces on the page."""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 340, 62, 92, 16, 58
"""Size of the chart of precision, and the margins around its lines."""
LOWEST = 0.5
"""Precision below which nothing is drawn; a code that small is of no use."""


def bars(speeds: Sequence[Speed]) -> str:
    """Return a table of speeds with a bar for each number."""
    longest = max(max(each.plain, each.arranged or 0) for each in speeds)

    def bar(rate: float | None, style: str) -> str:
        if rate is None:
            return ""
        return (
            f'<div class="bar {style}"><span style="width:{max(0.4, 80 * rate / longest):.2f}%"></span>'
            f"<b>{rounded(rate)}</b></div>"
        )

    rows = "".join(
        f'<tr><th scope="row">{html.escape(each.name)}<small>{each.bytes} bytes</small></th>'
        f"<td>{bar(each.plain, 'plain' if each.arranged else 'other')}{bar(each.arranged, 'arranged')}</td>"
        f"<td>{each.right:.1%}</td></tr>"
        for each in speeds
    )
    return (
        '<table class="bars"><thead><tr><th scope="col">one vector is</th><th scope="col">exact searches a second</th>'
        f'<th scope="col">right digit</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def rounded(number: float) -> str:
    """Return a measured number with two digits that mean something.

    >>> rounded(60534), rounded(663.8), rounded(8.73)
    ('61,000', '660', '8.7')
    """
    places = 1 - math.floor(math.log10(number))
    return f"{round(number, places):,.{max(0, places)}f}"


def lines(curves: Sequence[Curve]) -> str:
    """Return a chart of precision over bytes, a line for each space, and the same numbers as a table."""
    sizes = sorted({size for curve in curves for size in curve.sizes})
    low = max(LOWEST, math.floor(10 * min(p for curve in curves for p in curve.sizes.values())) / 10)

    def x(size: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log2(size / sizes[0]) / max(1, math.log2(sizes[-1] / sizes[0]))

    def y(precision: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - max(0, precision - low) / (1 - low))

    step = 0.1 if low < 0.8 else 0.05
    ticks = [1 - step * number for number in range(round((1 - low) / step) + 1)]
    grid = "".join(
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.0%}</text>'
        for tick in ticks
    )
    below = "".join(
        f'<text x="{x(size):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{size:g}</text>' for size in sizes
    )
    drawn, heights = "", _apart([y(list(curve.sizes.values())[-1]) for curve in curves])
    for curve, height in zip(curves, heights, strict=True):
        shown = {size: precision for size, precision in curve.sizes.items() if precision >= low}
        places = [(x(size), y(precision)) for size, precision in shown.items()]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in places)
        dots = "".join(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5"/>' for px, py in places)
        drawn += (
            f'<g class="{curve.space}"><polyline points="{path}"/>{dots}'
            f'<text x="{WIDTH - RIGHT + 10}" y="{height + 4:.1f}">{NAMES[curve.space]}</text></g>'
        )
    return (
        f'<svg class="lines" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(_said(curves))}">{grid}'
        f'{below}<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">bytes of a digit</text>'
        f"{drawn}</svg>{_table(curves, sizes)}"
    )


def _apart(heights: Sequence[float], room: float = 17) -> list[float]:
    """Return heights of labels moved apart so that none covers another."""
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    moved = list(heights)
    for above, number in pairwise(order):
        moved[number] = max(moved[number], moved[above] + room)
    return moved


def _said(curves: Sequence[Curve]) -> str:
    parts = [f"{NAMES[curve.space]} {list(curve.sizes.values())[-1]:.1%}" for curve in curves]
    return f"Lines that rise with the bytes of a digit. At the right end: {', '.join(parts)}."


def _table(curves: Sequence[Curve], sizes: Sequence[float]) -> str:
    head = "".join(f'<th scope="col">{size:g}</th>' for size in sizes)
    rows = "".join(
        f'<tr><th scope="row">{NAMES[curve.space]}</th>'
        + "".join(f"<td>{curve.sizes[size]:.1%}</td>" if size in curve.sizes else "<td></td>" for size in sizes)
        + f"<td>{curve.floats:.1%} in {curve.floats_bytes:g}</td></tr>"
        for curve in curves
    )
    return (
        '<details><summary>The same as numbers</summary><div class="wide"><table><thead><tr><th scope="col">bytes</th>'
        f'{head}<th scope="col">floats</th></tr></thead><tbody>{rows}</tbody></table></div></details>'
    )
