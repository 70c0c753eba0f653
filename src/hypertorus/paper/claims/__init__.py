"""The paper's empirical claims, each checked against measurements."""

from collections.abc import Callable, Iterable, Mapping

from hypertorus.paper.claims import beyond, birdsong, codes, soft, spaces
from hypertorus.paper.claims.finding import CLOSE as CLOSE
from hypertorus.paper.claims.finding import FAILS as FAILS
from hypertorus.paper.claims.finding import HOLDS as HOLDS
from hypertorus.paper.claims.finding import OPEN as OPEN
from hypertorus.paper.claims.finding import Finding as Finding
from hypertorus.paper.experiments.table import Row
from hypertorus.spaces import SPACES

Claims = Mapping[str, tuple[Callable[[list[Row]], Finding], ...]]
"""Tests of claims, which are functions of the rows of a table, by the source of the claims."""

READING = (
    "Differences are of precision at 1 (of birdsong: of accuracy) unless said otherwise, over pairs of runs that are "
    "alike in all else: their mean, plus or minus twice its standard error. A verdict is given where that error leaves "
    "no doubt. Pairs of one seed share what they began with, so the errors are, if anything, too small."
)
SOFT_TRAINING = "Soft training"
CLAIMS: Claims = {
    "The paper": (*spaces.CLAIMS, *codes.CLAIMS),
    "Beyond the paper": beyond.CLAIMS,
    SOFT_TRAINING: soft.CLAIMS,
}
BIRDSONG_CLAIMS: Claims = {
    "The paper on birdsong": birdsong.PAPER,
    "Beyond the paper, on birdsong": birdsong.BEYOND,
    f"{SOFT_TRAINING}, on birdsong": birdsong.SOFT,
}


def findings(rows: Iterable[Row], claims: Claims = CLAIMS) -> dict[str, list[Finding]]:
    """Return the finding on every claim from a table of results; only those on soft training look at its runs."""
    every = list(rows)
    published = [row for row in every if row["space"] in SPACES]
    return {
        source: [test(every if source.startswith(SOFT_TRAINING) else published) for test in tests]
        for source, tests in claims.items()
    }
