"""`hypertorus evaluate`, `encode` and `quantisers`, on the plain files of others."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

from hypertorus import TorusN
from hypertorus.codes import GridCodes

GOLDEN = Path(__file__).parents[1] / "evaluation" / "golden" / "embeddings_16d.npz"


@pytest.fixture
def clouds():
    rng = np.random.default_rng(0)
    labels = np.arange(200) % 4
    return rng.normal(size=(4, 8))[labels] + 0.3 * rng.normal(size=(200, 8)), labels


def test_golden_numbers_by_the_command(run):
    here = ("evaluate", f"{GOLDEN}:torusN", "--space", "torusN")
    rows = json.loads(run(*here, "--quantisers", "none,8bit-minmax", "--json")[1])
    assert [row["precision_at_1"] for row in rows] == [0.72, 0.71]
    pieces = [
        json.loads(run(*here, "--quantisers", "pq4x4", "--json", *flag)[1])[0] for flag in ((), ("--asymmetric",))
    ]
    assert pieces[0]["precision_at_1"] < pieces[1]["precision_at_1"]


def test_table_csv_and_plot(tmp_path, run):
    _, out, _ = run("evaluate", f"{GOLDEN}:torusC", "--space", "torusC", "--csv", tmp_path / "rows.csv")
    assert "space torusC, dim 16" in out
    assert "0.717" in out
    assert "test rows among" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    assert [row["quantiser"] for row in rows] == ["none", "8bit", "4bit", "2bit", "1bit"]
    run("evaluate", f"{GOLDEN}:sphere", "--space", "sphere", "--quantisers", "8bit", "--plot", tmp_path / "bits.png")
    assert (tmp_path / "bits.png").read_bytes().startswith(b"\x89PNG")


def test_all_kinds_of_files(tmp_path, clouds, run):
    embeddings, labels = clouds
    pq.write_table(pa.table({"embedding": list(embeddings), "label": labels}), tmp_path / "a.parquet")
    pq.write_table(pa.table({**{f"x{i}": c for i, c in enumerate(embeddings.T)}, "y": labels}), tmp_path / "b.parquet")
    save_file({"vectors": embeddings, "labels": labels}, tmp_path / "a.safetensors")
    np.savez(tmp_path / "b.npz", X=embeddings, y=labels)
    (tmp_path / "labels.txt").write_text("\n".join(map(str, labels)))
    np.savez(tmp_path / "a.npz", embeddings=embeddings, labels=labels)
    np.save(tmp_path / "a.npy", embeddings)
    np.save(tmp_path / "labels.npy", labels)
    lines = [[*map(repr, map(float, row)), f"class {label}"] for row, label in zip(embeddings, labels, strict=True)]
    text = [",".join([*(f"x{i}" for i in range(8)), "label"]), *map(",".join, lines)]
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    answers = [
        json.loads(run("evaluate", *arguments, "--space", "torusN", "--quantisers", "8bit", "--json")[1])[0]
        for arguments in (
            (tmp_path / "a.npz",),
            (tmp_path / "a.npy", "--labels", tmp_path / "labels.npy"),
            (tmp_path / "a.npy", "--labels", tmp_path / "labels.txt"),
            (tmp_path / "a.csv",),
            (tmp_path / "b.npz",),
            (tmp_path / "a.safetensors",),
            (tmp_path / "a.parquet",),
            (tmp_path / "b.parquet",),
        )
    ]
    assert answers[0]["precision_at_1"] > 0.9
    assert answers == [answers[0]] * 8


def test_encode_writes_the_codes(tmp_path, clouds, run):
    np.save(tmp_path / "raw.npy", clouds[0])
    save_file({"raw": clouds[0]}, tmp_path / "raw.safetensors")
    for source in ("raw.npy", "raw.safetensors"):
        _, out, _ = run("encode", source, "--space", "torusN", "--bits", 4, "--out", "codes.npy", "--force")
        assert out.startswith("Embeddings: 200 rows of codes of 4 bits in torusN of 8 numbers: codes.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "codes.npy"), GridCodes(TorusN(8), 4).encode(clouds[0]))


def test_quantisers_prints_the_papers_table(run):
    rows = {row["quantiser"]: row for row in json.loads(run("quantisers", "--dim", 32, "--json")[1])}
    assert rows["pq8x16"] == {"quantiser": "pq8x16", "codebook_size": 256 * 32, "bits_per_vector": 128}
    assert rows["8bit"]["codebook_size"] == 64
    shown = run("quantisers", "--space", "torusN", "--dim", 16)[1]
    assert "does not divide" in shown
    assert "65,536" in shown


def test_complaints_are_one_sentence(tmp_path, clouds, run):
    np.save(tmp_path / "raw.npy", clouds[0])
    np.save(tmp_path / "few.npy", clouds[1][:5])
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04nothing")
    (tmp_path / "words.csv").write_text("x,label\none,a\n")
    (tmp_path / "empty.csv").write_text("x,label\n")
    np.savez(tmp_path / "odd.npz", other=clouds[0], another=clouds[0])
    torus = ("--space", "torusN")
    for arguments, sentence in (
        (("evaluate", "raw.npy"), "raw.npy does not name the space of its rows; pass --space sphere, torusN"),
        (("evaluate", "raw.npy", *torus), "have no labels, so nothing can be measured; pass them with --labels"),
        (("evaluate", "odd.npz", *torus), "odd.npz holds other, another; name the array of its rows: odd.npz:NAME"),
        (("evaluate", "raw.npy", *torus, "--labels", "few.npy"), "there are 200 rows but labels of shape (5,)"),
        (("evaluate", "broken.npz", *torus), "broken.npz"),
        (("evaluate", "words.csv", *torus), "a cell is no number"),
        (("evaluate", "empty.csv", *torus), "has no rows"),
        (("evaluate", f"{GOLDEN}:torusN", *torus, "--quantisers", "9bit"), "quantiser is '9bit'"),
        (("evaluate", "raw.txt", *torus), "pass .npy, .npz, .csv, .safetensors, .parquet,"),
        (("evaluate", "missing.npy", *torus), "there is no file missing.npy"),
        (("encode", "raw.npy", *torus, "--out", "codes.bin"), "embeddings are written as .safetensors"),
        (("encode", "raw.npy", "--space", "sphere", "--out", "c.npy"), "live on the sphere, which has no angles"),
    ):
        code, _, said = run(*arguments)
        assert code == 1, arguments
        assert "\n" not in said, said
        assert sentence in said
