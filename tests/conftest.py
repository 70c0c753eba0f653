"""What holds for every test: nothing is asked of the internet, small matrices stay on one core, and Ctrl-C works."""

import os
import signal

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What a shell begins in the background ignores Ctrl-C, and so would every command that a test begins and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def unmeasured():
    """The environment without coverage, whose tracer may wait for its own lock for ever when it is interrupted."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
