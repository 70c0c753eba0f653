"""How long a person waits on the page of `hypertorus explore`: opening it, searching, learning and scoring everything.

An index of 100,000 windows is opened and asked as the page asks it, without a browser; scores are also summed over
1,000,000 codes. Recordings and codes are synthetic. The first number is what a person waits for: from the command to
the address of the page, with all that Python imports. `megabytes_of_100k` is by how much memory grows
by opening, searching with pictures, learning and scoring; the recordings have 192 megabytes.

python -m benchmarks.explorer [--json results/explorer.json]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import torch
from starlette.testclient import TestClient

from benchmarks.machine import describe, write_result
from hypertorus import Index
from hypertorus.explorer.app import application
from hypertorus.explorer.guard import Door
from hypertorus.explorer.opening import open_collection
from hypertorus.listen.index import SoundIndex
from hypertorus.listen.windows import SoundWindows
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.spectrogram import Spectrogram
from hypertorus.workbench import Answers, Learner

WINDOWS, CODES, SAID = 100_000, 1_000_000, 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the result to this file")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = write_index(Path(folder))
        before = memory()
        result = {"command_100k": best(options.rounds, lambda: start(place))}
        result["open_100k"] = best(options.rounds, lambda: open_collection(place))
        result |= on_the_page(place, options.rounds)
        result["megabytes_of_100k"] = memory() - before
    result["score_1m"] = score(options.rounds)
    print(f"{describe()}\n\nseconds, best of {options.rounds}")
    for name, value in result.items():
        print(f"{name:24} {value:.3f}")
    if options.json:
        write_result(options.json, "python -m benchmarks.explorer", result)


def start(place: Path) -> None:
    """Start the command, and stop it as soon as it says where the page is."""
    command = [sys.executable, "-m", "hypertorus", "explore", str(place), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert any("http://127.0.0.1" in line for line in running.stdout)
        running.kill()


def memory() -> float:
    """Return the memory that this process takes, in megabytes; on Linux."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def write_index(here: Path) -> Path:
    """Write an index of many windows of a few recordings of ten minutes; codes are in 100 clusters."""
    rng = np.random.default_rng(0)
    (here / "card").mkdir()
    ear = Spectrogram(seconds=3.0, bands=64)
    model = Model(encoder("bands", ear.shape), ear.shape, 128, "torusN", sound=ear)
    windows = SoundWindows()
    for number in range(WINDOWS // 200):
        name = f"SITE{number % 5}_202405{number % 28 + 1:02}_{number % 24:02}0000.wav"
        name = name if number < 10 else f"{number}/{name}"
        if number < 10:
            soundfile.write(here / "card" / name, rng.normal(size=600 * ear.rate) / 10, ear.rate, subtype="PCM_16")
        windows.add(name, [(3.0 * window, 3.0 * window + 3) for window in range(200)])
    index = Index(64, model=model.fingerprint)
    index.add(clustered(WINDOWS, 64))
    SoundIndex(here / "card", model, index, windows).save(here / "sounds")
    return here / "sounds"


def clustered(count: int, dim: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    rng = np.random.default_rng(1)
    centres = rng.integers(0, 256, (100, dim), dtype=np.uint8)
    return centres[np.arange(count) % 100] + rng.integers(-20, 21, (count, dim)).astype(np.uint8)


def on_the_page(place: Path, rounds: int) -> dict[str, float]:
    """Return the time of a search with its ten spectrograms, of learning, and of a run on everything."""
    collection, _ = open_collection(place)
    door = Door("127.0.0.1", 8000, "0123456789abcdef")
    app = application(collection, Answers.open(Answers.beside(place), collection.items), door)
    home = "http://127.0.0.1:8000"
    with TestClient(app, base_url=home, headers={"Origin": home}) as client:
        client.get(door.address)

        def search() -> None:
            found = client.post("/api/search", json={"like": [int(np.random.default_rng().integers(2000))], "k": 10})
            assert len(found.json()["results"]) == 10
            for number in np.random.default_rng().integers(0, 2000, 10):  # of the recordings that are really there
                assert client.get(f"/levels/item/{number}").status_code == 200

        for number in range(SAID):
            answer = "yes" if number % 100 < 5 else "no"
            client.post("/api/say", json={"ids": [211 * number], "question": "owl", "answer": answer})
        learner = Learner(collection.index, collection.items)
        with Answers.open(Answers.beside(place), collection.items) as answers:
            said = answers.current("owl")
        learner.learn("owl", said)
        return {
            "search_and_10_pictures": best(rounds, search),
            f"learn_from_{SAID}": best(rounds, lambda: learner.learn("owl", said)),
            "threshold_of_100k": best(
                rounds, lambda: client.post("/api/threshold", json={"question": "owl", "threshold": 0})
            ),
        }


def score(rounds: int) -> float:
    index = Index(64)
    index.add(clustered(CODES, 64))
    said = {f"#{number}": "yes" if number % 100 < 5 else "no" for number in range(SAID)}
    classifier = Learner(index).learn("owl", said)
    return best(rounds, lambda: classifier.scores(index))


def best(rounds: int, work: Callable[[], object]) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    torch.manual_seed(0)
    main()
