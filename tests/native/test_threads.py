"""The native core under ThreadSanitizer: one thread adds codes while others search, and no byte is raced for."""

import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[2] / "native"
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
THREADS = ["-O1", "-fsanitize=thread", "-pthread", "-Wno-unused-function"]


def test_readers_load_nothing_that_a_writer_may_write(tmp_path):
    empty = tmp_path / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    tried = subprocess.run(["cc", *THREADS, empty, "-o", tmp_path / "empty"], capture_output=True, check=False)
    if tried.returncode or subprocess.run([tmp_path / "empty"], capture_output=True, check=False).returncode:
        pytest.skip("this compiler has no ThreadSanitizer, or it does not run here")
    sources = [*sorted(NATIVE.glob("*.c")), NATIVE / "tests" / "test_threads.c"]
    command = ["cc", *STRICT, *THREADS, *sources, "-lm", "-o", tmp_path / "threads"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([tmp_path / "threads"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    assert done.stdout.endswith(" 0 failed\n")
