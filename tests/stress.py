"""The long forms of what `docs/trust.md` promises: kills in hundreds, threads, processes, hostile files.

python -m tests.stress --share 1 --to results/stress.json

Each form is a script or a test of its own, which ends with an error if a promise does not hold; `--share` makes all of
them longer or shorter.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.machine import write_result

TESTS = Path(__file__).parent
KILLS = {
    "index: saves": ("search/killed_saves.py", 200),
    "index: commits of two processes": ("search/killed_commits.py", 150),
    "index: additions and arrangements": ("search/killed_arranges.py", 150),
    "model: saves, while another process loads": ("models/killed_model_saves.py", 300),
    "index of sounds: saves, while another process opens": ("listen/killed_sound_saves.py", 150),
    "training": ("training/killed_trainings.py", 100),
    "shards: workers in the middle of a batch": ("shards/killed_workers.py", 20),
}
HOSTILE = {
    "index files": ("search/fuzz_file.py", 40),
    "models, arrays, tables and sounds": ("files/fuzz_readers.py", 60),
}
THREADS = 30
"""Seconds of searches by many threads while one changes the index, for each of the tests of `test_concurrency.py`."""


def run(name, command, **environment):
    """The last line that a form prints, and how long it took."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
    )
    if done.returncode:
        sys.exit(f"{name}: {' '.join(map(str, command))} failed\n{done.stdout}{done.stderr}")
    said, seconds = done.stdout.strip().splitlines()[-1], round(time.monotonic() - began, 1)
    print(f"{name}: {said} ({seconds} s)", flush=True)  # noqa: T201
    return {"result": said, "seconds": seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--to", type=Path, default=Path("results/stress.json"))
    arguments = parser.parse_args()
    results = {}
    for name, (script, rounds) in KILLS.items():
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "model" if "model" in script else Path(folder)
            results[name] = run(name, [TESTS / script, place, max(10, round(rounds * arguments.share))])
    for name, (script, seconds) in HOSTILE.items():
        results[name] = run(name, [TESTS / script, "--seconds", seconds * arguments.share, "--seed", 1])
    concurrency = ["-m", "pytest", "-q", TESTS / "search" / "test_concurrency.py"]
    seconds = str(THREADS * arguments.share / 4)
    results["threads"] = run("threads", concurrency, HYPERTORUS_STRESS_SECONDS=seconds)
    races = ["-m", "pytest", "-q", TESTS / "native" / "test_threads.py"]
    results["ThreadSanitizer"] = run("ThreadSanitizer", races)
    write_result(arguments.to, f"python -m tests.stress --share {arguments.share:g}", results)


if __name__ == "__main__":
    main()
