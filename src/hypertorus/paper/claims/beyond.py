"""Claims beyond the paper: codes that respect the circle, metrics on codes, depths between 8 and 1 bit."""

from __future__ import annotations

from hypertorus.paper.claims.finding import Finding, all_of, compare, listed, where
from hypertorus.paper.experiments.table import Row
from hypertorus.spaces import SPACES

TORI = ("torusN", "torusC")


def the_grid_is_the_period(rows: list[Row]) -> Finding:
    gaps = {bits: compare(where(rows), "quantiser", bits, f"{bits}-minmax") for bits in ("8bit", "1bit")}
    spread = compare(where(rows), "quantiser", "8bit-minmax", "none", "circular_variance")
    return Finding(
        "A grid that is the period costs nothing against the published grid from minimum to maximum, and keeps the "
        "circular variance.",
        f"precision, period - min-max: {listed(gaps)}; circular variance of the min-max grid - floats {spread}",
        all_of(*(each.above(-0.005) for each in gaps.values())),
    )


def product_codes_that_know_the_circle(rows: list[Row]) -> Finding:
    return _product_codes(
        rows,
        "published",
        "Product codes that know the circle do better than as published, as plain numbers throughout.",
    )


def product_codes_that_wrap(rows: list[Row]) -> Finding:
    return _product_codes(rows, "plain", "Of that, k-means that knows the wrap does better than k-means of integers.")


def metrics_on_codes(rows: list[Row]) -> Finding:
    codes = _any_metric(rows, "8bit")
    gaps = {metric: compare(codes, "metric", metric, "cosine") for metric in ("l1", "l2")}
    return Finding(
        "On 8-bit codes l1 and l2 find the right class as often as the cosine (within 0.02).",
        f"minus cosine: {listed(gaps)}", all_of(*(each.within() for each in gaps.values())),
    )  # fmt: skip


def metrics_on_neighbours(rows: list[Row]) -> Finding:
    codes = _any_metric(rows, "8bit")
    gaps = {
        f"cosine - {metric}": compare(codes, "metric", "cosine", metric, "neighbour_recall") for metric in ("l1", "l2")
    }
    return Finding(
        "On 8-bit codes the cosine finds more of the ten nearest neighbours of the floats.",
        f"share found: {listed(gaps)}", all_of(*(each.above() for each in gaps.values())),
    )  # fmt: skip


def four_bits_cost_little(rows: list[Row]) -> Finding:
    return _depth(rows, "4bit", "4 bits a coordinate cost little (at most 0.02).")


def two_bits_cost_little(rows: list[Row]) -> Finding:
    return _depth(rows, "2bit", "2 bits a coordinate cost little (at most 0.02).")


CLAIMS = (
    the_grid_is_the_period,
    product_codes_that_know_the_circle,
    product_codes_that_wrap,
    metrics_on_codes,
    metrics_on_neighbours,
    four_bits_cost_little,
    two_bits_cost_little,
)


def _any_metric(rows: list[Row], quantiser: str) -> list[Row]:
    return [row for row in rows if (row["status"], row["quantiser"]) == ("ok", quantiser) and row["space"] in TORI]


def _product_codes(rows: list[Row], other: str, claim: str) -> Finding:
    gaps = {
        f"{space} {name}": compare(where(rows, space=space), "quantiser", name, f"{name}-{other}")
        for space in TORI
        for name in ("pq8x4", "pq4x4")
    }
    return Finding(claim, f"wrap-aware - {other}: {listed(gaps)}", all_of(*(each.above() for each in gaps.values())))


def _depth(rows: list[Row], bits: str, claim: str) -> Finding:
    costs = {name: compare(where(rows, space=name), "quantiser", bits, "none") for name in SPACES}
    return Finding(claim, f"minus floats: {listed(costs)}", all_of(*(gaps.within() for gaps in costs.values())))
