"""The paper's figure on large gradients: the result of one optimiser step of any size on each torus."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.patheffects import Normal, Stroke

from hypertorus.paper.figures.spaces import broken_at_edges
from hypertorus.report.style import COLOURS, FAINT, INK, figure, look
from hypertorus.spaces import TorusC, TorusN

Floats = npt.NDArray[np.float64]

RATE = 1e-3
CLIP = 100.0
"""Gradient clipping value and learning rate of the paper; a step is then at most a tenth."""
STEP, LARGER = 2.3, 1.15
START = np.array([0.18, 0.2])
AHEAD = np.array([0.25, 0.11])
"""Distance in turns from the start to the minimum of the loss on each circle."""


def steps() -> Figure:
    """Draw a step of 2.3 and a larger one on a circle and on the flat square, and the ends of steps of all sizes."""
    with look():
        fig = figure(10.5, 5.6)
        grid = fig.add_gridspec(2, 3, width_ratios=(1, 1, 1.55))
        _draw_projected_back(fig.add_subplot(grid[0, 0]))
        _draw_wound_up(fig.add_subplot(grid[0, 1]))
        for column, name in enumerate(("torusN", "torusC")):
            _draw_square(fig.add_subplot(grid[1, column]), name)
        _draw_all_sizes(fig.add_subplot(grid[:, 2]))
    return fig


def updated(name: str, raw: Floats, sizes: Floats, clip: float = math.inf) -> Floats:
    """Return raw numbers [n, D] after one step of gradient descent, for each size [n] of the step on the first circle.

    The loss is the cosine distance to a goal, scaled so that the step has this size.
    """
    import torch

    from hypertorus.models import Project

    start = torch.from_numpy(np.tile(raw, (len(sizes), 1))).requires_grad_()
    torus = _torus(name)
    goal = torch.from_numpy(torus.point(torus.turns(raw) + AHEAD))
    loss = 1 - Project(name)(start) @ goal
    (gradient,) = torch.autograd.grad(loss.sum(), start, retain_graph=True)
    on_first_circle = gradient[:, : len(raw) // 2].norm(dim=1)
    (loss * torch.from_numpy(sizes) / (RATE * on_first_circle)).sum().backward()
    torch.nn.utils.clip_grad_value_([start], clip)
    torch.optim.SGD([start], lr=RATE).step()
    return start.detach().numpy()


def moved(name: str, sizes: Floats, clip: float = math.inf) -> Floats:
    """Return where steps of these sizes [n] end on the first circle, in turns from 0 to 1 from the start."""
    raw = _start(name)
    return (_torus(name).turns(updated(name, raw, sizes, clip))[:, 0] - START[0]) % 1


def _torus(name: str) -> TorusN | TorusC:
    return TorusN(4) if name == "torusN" else TorusC(2)


def _start(name: str) -> Floats:
    """Return raw numbers of both tori for the same place; pairs of torusN have length 1."""
    return TorusN(4).point(START) * math.sqrt(2) if name == "torusN" else START


def _draw_projected_back(ax: Any) -> None:
    _circle(ax, "torusN", "back onto the circle,\nbelow a quarter turn", centre=(-0.45, 0.45))
    start = _start("torusN")
    for end, filled in zip(updated("torusN", start, np.array([STEP, STEP * LARGER])), (True, False), strict=True):
        place = _on_circle(TorusN(4).turns(end)[0])
        _arrow(ax, start[:2], end[:2], "torusN", filled=filled)
        ax.plot(*np.stack([end[:2], place]).T, color=COLOURS["torusN"], lw=1.2, ls="--")
        _dot(ax, place, "torusN", filled=filled)
    _dot(ax, start[:2])


def _draw_wound_up(ax: Any) -> None:
    _circle(ax, "torusC", "round and round,\nto anywhere", centre=(0, 0))
    sizes = np.linspace(0, STEP * LARGER, 400)
    turns = updated("torusC", START, sizes)[:, 0]
    spiral = _on_circle(turns) * (1 + 0.13 * sizes)[:, None]
    last = int(np.searchsorted(sizes, STEP))
    ax.plot(*spiral[last:].T, color=COLOURS["torusC"], lw=1.2, alpha=0.5)
    ax.plot(*spiral[:last].T, color=COLOURS["torusC"], lw=2)
    for index, filled in ((last, True), (-1, False)):
        ax.plot(*np.stack([spiral[index], _on_circle(turns[index])]).T, color=COLOURS["torusC"], lw=1.2, ls="--")
        _dot(ax, _on_circle(turns[index]), "torusC", filled=filled)
    _dot(ax, _on_circle(START[0]))


def _draw_square(ax: Any, name: str) -> None:
    sizes = np.linspace(0, STEP * LARGER, 400)
    turns = _torus(name).turns(updated(name, _start(name), sizes))
    last = int(np.searchsorted(sizes, STEP))
    ax.plot(*broken_at_edges(turns[last:]).T, color=COLOURS[name], lw=1.2, alpha=0.5)
    ax.plot(*broken_at_edges(turns[:last]).T, color=COLOURS[name], lw=2)
    _dot(ax, turns[0])
    _dot(ax, turns[last], name)
    _dot(ax, turns[-1], name, filled=False)
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], aspect="equal", xlabel="turn 0")
    ax.set_ylabel("turn 1")
    ax.spines[:].set_visible(True)


def _draw_all_sizes(ax: Any) -> None:
    sizes = np.geomspace(0.01, 100, 20_000)
    wrapped = np.stack([sizes, moved("torusC", sizes)], axis=1)
    ax.plot(*broken_at_edges(wrapped).T, color=COLOURS["torusC"], lw=0.8, alpha=0.7)
    outlined = [Stroke(linewidth=5.5, foreground="white"), Normal()]
    ax.plot(sizes, moved("torusC", sizes, CLIP), color=COLOURS["torusC"], lw=3, path_effects=outlined)
    ax.plot(sizes, moved("torusN", sizes), color=COLOURS["torusN"], lw=3, path_effects=outlined)
    ax.axhline(0.25, color=FAINT, lw=1, ls="--", zorder=0)
    ax.text(0.012, 0.26, "a quarter turn", color="#666666")
    for x, y, name, what in (
        (0.27, 0.155, "torusN", ""),
        (0.13, 0.6, "torusC", ""),
        (0.012, 0.11, "torusC", f",\nclipped\nat {CLIP:.0f}"),
    ):
        ax.text(x, y, name + what, color=COLOURS[name], weight="bold")
    ax.set(xscale="log", xlim=(0.01, 100), ylim=(0, 1), yticks=[0, 0.25, 0.5, 0.75, 1])
    ax.set(xlabel="step: learning rate x gradient", ylabel="turns moved", title="Where steps of every size lead")
    ax.set_xticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])


def _circle(ax: Any, name: str, title: str, centre: tuple[float, float]) -> None:
    """Draw a circle with the lengths of the two steps in the middle."""
    ax.plot(*_on_circle(np.linspace(0, 1, 200)).T, color=FAINT, lw=1)
    one, larger = moved(name, np.array([STEP, STEP * LARGER]))
    text = f"step {STEP}:\n{one:.2f} turns\n\n{LARGER - 1:.0%} more:\n{larger:.2f} turns"
    ax.text(0, 0, text, ha="center", va="center", fontsize=9, color=INK)
    (x, y), reach = centre, 1.6
    ax.set(aspect="equal", xlim=(x - reach, x + reach), ylim=(y - reach, y + reach), title=f"{name}: {title}")
    ax.set_axis_off()


def _on_circle(turns: Any) -> Floats:
    return TorusC(1).point(np.asarray(turns)[..., None])


def _arrow(ax: Any, start: Floats, end: Floats, name: str, *, filled: bool) -> None:
    style = {"arrowstyle": "-|>", "color": COLOURS[name], "lw": 2 if filled else 1.2, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=style | {"alpha": 1 if filled else 0.5})


def _dot(ax: Any, place: Floats, name: str | None = None, *, filled: bool = True) -> None:
    colour = COLOURS[name] if name else INK
    ax.plot(*place, "o", color=colour, mfc=colour if filled else "white", mew=1.5, ms=7, zorder=3)
