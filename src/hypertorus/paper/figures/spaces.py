"""The three spaces side by side, and the image of a straight line of raw numbers in each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from hypertorus.report.style import COLOURS, FAINT, INK, figure, look
from hypertorus.spaces import Sphere, TorusC, TorusN

Floats = npt.NDArray[np.float64]


def spaces() -> Figure:
    """Draw a cloud of raw numbers and a straight line among them, projected to each space."""
    rng = np.random.default_rng(4)
    with look():
        fig = figure(10, 3.7, layout=None)
        grid = fig.add_gridspec(1, 3, width_ratios=(1, 1.15, 0.92), left=0, right=0.99, bottom=0.12, top=0.84)
        _draw_sphere(fig.add_subplot(grid[0], projection="3d"), rng.normal(size=(400, 3)))
        _draw_doughnut(fig.add_subplot(grid[1], projection="3d"), rng.normal(size=(500, 4)))
        _draw_square(fig.add_subplot(grid[2]), rng.normal(size=(400, 2)))
    return fig


def walk(start: list[float], end: list[float], steps: int = 400) -> Floats:
    """Return equal steps along the straight line from start to end: [steps, D] raw numbers."""
    return np.linspace(np.array(start), np.array(end), steps)


def _draw_sphere(ax: Any, raw: Floats) -> None:
    u, v = np.mgrid[0 : 2 * np.pi : 37j, 0 : np.pi : 19j]
    ax.plot_wireframe(np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v), color=FAINT, lw=0.3, alpha=0.5)
    sphere = Sphere(3)
    ax.scatter(*sphere.project(raw).T, s=5, color=COLOURS["sphere"], alpha=0.7)
    ax.plot(*(1.02 * sphere.project(walk([2, -3, -0.5], [0.4, 1.5, 2.5]))).T, color=INK, lw=2)
    _bare(ax, "sphere: the whole vector\nover its length", 0.62)


def _draw_doughnut(ax: Any, raw: Floats) -> None:
    u, v = np.mgrid[0:1:49j, 0:1:25j]
    ax.plot_wireframe(*_on_doughnut(np.stack([u, v], axis=-1)), color=FAINT, lw=0.3, alpha=0.5)
    torus = TorusN(4)
    ax.scatter(*_on_doughnut(torus.turns(raw)), s=5, color=COLOURS["torusN"], alpha=0.7)
    ax.plot(*_on_doughnut(torus.turns(walk([-1, -3, 3, -2], [1.0, 2, -1, 2])), 0.42), color=INK, lw=2)
    _bare(ax, "torusN: each pair of numbers\nover its own length", 0.88)


def _draw_square(ax: Any, raw: Floats) -> None:
    torus = TorusC(2)
    ax.scatter(*torus.turns(raw).T, s=5, color=COLOURS["torusC"], alpha=0.7)
    ax.plot(*broken_at_edges(torus.turns(walk([0.1, 0.25], [2.3, 1.7]))).T, color=INK, lw=2)
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], aspect="equal")
    ax.set(xlabel="turn 0", ylabel="turn 1")
    ax.spines[:].set_visible(True)
    _title(ax, "torusC: each number wraps\naround on its own")


def _on_doughnut(turns: Floats, tube: float = 0.4) -> tuple[Floats, Floats, Floats]:
    long, short = 2 * np.pi * turns[..., 0], 2 * np.pi * turns[..., 1]
    ring = 1 + tube * np.cos(short)
    return ring * np.cos(long), ring * np.sin(long), tube * np.sin(short)


def broken_at_edges(turns: Floats) -> Floats:
    """Return the path with a gap wherever it leaves the square on one side and comes back on the other."""
    jumps = np.flatnonzero((np.abs(np.diff(turns, axis=0)) > 0.5).any(axis=1)) + 1
    return np.insert(turns, jumps, np.nan, axis=0)


def _bare(ax: Any, title: str, reach: float) -> None:
    ax.set_axis_off()
    ax.set_box_aspect((1, 1, 1), zoom=1.45)
    ax.set(xlim=(-reach * 1.6, reach * 1.6), ylim=(-reach * 1.6, reach * 1.6), zlim=(-reach * 1.6, reach * 1.6))
    ax.view_init(elev=32, azim=-55)
    _title(ax, title)


def _title(ax: Any, title: str) -> None:
    """Align all titles, whatever the size of a panel's axes."""
    box = ax.get_position()
    ax.figure.text((box.x0 + box.x1) / 2, 0.99, title, ha="center", va="top", fontsize=11)
