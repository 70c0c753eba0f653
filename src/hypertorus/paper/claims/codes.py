"""Claims of the second experiment: the cost of quantisers."""

from __future__ import annotations

from hypertorus.paper.claims.finding import FAILS, HOLDS, OPEN, Finding, all_of, compare, listed, values_of, where
from hypertorus.paper.experiments.grid import WIDEST
from hypertorus.paper.experiments.one_bit import one_bit_a_number
from hypertorus.paper.experiments.table import Row
from hypertorus.spaces import SPACES


def eight_bits_cost_little(rows: list[Row]) -> Finding:
    costs = {name: compare(where(rows, space=name), "quantiser", "8bit", "none") for name in SPACES}
    verdicts = (gaps.within() for gaps in costs.values())
    return Finding("8 bits cost little (at most 0.02).", f"8 bits - floats: {listed(costs)}", all_of(*verdicts))


def one_bit_degrades(rows: list[Row]) -> Finding:
    rows = one_bit_a_number(rows)
    costs = {name: compare(where(rows, space=name), "quantiser", "8bit", "1bit") for name in SPACES}
    return Finding(
        "1 bit costs precision.", f"8 bits - 1 bit: {listed(costs)}", all_of(*(g.above() for g in costs.values()))
    )


def ahead_at_one_bit(rows: list[Row]) -> Finding:
    dims = values_of(rows, "dim")
    shown = []
    for named, kept in (("equal bits", one_bit_a_number(rows)), ("half the bits, one an angle", rows)):
        by_dim = [
            f"{dim}: {compare(where(kept, quantiser='1bit', dim=dim), 'space', 'torusN', 'sphere')}" for dim in dims
        ]
        shown.append(f"at {named}, by dimension, {'; '.join(by_dim)}")
    lowest = where(one_bit_a_number(rows), quantiser="1bit", dim=dims[0] if dims else 0)
    return Finding(
        "At 1 bit a raw number and few dimensions torusN is ahead of the sphere.",
        f"torusN - sphere {'. And '.join(shown)}",
        compare(lowest, "space", "torusN", "sphere").above(),
    )


def product_codes_are_resilient(rows: list[Row]) -> Finding:
    gaps = compare(where(one_bit_a_number(rows)), "quantiser", "pq8x2", "1bit")
    return Finding(
        "Product codes of 16 bits do better than 1 bit a raw number.", f"pq8x2 - 1 bit: {gaps}", gaps.above()
    )


def small_codebooks_cost(rows: list[Row]) -> Finding:
    gaps = [
        compare(where(rows), "quantiser", large, small) for large, small in (("pq8x2", "pq4x4"), ("pq8x1", "pq4x2"))
    ]
    return Finding(
        "At equal bits, product codes with small codebooks do worse.",
        f"16 bits, pq8x2 - pq4x4: {gaps[0]}; 8 bits, pq8x1 - pq4x2: {gaps[1]}",
        all_of(*(each.above() for each in gaps)),
    )


def level_at_extreme_compression(rows: list[Row]) -> Finding:
    gaps = {name: compare(where(rows, quantiser=name), "space", "torusN", "sphere") for name in ("pq4x4", "pq4x2")}
    ahead = [value > 0 for each in gaps.values() for value in each.values]
    share = sum(ahead) / len(ahead) if ahead else 0.0
    verdict = OPEN if len(ahead) < 6 else HOLDS if 1 / 3 < share < 2 / 3 else FAILS
    return Finding(
        "With small codebooks sphere and torusN are ahead of each other equally often.",
        f"torusN - sphere: {listed(gaps)}; torusN is ahead in {share:.0%}", verdict,
    )  # fmt: skip


def few_dimensions_compress_better(rows: list[Row]) -> Finding:
    dims = [dim for dim in values_of(rows, "dim") if dim < WIDEST]  # which not all kinds of heads have
    if len(dims) < 2:
        return Finding(_FEW, "one dimension only", OPEN)
    floats, codes = (compare(where(rows, quantiser=name), "dim", dims[0], dims[-1]) for name in ("none", "pq4x2"))
    return Finding(
        _FEW, f"{dims[0]} - {dims[-1]} dimensions, in 8 bits (pq4x2): {codes}; as floats: {floats}", codes.above()
    )


_FEW = "Under extreme compression few dimensions do better than many."

CLAIMS = (
    eight_bits_cost_little,
    one_bit_degrades,
    ahead_at_one_bit,
    product_codes_are_resilient,
    small_codebooks_cost,
    level_at_extreme_compression,
    few_dimensions_compress_better,
)
