"""Claims of the third experiment: classifying species by a few examples, as floats and as codes."""

from __future__ import annotations

from hypertorus.paper.claims.finding import (
    FAILS,
    HOLDS,
    OPEN,
    Finding,
    Gaps,
    all_of,
    compare,
    listed,
    mean,
    values_of,
    where,
)
from hypertorus.paper.experiments.birdsong.measure import LENGTHS
from hypertorus.paper.experiments.birdsong.scales import AS_THEY_ARE
from hypertorus.paper.experiments.grid import SOFT as SOFT_TORUS
from hypertorus.paper.experiments.table import Row

ACCURACY = "accuracy"


def level_with_the_sphere(rows: list[Row]) -> Finding:
    gaps = _spaces(_floats(rows))
    return Finding("Sphere and torusN reach similar accuracy (within 0.02).", f"torusN - sphere: {gaps}", gaps.within())


def few_dimensions_generalise(rows: list[Row]) -> Finding:
    dims = values_of(_floats(rows), "dim")
    if len(dims) < 2:
        return Finding(_FEW, "one dimension only", OPEN)
    gaps = {
        name: compare(where(_floats(rows), space=name), "dim", dims[0], dims[-1], ACCURACY)
        for name in ("sphere", "torusN")
    }
    return Finding(_FEW, f"{dims[0]} - {dims[-1]}: {listed(gaps)}", all_of(*(each.above() for each in gaps.values())))


_FEW = "Fewer dimensions generalise better to species never heard."


def sphere_ahead_in_many_dimensions(rows: list[Row]) -> Finding:
    return _by_dim(rows, "In 128 dimensions the sphere is ahead.", 128, ahead="sphere")


def torus_ahead_in_few_dimensions(rows: list[Row]) -> Finding:
    return _by_dim(rows, "In 16 dimensions torusN is ahead.", 16, ahead="torusN")


def the_smallest_torus_is_best(rows: list[Row]) -> Finding:
    floats = [row for row in _floats(rows) if row["space"] != "torusC"]
    means = {
        (name, dim): mean(where(floats, space=name, dim=dim), ACCURACY)
        for name in values_of(floats, "space")
        for dim in values_of(floats, "dim")
    }
    if len(means) < 2:
        return Finding(_BEST, "too few runs to compare", OPEN)
    best = max(means, key=lambda cell: means[cell])
    shown = ", ".join(f"{name} {dim}: {value:.3f}" for (name, dim), value in means.items())
    verdict = HOLDS if best == ("torusN", min(dim for _, dim in means)) else FAILS
    return Finding(_BEST, shown, verdict)


_BEST = "Of all, torusN with the fewest dimensions is best."


def torus_c_holds_too(rows: list[Row]) -> Finding:
    gaps = compare(_floats(rows), "space", "torusC", "torusN", ACCURACY)
    return Finding(
        "torusC, which the paper left out, is level with torusN (within 0.02).",
        f"torusC - torusN: {gaps}",
        gaps.within(),
    )


def codes_alone_are_enough(rows: list[Row]) -> Finding:
    least = {"8bit": -0.01, "4bit": -0.01, "2bit": -0.03}
    torus = where(_trained(rows), space="torusN")
    gaps = {bits: compare(torus, "quantiser", bits, "none", ACCURACY) for bits in least}
    return Finding(
        "On a torus, prototypes as circular means of codes, compared by integer l1, cost at most 0.01 against floats "
        "at 8 and 4 bits, and 0.03 at 2.",
        f"codes - floats, torusN: {listed(gaps)}",
        all_of(*(gaps[bits].above(least[bits]) for bits in least)),
    )


def lengths_of_means_help(rows: list[Row]) -> Finding:
    torus = where(_trained(rows), space="torusN", shots="5")
    gaps = {bits: compare(torus, "quantiser", f"{bits}{LENGTHS}", bits, ACCURACY) for bits in ("8bit", "4bit", "2bit")}
    left = compare(torus, "quantiser", f"8bit{LENGTHS}", "none", ACCURACY)
    return Finding(
        "Of five examples, prototypes that keep the lengths of their means in 2 bits a coordinate are better than "
        "circular means alone.",
        f"lengths - without, torusN: {listed(gaps)}. And lengths - floats: 8bit {left}",
        all_of(*(each.above() for each in gaps.values())),
    )


def training_helps(rows: list[Row]) -> Finding:
    """Compare torusN of the most dimensions with the baseline without training, for each way to train."""
    dims = values_of(_trained(rows), "dim")
    without = {_place(row): row[ACCURACY] for row in where(rows, quantiser="none") if row["trained"] in AS_THEY_ARE}
    gained = {}
    for kind in values_of(_trained(rows), "trained"):
        widest = where(_floats(rows), trained=kind, space="torusN", dim=dims[-1])
        gained[kind] = Gaps(tuple(row[ACCURACY] - without[_place(row)] for row in widest if _place(row) in without))
    return Finding(
        "A trained torusN does better than what there was before: statistics of spectrograms, or ready-made features.",
        listed(gained),
        all_of(*(gaps.above() for gaps in gained.values())),
    )


def soft_is_level_with_the_sphere(rows: list[Row]) -> Finding:
    gaps = compare(_floats(rows), "space", SOFT_TORUS, "sphere", ACCURACY)
    return Finding(
        "Soft torusN and the sphere reach similar accuracy (within 0.02).",
        f"soft torusN - sphere: {gaps}",
        gaps.within(),
    )


def soft_is_better_than_published(rows: list[Row]) -> Finding:
    kinds = values_of(_floats(rows), "trained")
    gaps = {
        kind: compare(where(_floats(rows), trained=kind), "space", SOFT_TORUS, "torusN", ACCURACY) for kind in kinds
    }
    gaps = {kind: each for kind, each in gaps.items() if each.values}
    return Finding(
        "Soft training improves on torusN as published.",
        f"soft - published: {listed(gaps) or Gaps(())}",
        all_of(*(each.above() for each in gaps.values())),
    )


PAPER = (
    level_with_the_sphere,
    few_dimensions_generalise,
    sphere_ahead_in_many_dimensions,
    torus_ahead_in_few_dimensions,
    the_smallest_torus_is_best,
)
SOFT = (soft_is_level_with_the_sphere, soft_is_better_than_published)
BEYOND = (torus_c_holds_too, codes_alone_are_enough, lengths_of_means_help, training_helps)


def _trained(rows: list[Row]) -> list[Row]:
    return [row for row in where(rows) if row["trained"] not in AS_THEY_ARE]


def _floats(rows: list[Row]) -> list[Row]:
    return where(_trained(rows), quantiser="none")


def _spaces(rows: list[Row]) -> Gaps:
    return compare(rows, "space", "torusN", "sphere", ACCURACY)


def _by_dim(rows: list[Row], claim: str, dim: int, ahead: str) -> Finding:
    floats = _floats(rows)
    by_shots = {
        f"{shots} shot{'s' * (shots != '1')}": _spaces(where(floats, dim=dim, shots=shots))
        for shots in values_of(floats, "shots")
    }
    gaps = _spaces(where(floats, dim=dim))
    signed = gaps if ahead == "torusN" else Gaps(tuple(-value for value in gaps.values))
    return Finding(claim, f"torusN - sphere: {listed(by_shots) or gaps}", signed.above())


def _place(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in ("data", "seed", "test", "shots", "ways"))
