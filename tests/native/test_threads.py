"""The native core under ThreadSanitizer: one thread adds codes while others search, and no byte is raced for."""

import subprocess

import pytest

from tests.native.building import NATIVE, STRICT, compile_core, compile_in

COMPILER = ["cc", "-fsanitize=thread", "-pthread"]


def test_readers_load_nothing_that_a_writer_may_write(tmp_path):
    empty = tmp_path / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    tried = subprocess.run([*COMPILER, empty, "-o", tmp_path / "empty"], capture_output=True, check=False)
    if tried.returncode or subprocess.run([tmp_path / "empty"], capture_output=True, check=False).returncode:
        pytest.skip("this compiler has no ThreadSanitizer, or it does not run here")
    objects = compile_core(COMPILER, tmp_path, "-O1", "-O0")
    test = [NATIVE / "tests" / "test_threads.c", "-Wno-unused-function", "-O1"]
    compile_in(tmp_path, [*COMPILER, *STRICT, *test, *objects, "-lm", "-o", tmp_path / "threads"])
    done = subprocess.run([tmp_path / "threads"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    assert done.stdout.endswith(" 0 failed\n")
