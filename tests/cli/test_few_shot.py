"""`hypertorus few-shot`, as a process."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hypertorus import TorusN
from hypertorus.codes import GridCodes
from hypertorus.evaluate import few_shot

GOLDEN = Path(__file__).parents[1] / "evaluate" / "golden" / "embeddings_16d.npz"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from hypertorus.cli import main; main()", "few-shot", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def clips(tmp_path):
    rng = np.random.default_rng(0)
    numbers = np.arange(300)
    labels, groups = numbers % 6, numbers // 12
    rows = rng.normal(size=(6, 8))[labels] + 0.9 * rng.normal(size=(300, 8))
    path = np.array([f"class_{a}/take_{b}_{c}.ogg" for a, b, c in zip(labels, groups, numbers, strict=True)])
    np.savez(tmp_path / "clips.npz", embedding=rows, path=path)
    return tmp_path / "clips.npz", rows, labels, groups


def test_chance_stands_beside_every_number(tmp_path):
    done = run(f"{GOLDEN}:torusN", "--ways", 5, "--episodes", 60, "--csv", tmp_path / "rows.csv")
    assert done.stdout.startswith("space torusN, dim 16, 5 classes, 60 episodes")
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    assert [(row["shots"], row["quantiser"]) for row in rows] == [
        (shots, quantiser) for shots in "15" for quantiser in ("none", "8bit", "4bit", "2bit")
    ]
    shown = [line.split() for line in done.stdout.splitlines() if "0.200" in line]
    assert [(line[3], line[-1]) for line in shown] == [(f"{float(row['accuracy']):.3f}", "0.200") for row in rows]


def test_the_command_is_the_function(clips):
    file, rows, labels, groups = clips
    flags = (
        "--episodes",
        50,
        "--shots",
        2,
        "--ways",
        3,
        "--bits",
        4,
        "--groups",
        "path",
        "--one-per-group",
        "--seed",
        7,
        "--json",
    )
    floats, codes = json.loads(run(file, *flags).stdout)
    names = np.array([f"class_{label}" for label in labels])
    takes = np.array([f"class_{a}/take_{b}" for a, b in zip(labels, groups, strict=True)])
    options = {"episodes": 50, "shots": 2, "ways": 3, "groups": takes, "one_per_group": True, "seed": 7}
    assert floats == few_shot(rows, names, TorusN(8), **options).as_dict()
    assert codes == few_shot(rows, names, TorusN(8), GridCodes(TorusN(8), 4), **options).as_dict()


def test_groups_come_from_a_file_too(clips, tmp_path):
    file, _, _, groups = clips
    np.save(tmp_path / "groups.npy", groups)
    [found] = json.loads(
        run(file, "--space", "sphere", "--shots", 1, "--groups", tmp_path / "groups.npy", "--json").stdout
    )
    assert (found["ways"], found["episodes"], found["space"]) == (6, 10, "sphere")


def test_complaints_are_one_sentence(clips):
    file = clips[0]
    for arguments, sentence in (
        ((file, "--shots", "one"), "--shots is 'one'; give whole numbers with commas"),
        ((file, "--space", "sphere", "--bits", 8), "need GridCodes of a torus"),
        ((file, "--groups", "bird"), "groups is 'bird', which"),
    ):
        done = run(*arguments)
        assert done.returncode == 1, arguments
        assert done.stderr.count("\n") == 1, done.stderr
        assert sentence in done.stderr
