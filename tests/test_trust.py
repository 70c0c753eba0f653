"""Every promise in docs/trust.md names tests, and these exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "trust.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith("| promise ")
]


def test_the_page_promises_something():
    assert len(ROWS) > 25


@pytest.mark.parametrize(("promise", "tests"), ROWS, ids=[row[0][:40] for row in ROWS])
def test_a_promise_names_tests_that_exist(promise, tests):
    assert promise.endswith(".")
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", tests)
    assert named
    assert len(named) == tests.count("`") // 2
    for file, name in named:
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.MULTILINE), f"{file} has no {name}"
