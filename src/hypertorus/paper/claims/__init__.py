"""The paper's empirical claims, each held against measurements made here."""

from collections.abc import Iterable

from hypertorus.paper.claims import beyond, codes, spaces
from hypertorus.paper.claims.finding import CLOSE as CLOSE
from hypertorus.paper.claims.finding import FAILS as FAILS
from hypertorus.paper.claims.finding import HOLDS as HOLDS
from hypertorus.paper.claims.finding import OPEN as OPEN
from hypertorus.paper.claims.finding import Finding as Finding
from hypertorus.paper.claims.finding import Row

READING = (
    "Differences are of precision at 1 unless said otherwise, over pairs of runs that are alike in all else: their "
    "mean, plus or minus twice its standard error. A verdict is given where that error leaves no doubt. Pairs of one "
    "seed share what they began with, so the errors are, if anything, too small."
)
CLAIMS = {"The paper": (*spaces.CLAIMS, *codes.CLAIMS), "Beyond the paper": beyond.CLAIMS}
"""Tests of claims: functions of the rows of a table, by whose claims they are."""


def findings(rows: Iterable[Row]) -> dict[str, list[Finding]]:
    """Every claim held against a table of results."""
    rows = list(rows)
    return {whose: [test(rows) for test in tests] for whose, tests in CLAIMS.items()}
