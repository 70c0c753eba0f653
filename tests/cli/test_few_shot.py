"""`hypertorus few-shot` is the function, with the groups of the file."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from hypertorus import Sphere, TorusN
from hypertorus.codes import GridCodes
from hypertorus.embeddings import read_embeddings
from hypertorus.evaluation import few_shot

GOLDEN = Path(__file__).parents[1] / "evaluation" / "golden" / "embeddings_16d.npz"


@pytest.fixture
def clips(tmp_path):
    rng = np.random.default_rng(0)
    numbers = np.arange(300)
    labels, groups = numbers % 6, numbers // 12
    rows = rng.normal(size=(6, 8))[labels] + 0.9 * rng.normal(size=(300, 8))
    path = np.array([f"class_{a}/take_{b}_{c}.ogg" for a, b, c in zip(labels, groups, numbers, strict=True)])
    np.savez(tmp_path / "clips.npz", embedding=rows, path=path)
    return tmp_path / "clips.npz", rows, labels, groups


def test_chance_stands_beside_every_number(tmp_path, run):
    options = ("--space", "torusN", "--ways", 5, "--episodes", 60, "--csv", tmp_path / "rows.csv")
    out = run("few-shot", f"{GOLDEN}:torusN", *options)[1]
    assert out.startswith("space torusN, dim 16, 5 classes, 60 episodes")
    assert all(len(line) <= 80 for line in out.splitlines())
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    assert [(row["shots"], row["quantiser"]) for row in rows] == [
        (shots, quantiser) for shots in "15" for quantiser in ("none", "8bit", "4bit", "2bit")
    ]
    shown = [line.split() for line in out.splitlines() if "0.200" in line]
    assert [(line[3], line[-1]) for line in shown] == [(f"{float(row['accuracy']):.3f}", "0.200") for row in rows]


def test_the_command_is_the_function(clips, run):
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
        "--space",
        "torusN",
        "--one-per-group",
        "--seed",
        7,
        "--json",
    )
    floats, codes = json.loads(run("few-shot", file, *flags)[1])
    names = np.array([f"class_{label}" for label in labels])
    takes = np.array([f"take_{group}" for group in groups])
    options = {"episodes": 50, "shots": 2, "ways": 3, "groups": takes, "one_per_group": True, "seed": 7}
    assert floats == few_shot(rows, names, TorusN(8), **options).as_dict()
    assert codes == few_shot(rows, names, TorusN(8), GridCodes(TorusN(8), 4), **options).as_dict()


def test_groups_come_from_a_file_too(clips, tmp_path, run):
    file, rows, labels, groups = clips
    np.save(tmp_path / "groups.npy", groups // 2)
    options = ("--space", "sphere", "--shots", 1, "--json")
    [row] = json.loads(run("few-shot", file, *options, "--groups", tmp_path / "groups.npy")[1])
    assert row == few_shot(rows, labels, Sphere(8), groups=groups // 2).as_dict()
    [row] = json.loads(run("few-shot", file, *options, "--groups", "none")[1])
    assert row == few_shot(rows, labels, Sphere(8)).as_dict()


def test_codes_alone_are_measured_as_codes(clips, tmp_path, run):
    file, rows, labels, groups = clips
    assert run("encode", file, "--space", "torusN", "--bits", 4, "--out", tmp_path / "codes.safetensors")[0] == 0
    takes = np.array([f"take_{group}" for group in groups])
    [own] = json.loads(run("few-shot", tmp_path / "codes.safetensors", "--shots", 2, "--json")[1])
    expected = few_shot(rows, labels, TorusN(8), GridCodes(TorusN(8), 4), shots=2, groups=takes)
    assert own == expected.as_dict()
    said = run("few-shot", tmp_path / "codes.safetensors", "--bits", 8)[2]
    assert said == "hypertorus: --bits is 8, but these codes have 4; pass at most as many."


def test_the_part_is_chosen(tmp_path, run):
    rng, labels = np.random.default_rng(0), np.arange(60) % 3
    rows = rng.normal(size=(3, 8))[labels] + rng.normal(size=(60, 8))
    np.savez(tmp_path / "a.npz", train=rows[:36], train_labels=labels[:36], test=rows[36:], test_labels=labels[36:])
    for options, some in (((), rows[36:]), (("--part", "train"), rows[:36]), (("--part", "all"), rows)):
        flags = ("--space", "sphere", "--shots", 2, *options, "--json")
        [row] = json.loads(run("few-shot", tmp_path / "a.npz", *flags)[1])
        assert row == few_shot(some, np.arange(len(some)) % 3, Sphere(8), shots=2).as_dict()
    record = read_embeddings(tmp_path / "a.npz", space="sphere")
    assert few_shot(record, shots=2).as_dict() == row


def test_complaints_are_one_sentence(clips, run):
    file = clips[0]
    torus = ("--space", "torusN")
    for arguments, sentence in (
        ((file,), "does not name the space of its rows"),
        ((file, *torus, "--shots", "one"), "--shots is 'one'; pass whole numbers separated by commas"),
        ((file, "--space", "sphere", "--bits", 8), "need GridCodes of a torus"),
        ((file, *torus, "--groups", "bird.npy"), "there is no file bird.npy"),
    ):
        code, _, said = run("few-shot", *arguments)
        assert code == 1, arguments
        assert "\n" not in said, said
        assert sentence in said
