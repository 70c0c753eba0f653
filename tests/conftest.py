"""What holds for every test: nothing is asked of the internet, and small matrices are not split over cores."""

import os

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture
def unmeasured():
    """The environment without coverage, whose tracer may wait for its own lock for ever when it is interrupted."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
