"""Draws the pictures of the documents into docs/images.

python docs/figures.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import hypertorus as ht
from hypertorus.paper.all_figures import FIGURES
from hypertorus.report.style import COLOURS, FAINT, INK, figure, look, save

IMAGES = Path(__file__).parent / "images"
OF_THE_PAPER = ("spaces", "projections", "steps")
"""Figures of the paper that the documents show."""
HERE, THERE = np.array([0.85, 0.3]), np.array([0.1, 0.8])


def main() -> None:
    for name, drawn in {
        **{name: FIGURES[name].draw() for name in OF_THE_PAPER},
        "flat-square": flat_square(),
        "two-circles": two_circles(),
        "overflow": overflow(),
        "soft": soft(),
    }.items():
        save(drawn, IMAGES / f"{name}.png")


def flat_square() -> Figure:
    """The same two places on the square, and on the endless tiling that the square stands for."""
    with look():
        fig = figure(9, 4.2)
        square, tiling = fig.subplots(1, 2, width_ratios=(1, 1.25))
        _places(square, np.zeros((1, 2)))
        for start, end in _wrapped_path(HERE, THERE):
            square.plot(*np.stack([start, end]).T, color=COLOURS["torusN"], lw=2.5)
        square.plot(*np.stack([HERE, THERE]).T, color=FAINT, lw=1.5, ls=":")
        square.set(xlim=(0, 1), ylim=(0, 1), title="On the square: out at the right,\nback in at the left")
        square.spines[:].set_visible(True)
        shift = np.round(HERE - THERE)
        _places(tiling, np.array([(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)], float))
        tiling.plot(*np.stack([HERE, THERE + shift]).T, color=COLOURS["torusN"], lw=2.5)
        tiling.add_patch(Rectangle((0, 0), 1, 1, fill=False, ec=INK, lw=1.5))
        tiling.set(xlim=(-0.5, 1.75), ylim=(-0.5, 1.5), title="On the tiling: a straight line\nto the nearest copy")
        for ax in (square, tiling):
            ax.set(aspect="equal", xlabel="turn 0", ylabel="turn 1", xticks=[0, 1], yticks=[0, 1])
    return fig


def soft() -> Figure:
    """What softness does to a pair by its length: to its share of the point, to its gradient, and over training."""
    lengths = np.geomspace(0.01, 10, 200)
    with look():
        fig = figure(11, 3.6)
        share, gradient, training = fig.subplots(1, 3)
        for softness, shade in ((0.0, INK), (0.1, COLOURS["torusC"]), (1.0, COLOURS["torusN-soft"])):
            label = "c = 0, as published" if softness == 0 else f"c = {softness:g}"
            share.plot(lengths, lengths / np.sqrt(lengths**2 + softness), color=shade, lw=2, label=label)
            gradient.plot(lengths, 1 / np.sqrt(lengths**2 + softness), color=shade, lw=2, label=label)
        share.set(xscale="log", title="A short pair stays short", ylabel="length after division", ylim=(0, 1.1))
        gradient.set(xscale="log", yscale="log", title="Its gradient no longer explodes", ylabel="turning force")
        for ax in (share, gradient):
            ax.set_xlabel("length r of a pair (1 is usual in its row)")
        gradient.legend(frameon=False)
        for length, style in ((1.0, "-"), (0.3, "--"), (0.1, ":")):
            schedule, sizes = ht.SoftSchedule(steps=100), []
            for _ in range(101):
                sizes.append(length / np.sqrt(length**2 + float(schedule.value)))
                schedule.step()
            training.plot(sizes, style, color=COLOURS["torusN-soft"], lw=2, label=f"r = {length:g}")
        training.set(title="It commits late", xlabel="share of the steps, %", ylabel="length after division")
        training.set_ylim(0, 1.1)
        training.legend(frameon=False)
        for ax in (share, gradient, training):
            ax.grid(alpha=0.2, color=FAINT)
    return fig


def two_circles() -> Figure:
    """A place of the flat torus as one position on each of two circles."""
    with look():
        fig = figure(9, 3.4)
        axes = fig.subplots(1, 3)
        _places(axes[0], np.zeros((1, 2)), names="a")
        axes[0].plot([HERE[0], HERE[0], 0], [0, HERE[1], HERE[1]], color=FAINT, lw=1, ls="--", zorder=0)
        axes[0].set(xlim=(0, 1), ylim=(0, 1), xlabel="turn 0", ylabel="turn 1", xticks=[0, 1], yticks=[0, 1])
        axes[0].set(aspect="equal", title="turns: (0.85, 0.30)")
        axes[0].spines[:].set_visible(True)
        point = ht.TorusC(2).project(HERE) * np.sqrt(2)
        for number, ax in enumerate(axes[1:]):
            _circle(ax)
            x, y = point[2 * number : 2 * number + 2]
            ax.plot([0, x], [0, y], color=COLOURS["torusN"], lw=2)
            ax.plot(x, y, "o", color=COLOURS["torusN"], ms=8)
            ax.set_title(f"circle {number}: cos {x:.2f}, sin {y:.2f}")
    return fig


def overflow() -> Figure:
    """The ring of a byte: two codes and the two ways between them."""
    a, b = 250, 12
    with look():
        fig = figure(5.2, 4.4)
        ax = fig.subplots()
        _circle(ax)
        for code in range(0, 256, 16):
            x, y = _at(code)
            ax.plot([0.97 * x, 1.03 * x], [0.97 * y, 1.03 * y], color=FAINT, lw=1)
            if code % 64 == 0:
                ax.text(0.82 * x, 0.82 * y, str(code), ha="center", va="center", color=FAINT)
        ax.plot(*_at(np.linspace(a, b + 256, 50)), color=COLOURS["torusN"], lw=4)
        ax.plot(*(1.12 * _at(np.linspace(b, a, 200))), color=FAINT, lw=1.5, ls=":")
        for name, code in (("a", a), ("b", b)):
            x, y = _at(code)
            ax.plot(x, y, "o", color=INK, ms=8, zorder=3)
            ax.text(1.2 * x + 0.03, 1.2 * y, f"{name} = {code}", va="center")
        ax.text(0, 0.06, "b - a = 18 (overflowed)", ha="center", color=COLOURS["torusN"])
        ax.text(0, -0.12, "a - b = 238", ha="center", color="#666666")
        ax.set(xlim=(-1.3, 1.75))
    return fig


def _at(code: Any) -> Any:
    angle = 2 * np.pi * np.asarray(code) / 256
    return np.stack([np.cos(angle), np.sin(angle)])


def _circle(ax: Any) -> None:
    ax.plot(*_at(np.linspace(0, 256, 200)), color=FAINT, lw=1)
    ax.set(aspect="equal", xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
    ax.set_axis_off()


def _places(ax: Any, shifts: Any, names: str = "ab") -> None:
    """The two places, once for every copy of the square; only the first square's are inked."""
    for name, place in zip(names, (HERE, THERE), strict=False):
        for shift in shifts:
            own = not shift.any()
            ax.plot(*(place + shift), "o", color=INK if own else FAINT, ms=8 if own else 5, zorder=3)
            ax.annotate(name, place + shift, (-14, 2), textcoords="offset points", color=INK if own else FAINT)
    for shift in shifts:
        ax.add_patch(Rectangle(tuple(shift), 1, 1, fill=False, ec=FAINT, lw=0.8))


def _wrapped_path(start: Any, end: Any) -> list[tuple[Any, Any]]:
    """The shortest path as pieces within the square, cut at its left and right edge."""
    goal = end + np.round(start - end)
    edge = 1.0 if goal[0] > start[0] else 0.0
    crossing = start + (goal - start) * (edge - start[0]) / (goal[0] - start[0])
    other = crossing + np.array([1 - 2 * edge, 0.0])
    return [(start, crossing), (other, end)]


if __name__ == "__main__":
    main()
