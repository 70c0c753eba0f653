"""Without a terminal, long work writes a line now and then; short work writes none."""

from __future__ import annotations

import subprocess
import sys
import threading

from hypertorus.files.progress import lines, steady_lines


def test_lines_come_at_growing_intervals_with_an_estimate() -> None:
    now, written = 100.0, list[str]()
    progress = lines("embedding", written.append, lambda: now)
    for done in range(100):
        progress(done, 100)
        now += 1.0
    assert written == [
        "embedding: 5%, about 2 min left",
        "embedding: 15%, about 85 s left",
        "embedding: 35%, about 65 s left",
        "embedding: 65%, about 35 s left",
        "embedding: 95%, about 5 s left",
    ]


def test_what_comes_before_the_first_step_is_no_pace_of_steps() -> None:
    now, written = 6.0, list[str]()
    progress = lines("fitting", written.append, iter([0.0, *(now + 0.02 * step for step in range(600))]).__next__)
    for done in range(1, 601):
        progress(done, 600)
    assert written == ["fitting: 0%, about 12 s left", "fitting: 84%, about 2 s left"]


def test_short_work_writes_nothing() -> None:
    now, written = 0.0, list[str]()
    progress = lines("saving", written.append, lambda: now)
    for done in range(5):
        progress(done, 5)
        now += 0.9
    assert written == []


def test_steady_lines_come_also_from_work_that_says_nothing() -> None:
    written, first, second = list[str](), threading.Event(), threading.Event()

    def write(line: str) -> None:
        written.append(line)
        (second if first.is_set() else first).set()

    with steady_lines("training", write, every=0.01) as progress:
        assert first.wait(10)
        progress(1, 2)
        second.clear()
        assert second.wait(10)
    assert written[0] == "training: 0 s so far"
    assert "training: 50%, about 0 s left" in written


def test_a_command_in_a_pipe_writes_lines_to_stderr() -> None:
    program = (
        "import hypertorus.files.progress as p, time; p.FIRST_LINE = 0.0\n"
        "with p.bar('reading [red]'):\n pass\n"
        "with p.bar('reading [red]') as progress: progress(1, 4); progress(4, 4)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert done.stderr.startswith("reading [red]: 25%, about 0 s left")
    assert done.stderr.count("\n") == 1
