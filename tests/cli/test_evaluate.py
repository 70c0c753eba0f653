"""`hypertorus evaluate`, `encode` and `quantisers`, as processes."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hypertorus import TorusN
from hypertorus.codes import GridCodes

GOLDEN = Path(__file__).parents[1] / "evaluate" / "golden" / "embeddings_16d.npz"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from hypertorus.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def clouds():
    rng = np.random.default_rng(0)
    labels = np.arange(200) % 4
    return rng.normal(size=(4, 8))[labels] + 0.3 * rng.normal(size=(200, 8)), labels


def test_golden_numbers_by_the_command():
    done = run("evaluate", f"{GOLDEN}:torusN", "--quantisers", "none,8bit-minmax", "--json")
    rows = json.loads(done.stdout)
    assert [row["precision_at_1"] for row in rows] == [0.72, 0.71]
    pieces = [
        json.loads(run("evaluate", f"{GOLDEN}:torusN", "--quantisers", "pq4x4", "--json", *flag).stdout)[0]
        for flag in ((), ("--asymmetric",))
    ]
    assert pieces[0]["precision_at_1"] < pieces[1]["precision_at_1"]


def test_table_csv_and_plot(tmp_path):
    done = run("evaluate", f"{GOLDEN}:torusC", "--space", "torusC", "--csv", tmp_path / "rows.csv")
    assert "space torusC, dim 16" in done.stdout
    assert "0.717" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    assert [row["quantiser"] for row in rows] == ["none", "8bit", "4bit", "2bit", "1bit"]
    run("evaluate", f"{GOLDEN}:sphere", "--space", "sphere", "--quantisers", "8bit", "--plot", tmp_path / "bits.png")
    assert (tmp_path / "bits.png").read_bytes().startswith(b"\x89PNG")


def test_all_kinds_of_files(tmp_path, clouds):
    embeddings, labels = clouds
    np.savez(tmp_path / "a.npz", embeddings=embeddings, labels=labels)
    np.save(tmp_path / "a.npy", embeddings)
    np.save(tmp_path / "labels.npy", labels)
    lines = [[*map(repr, map(float, row)), f"class {label}"] for row, label in zip(embeddings, labels, strict=True)]
    text = [",".join([*(f"x{i}" for i in range(8)), "label"]), *map(",".join, lines)]
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    answers = [
        json.loads(run("evaluate", *arguments, "--quantisers", "8bit", "--json").stdout)[0]["precision_at_1"]
        for arguments in (
            (tmp_path / "a.npz",),
            (tmp_path / "a.npy", "--labels", tmp_path / "labels.npy"),
            (tmp_path / "a.csv",),
        )
    ]
    assert answers[0] > 0.9
    assert answers == [answers[0]] * 3


def test_encode_writes_the_codes(tmp_path, clouds):
    np.save(tmp_path / "raw.npy", clouds[0])
    done = run("encode", tmp_path / "raw.npy", "--bits", 4, "--out", tmp_path / "codes.npy")
    assert done.stdout.startswith("200 codes of 4 coordinates x 4 bits: ")
    np.testing.assert_array_equal(np.load(tmp_path / "codes.npy"), GridCodes(TorusN(8), 4).encode(clouds[0]))


def test_quantisers_prints_the_papers_table():
    rows = {row["quantiser"]: row for row in json.loads(run("quantisers", "--dim", 32, "--json").stdout)}
    assert rows["pq8x16"] == {"quantiser": "pq8x16", "codebook_size": 256 * 32, "bits_per_vector": 128}
    assert rows["8bit"]["codebook_size"] == 64
    shown = run("quantisers", "--space", "torusN", "--dim", 16).stdout
    assert "does not divide" in shown
    assert "65,536" in shown


def test_complaints_are_one_sentence(tmp_path, clouds):
    np.save(tmp_path / "raw.npy", clouds[0])
    np.save(tmp_path / "few.npy", clouds[1][:5])
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04nothing")
    (tmp_path / "words.csv").write_text("x,label\none,a\n")
    (tmp_path / "empty.csv").write_text("x,label\n")
    np.savez(tmp_path / "odd.npz", other=clouds[0])
    for arguments, sentence in (
        (("evaluate", tmp_path / "raw.npy"), "has neither"),
        (("evaluate", tmp_path / "odd.npz"), "has neither"),
        (("evaluate", tmp_path / "raw.npy", "--labels", tmp_path / "few.npy"), "200 embeddings but 5 labels"),
        (("evaluate", tmp_path / "broken.npz"), "broken.npz"),
        (("evaluate", tmp_path / "words.csv"), "a cell that is no number"),
        (("evaluate", tmp_path / "empty.csv"), "has no rows"),
        (("evaluate", f"{GOLDEN}:torusN", "--quantisers", "9bit"), "quantiser is '9bit'"),
        (("evaluate", tmp_path / "raw.txt"), "pass embeddings as .npz, .npy, .csv or .safetensors"),
        (("evaluate", tmp_path / "missing.npy"), "missing.npy"),
        (("encode", tmp_path / "raw.npy", "--out", tmp_path / "codes.bin"), "codes are written as .npy"),
        (("encode", tmp_path / "raw.npy", "--space", "sphere", "--out", tmp_path / "c.npy"), "needs a torus"),
    ):
        done = run(*arguments)
        assert done.returncode == 1, arguments
        assert done.stderr.count("\n") == 1, done.stderr
        assert sentence in done.stderr
