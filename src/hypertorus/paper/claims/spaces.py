"""Claims of the first experiment: how well spaces learn, and the effect of KoLeo."""

from __future__ import annotations

import numpy as np

from hypertorus.paper.claims.finding import (
    FAILS,
    HOLDS,
    OPEN,
    Finding,
    Gaps,
    all_of,
    compare,
    mean,
    values_of,
    where,
)
from hypertorus.paper.experiments.table import OK, Row
from hypertorus.paper.figures.distances import shares
from hypertorus.paper.figures.steps import moved
from hypertorus.spaces import SPACES, Sphere, TorusC


def level_with_the_sphere(rows: list[Row]) -> Finding:
    floats = where(rows, quantiser="none")
    gaps = compare(floats, "space", "torusN", "sphere")
    by_dim = "; ".join(f"{dim}: {compare(where(floats, dim=dim), 'space', 'torusN', 'sphere')}" for dim in _dims(rows))
    return Finding(
        "torusN is level with the sphere (within 0.02).", f"torusN - sphere: {gaps}. By dimension, {by_dim}",
        gaps.within(),
    )  # fmt: skip


def stabler_than_torus_c(rows: list[Row]) -> Finding:
    runs = [row for row in rows if row["quantiser"] == "none"]
    states = {name: [row["status"] for row in runs if row["space"] == name] for name in ("torusN", "torusC")}
    failed = {name: sum(state != OK for state in own) for name, own in states.items()}
    shown = ", ".join(f"{name} {failed[name]} of {len(own)}" for name, own in states.items())
    verdict = HOLDS if failed["torusC"] > failed["torusN"] else OPEN if failed["torusC"] == 0 else FAILS
    return Finding("torusN trains more stably than torusC.", f"runs that failed: {shown}", verdict)


def above_torus_c(rows: list[Row]) -> Finding:
    low = min(_dims(rows), default=0)
    gaps = compare(where(rows, quantiser="none", dim=low), "space", "torusN", "torusC")
    return Finding("torusN is above torusC in few dimensions.", f"{low} dimensions: {gaps}", gaps.above())


def koleo_has_a_best_weight(rows: list[Row]) -> Finding:
    floats = _swept(where(rows, quantiser="none"))
    weights = values_of(floats, "koleo")
    best: dict[tuple[str, str, int], float] = {}
    for data, name, dim in sorted({(row["data"], row["space"], row["dim"]) for row in floats}):
        cells = where(floats, data=data, space=name, dim=dim)
        means = {weight: mean(where(cells, koleo=weight)) for weight in values_of(cells, "koleo")}
        best[data, name, dim] = max(means, key=lambda weight: means[weight])
    inside = sum(weights[0] < weight < weights[-1] for weight in best.values())
    counts = ", ".join(f"{weight:g}: {sum(w == weight for w in best.values())}" for weight in weights)
    verdict = OPEN if len(weights) < 3 else HOLDS if inside > len(best) / 2 and len(set(best.values())) > 1 else FAILS
    return Finding(
        "The KoLeo weight has a sweet spot, which varies with space and dimension.",
        f"how often each weight is best, over {len(best)} spaces and dimensions: {counts}", verdict,
    )  # fmt: skip


def koleo_matters_more_on_a_torus(rows: list[Row]) -> Finding:
    floats = _swept(where(rows, quantiser="none"))
    ranges: dict[str, list[float]] = {name: [] for name in SPACES}
    for data, dim, seed in sorted({(row["data"], row["dim"], row["seed"]) for row in floats}):
        for name, widths in ranges.items():
            cells = [row["precision_at_1"] for row in where(floats, data=data, dim=dim, seed=seed, space=name)]
            widths.append(float(np.ptp(cells)) if len(cells) > 2 else np.nan)
    pairs = [
        Gaps(tuple(t - s for t, s in zip(ranges[torus], ranges["sphere"], strict=True) if not np.isnan(t - s)))
        for torus in ("torusN", "torusC")
    ]
    shown = "; ".join(f"{name} - sphere {gaps}" for name, gaps in zip(("torusN", "torusC"), pairs, strict=True))
    return Finding(
        "KoLeo influences the torus somewhat more than the sphere.",
        f"range of precision at 1 over the weights: {shown}",
        all_of(*(gaps.above() for gaps in pairs)),
    )


