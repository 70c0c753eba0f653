"""The curse of dimensionality in each space: distances of random points as dimensions grow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from hypertorus.report.style import COLOURS, FAINT, figure, look
from hypertorus.spaces import Space, Sphere, Torus, TorusC

DIMS = (2, 8, 32, 128, 512)
PAIRS = 10_000


def distances() -> Figure:
    """Draw distances of random pairs, as shares of the largest distance: a row per metric, a column per dimension."""
    rows = [(Sphere, "cosine"), *((TorusC, metric) for metric in ("cosine", "l1", "l2"))]
    with look():
        fig = figure(10, 6.2)
        axes = fig.subplots(len(rows), len(DIMS), sharex=True)
        for line, (kind, metric) in zip(axes, rows, strict=True):
            for ax, dim in zip(line, DIMS, strict=True):
                # A sphere of the same intrinsic dimension as the torus of `dim` circles.
                space: Space = kind(dim + 1) if kind is Sphere else kind(dim)
                name = "sphere" if kind is Sphere else "torusC"
                # A single outline draws faster than sixty bars, which would take longer to draw than to compute.
                ax.hist(
                    shares(space, metric), bins=60, range=(0, 1), histtype="stepfilled", color=COLOURS[name], alpha=0.85
                )
                ax.set_yticks([])
                ax.spines["left"].set_visible(False)
                ax.axvline(0.5, color=FAINT, lw=0.8, ls="--")
            line[0].set_ylabel(
                f"{'sphere' if kind is Sphere else 'torus'}\n{metric}", rotation=0, ha="right", va="center"
            )
        for ax, dim in zip(axes[0], DIMS, strict=True):
            ax.set_title(f"{dim} dimensions")
        for ax in axes[-1]:
            ax.set_xticks([0, 0.5, 1], ["0", "½", "1"])
        fig.supxlabel("distance of two random points, over the largest in the space", fontsize=10)
    return fig


def shares(space: Space, metric: str, pairs: int = PAIRS) -> npt.NDArray[np.float64]:
    """Return distances of random pairs over the diameter of the space; for squared distances, the root of that."""
    rng = np.random.default_rng(space.dim)
    first, second = (_random(space, pairs, rng) for _ in range(2))
    share = space.distance(first, second, metric) / space.diameters[metric]
    return np.sqrt(share) if metric == "l2" and isinstance(space, Torus) else share


def _random(space: Space, n: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return random points; on a torus as turns, which l1 and l2 would otherwise have to compute from the points."""
    return rng.random((n, space.flat_dim)) if isinstance(space, Torus) else space.random(n, rng)
