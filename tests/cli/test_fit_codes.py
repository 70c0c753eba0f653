"""`hypertorus fit-codes`, and the index and search by its coder."""

import json
from pathlib import Path

import numpy as np
import pytest

import hypertorus as ht
from hypertorus.cli.fit_codes import USES
from hypertorus.coders import fit


@pytest.fixture
def vectors(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20, 16))[np.arange(400) % 20] + 0.5 * rng.normal(size=(400, 16))
    np.save(tmp_path / "vectors.npy", rows.astype(np.float32))
    return rows


def test_from_vectors_to_neighbours(run, vectors, tmp_path):
    code, out, _ = run(
        "fit-codes", "vectors.npy", "--bytes", 4, "--sizes", "2", "--steps", 20, "--out", "coder", "--json"
    )
    assert code == 0
    answer = json.loads(out)
    assert [row["bytes"] for row in answer["recall_at_10"]] == [2, 4]
    assert all({"recall", "PQ", "OPQ"} <= row.keys() for row in answer["recall_at_10"])
    assert answer["recall_at_10"][1]["recall"] == ht.load_coder(tmp_path / "coder").facts["recall"]
    assert run("index", "build", "vectors.npy", "--coder", "coder", "--out", "base.index")[0] == 0
    code, out, _ = run("search", "base.index", "vectors.npy", "--coder", "coder", "-k", 3, "--json")
    assert code == 0
    coder = ht.load_coder(tmp_path / "coder")
    assert json.loads(out)["ids"] == coder.search(coder.index(vectors), vectors, k=3).ids.tolist()
    code, out, _ = run(
        "search", "base.index", "vectors.npy", "--coder", "coder", "-k", 1, "--rerank", "vectors.npy", "--json"
    )
    assert json.loads(out)["ids"] == [[row] for row in range(400)]


def test_embeddings_are_vectors_too(run):
    """A file as `embed` writes it, whose names and labels go with the codes."""
    rng = np.random.default_rng(0)
    rows = (rng.normal(size=(60, 3)) @ rng.normal(size=(3, 16))).astype(np.float32)
    names = [f"{n}.wav" for n in range(60)]
    ht.Embeddings(rows, "raw", "sphere", labels=[0, 1] * 30, classes=("owl", "jay"), names=names).save("e.safetensors")
    assert run("fit-codes", "e.safetensors", "--bytes", 4, "--steps", 1, "--no-compare", "--out", "c")[0] == 0
    assert run("index", "build", "e.safetensors", "--coder", "c", "--out", "e.index")[0] == 0
    index = ht.Index.open("e.index")
    assert (index.names_of([3])[0], index.labels_of([3])[0]) == ("3.wav", "jay")
    found = run("search", "e.index", "e.safetensors", "--coder", "c", "-k", 1, "--rerank", "e.safetensors", "--json")[1]
    assert [ids[0] for ids in json.loads(found)["ids"]] == list(range(60))
    assert "--recall is 0.5" in run("search", "e.index", "e.safetensors", "--coder", "c", "--recall", 0.5)[2]
    assert run("index", "add", "e.index", "e.safetensors", "--coder", "c")[0] == 0
    index = ht.Index.open("e.index")
    assert (len(index), index.names_of([63])[0], index.labels_of([63])[0]) == (120, "3.wav", "jay")
    assert (
        "--space is torusN, which the coder decides"
        in run("index", "add", "e.index", "e.safetensors", "--coder", "c", "--space", "torusN")[2]
    )
    assert "fit-codes" in run("index", "build", "e.safetensors", "--out", "f.index")[2]


@pytest.mark.usefixtures("vectors")
def test_what_compares_angles_refuses_plain_codes(run):
    run("fit-codes", "vectors.npy", "--bytes", 4, "--steps", 0, "--no-compare", "--out", "c")
    np.save("labels.npy", np.arange(400) % 20)
    run("index", "build", "vectors.npy", "--coder", "c", "--labels", "labels.npy", "--out", "plain.index")
    assert json.loads(run("index", "info", "plain.index", "--json")[1])["metric"] == "tables"
    for command in (
        ("index", "arrange", "plain.index"),
        ("index", "coarsen", "plain.index"),
        ("index", "shrink", "plain.index", "--bits", "2", "--out", "small.index"),
        ("export", "c", "plain.index", "--out", "firmware"),
        ("explore", "plain.index"),
    ):
        code, _, said = run(*command)
        assert (code, said[:40]) == (1, "hypertorus: metric is 'tables': these co")


@pytest.mark.usefixtures("vectors")
def test_the_table_names_the_sizes(run):
    code, out, _ = run(
        "fit-codes", "vectors.npy", "--bytes", 4, "--steps", 1, "--no-compare", "--use", "cells", "--out", "c"
    )
    assert code == 0
    assert "torus coder of 4 bytes written to c" in out
    assert "40 rows held out" in out


@pytest.mark.usefixtures("vectors")
def test_mistakes_are_one_sentence(run):
    assert run("fit-codes", "vectors.npy", "--bytes", 9, "--out", "c")[2] == (
        "hypertorus: bytes is 9, but vectors of 16 numbers at no more than 4 bits each fill 8; choose 8 or fewer."
    )
    assert "--sizes is 4;5; pass whole numbers" in run("fit-codes", "vectors.npy", "--sizes", "4;5", "--out", "c")[2]
    run("fit-codes", "vectors.npy", "--bytes", 4, "--steps", 0, "--no-compare", "--out", "c")
    assert "already holds a coder" in run("fit-codes", "vectors.npy", "--bytes", 4, "--out", "c")[2]
    Path("theirs").mkdir()
    Path("theirs", "config.json").write_text('{"model_type": "bert"}')
    for force in ((), ("--force",)):  # told before the fit, which takes long
        said = run("fit-codes", "vectors.npy", "--bytes", 9, "--out", "theirs", *force)[2]
        assert "config.json is not of a hypertorus coder, so it is not replaced" in said
    build = ("index", "build", "vectors.npy", "--coder", "c", "--out", "base.index")
    assert "--bits is 4, which the coder decides" in run(*build, "--bits", 4)[2]
    assert run(*build)[0] == 0
    np.save("wide.npy", np.ones((2, 17), np.float32))
    assert (
        "rows of 17 numbers, and this coder was fitted on rows of 16"
        in (run("search", "base.index", "wide.npy", "--coder", "c")[2])
    )
    assert "which is for codes of a coder" in run("search", "base.index", "wide.npy", "--rerank", "wide.npy")[2]


def test_what_is_written_down_to_spare_numpy_is_that_of_the_coders():
    assert tuple(fit.USES) == USES