def koleo_spreads(rows: list[Row]) -> Finding:
    floats = _swept(where(rows, quantiser="none"))
    weights = values_of(floats, "koleo")
    shown, verdicts = [], [OPEN] if len(weights) < 2 else []
    for name in SPACES:
        own = where(floats, space=name)
        means = [f"{weight:g}: {mean(where(own, koleo=weight), 'circular_variance'):.2f}" for weight in weights]
        shown.append(f"{name} {', '.join(means)}")
        if len(weights) > 1:
            verdicts.append(compare(own, "koleo", weights[-1], weights[0], "circular_variance").above())
    return Finding(
        "KoLeo spreads embeddings more evenly, in all spaces.",
        f"circular variance by weight: {'; '.join(shown)}", all_of(*verdicts),
    )  # fmt: skip


def spaces_matter_less_than_the_rest(rows: list[Row]) -> Finding:
    floats = [row for row in _swept(where(rows, quantiser="none")) if row["space"] != "torusC"]
    gaps = compare(floats, "space", "torusN", "sphere")
    spreads = {
        what: max(means) - min(means)
        for what, column in (("dimension", "dim"), ("KoLeo weight", "koleo"))
        if (means := [mean(where(floats, **{column: value})) for value in values_of(floats, column)])
    }
    shown = ", ".join(f"{what} {spread:.3f}" for what, spread in spreads.items())
    verdict = OPEN if len(gaps.values) < 2 else HOLDS if abs(gaps.mean) < max(spreads.values()) else FAILS
    return Finding(
        "The choice of sphere or torusN matters little beside other choices.",
        f"torusN - sphere {gaps}; largest difference of means by {shown}", verdict,
    )  # fmt: skip


def steps_stay_below_a_quarter(_: list[Row]) -> Finding:
    most = float(np.max(moved("torusN", np.geomspace(1e-3, 1e4, 400))))
    return Finding(
        "After L2 normalisation no gradient step turns a pair by a quarter or more.",
        f"the largest of 400 steps of sizes up to 10,000 turned it by {most:.5f}", HOLDS if most < 0.25 else FAILS,
    )  # fmt: skip


def distances_crowd_alike(_: list[Row]) -> Finding:
    dims = (8, 512)
    sphere, torus = (
        [float(shares(kind(dim + (kind is Sphere)), "cosine").std()) for dim in dims] for kind in (Sphere, TorusC)
    )
    alike = all(0.5 < t / s < 2 for s, t in zip(sphere, torus, strict=True)) and torus[1] < torus[0]
    shown = ", ".join(f"{d} dimensions: {s:.3f} and {t:.3f}" for d, s, t in zip(dims, sphere, torus, strict=True))
    return Finding(
        "The curse of dimensionality is alike in both geometries.",
        f"deviation of the cosine distance over its largest, sphere and torus, {shown}", HOLDS if alike else FAILS,
    )  # fmt: skip


CLAIMS = (
    level_with_the_sphere,
    stabler_than_torus_c,
    above_torus_c,
    koleo_has_a_best_weight,
    koleo_matters_more_on_a_torus,
    koleo_spreads,
    spaces_matter_less_than_the_rest,
    steps_stay_below_a_quarter,
    distances_crowd_alike,
)


def _dims(rows: list[Row]) -> list[int]:
    return values_of(rows, "dim")


def _swept(rows: list[Row]) -> list[Row]:
    """Return the rows whose data set and way to train have runs with several KoLeo weights, so that means compare."""
    weights: dict[tuple[str, str], set[float]] = {}
    for row in rows:
        weights.setdefault((row["data"], row["trained"]), set()).add(row["koleo"])
    return [row for row in rows if len(weights[row["data"], row["trained"]]) > 1]
