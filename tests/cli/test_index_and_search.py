"""`hypertorus index` and `hypertorus search`: from files of vectors to files of neighbours."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hypertorus import Embeddings, TorusC, TorusN, read_embeddings
from hypertorus.files.tensors import TensorFile, header_bytes
from hypertorus.search import Index, nearest

RNG = np.random.default_rng(0)
RAW = RNG.normal(size=(50, 8)).astype(np.float32)
CODES = RNG.integers(0, 16, (50, 6), np.uint8)


@pytest.fixture
def files(run):
    """The folder that commands run in has these files."""
    np.save("codes.npy", CODES)
    np.save("raw.npy", RAW)
    np.save("ids.npy", np.arange(50) * 3)
    np.save("labels.npy", np.array(["ape", "bee"] * 25))
    return run


def test_an_index_is_arranged_in_its_file(files):
    files("index", "build", "codes.npy", "--bits", 4, "--out", "i.index")
    before = json.loads(files("search", "i.index", "codes.npy", "-k", 3, "--json")[1])
    code, out, _ = files("index", "arrange", "i.index", "--cells", 5, "--json")
    facts = json.loads(out)
    assert (code, facts["codes"]) == (0, 50)
    assert 1 <= facts["cells"] <= 5
    assert 0 < facts["share"] <= 1
    assert json.loads(files("index", "info", "i.index", "--json")[1]) == facts
    assert json.loads(files("search", "i.index", "codes.npy", "-k", 3, "--json")[1]) == before


def test_raw_numbers_as_queries_are_not_rounded_and_codes_are_compared_with_codes(files):
    turns = TorusN(8).turns(RAW)
    np.save("own.npy", (turns * 4).astype(np.uint8))
    files("index", "build", "own.npy", "--bits", 2, "--out", "i.index")
    found = json.loads(files("search", "i.index", "raw.npy", "--space", "torusN", "-k", 3, "--json")[1])
    assert found["asymmetric"]
    want = nearest(turns, turns, 3, bits=2)
    assert want.asymmetric
    assert (found["ids"], found["distances"]) == (want.ids.tolist(), want.distances.tolist())
    assert "asymmetric" not in json.loads(files("search", "i.index", "own.npy", "-k", 3, "--json")[1])
    assert "asymmetric" in files("search", "i.index", "raw.npy", "--space", "torusN")[1]
    assert "asymmetric" in files("search", "i.index", "raw.npy", "--space", "torusN", "--out", "found.npz")[1]
    assert "asymmetric" not in files("search", "i.index", "own.npy")[1]


def test_codes_are_built_searched_and_changed(files):
    code, out, _ = files(
        "index", "build", "codes.npy", "--bits", 4, "--metric", "l2", "--out", "i.safetensors", "--json"
    )
    assert code == 0
    facts = json.loads(out)
    size = Path("i.safetensors").stat().st_size
    expected = {
        "file": "i.safetensors",
        "codes": 50,
        "dim": 6,
        "bits": 4,
        "metric": "l2",
        "labels": False,
        "names": False,
        "model": None,
        "cells": 0,
        "share": 1.0,
        "coarse": None,
    }
    assert facts == {**expected, "bytes": size}
    code, out, _ = files("search", "i.safetensors", "codes.npy", "-k", 3, "--json")
    want = nearest(CODES, CODES, 3, "l2", 4)
    assert json.loads(out) == {"ids": want.ids.tolist(), "distances": want.distances.tolist()}

    assert files("index", "remove", "i.safetensors", 7, 9)[0] == 0
    assert files("index", "remove", "i.safetensors", "--ids", "ids.npy")[2] == (
        "hypertorus: ids holds 9, which is not in the index; index.ids lists those that are."
    )
    assert files("index", "add", "i.safetensors", "codes.npy")[0] == 0
    index = Index.open("i.safetensors")
    assert index.ids.tolist() == [i for i in range(100) if i not in (7, 9)]
    lines = files("index", "info", "i.safetensors", "--no-verify")[1].splitlines()
    assert {" ".join(line.split()) for line in lines} >= {"codes 98", "dim 6", "bits 4", "metric l2", "labels no"}


@pytest.mark.parametrize("space", [TorusN(8), TorusC(8)], ids=lambda space: space.name)
def test_raw_numbers_go_by_their_space(files, space):
    options = ("--space", space.name)
    files("index", "build", "raw.npy", *options, "--ids", "ids.npy", "--labels", "labels.npy", "--out", "i.safetensors")
    index = Index(space.flat_dim)
    index.add(space.turns(RAW), np.arange(50) * 3, ["ape", "bee"] * 25)
    want = index.search(space.turns(RAW), 4, where=[0, 6, 12, 9])
    np.save("among.npy", [0, 6, 12, 9])
    for out in ("found.npz", "found.safetensors"):
        code, said, _ = files(
            "search",
            "i.safetensors",
            "raw.npy",
            *options,
            "-k",
            4,
            "--where",
            "among.npy",
            "--out",
            out,
            "--threads",
            1,
        )
        assert (code, said) == (0, f"50 x 4 neighbours written to {out}\n")
    with np.load("found.npz") as found:
        np.testing.assert_array_equal(found["ids"], want.ids)
        np.testing.assert_array_equal(found["distances"], want.distances)
    np.testing.assert_array_equal(TensorFile(Path("found.safetensors"))["ids"], want.ids)
    shown = files("search", "i.safetensors", "raw.npy", *options, "-k", 2)[1]
    assert "0, " in shown
    assert "ape, " in shown
    assert "and 30 more; use --out or --json for all" in shown
    labels = json.loads(files("search", "i.safetensors", "raw.npy", *options, "-k", 1, "--json")[1])["labels"]
    assert labels == [["ape"], ["bee"]] * 25


def test_more_neighbours_than_codes_are_those_there_are(files):
    np.save("few.npy", CODES[:2])
    files("index", "build", "few.npy", "--out", "i.safetensors")
    found = json.loads(files("search", "i.safetensors", "few.npy", "-k", 5, "--json")[1])
    assert found["ids"] == [[0, 1], [1, 0]]


def test_tensors_are_chosen_by_name(files):
    tensors = {"a": ("U8", [50, 6]), "codes": ("U8", [50, 6])}
    Path("t.safetensors").write_bytes(header_bytes(tensors, {}) + (15 - CODES).tobytes() + CODES.tobytes())
    Path("labels.txt").write_text("ape\nbee\n" * 25)
    for name, want in (("t.safetensors", CODES), ("t.safetensors:a", 15 - CODES)):
        files("index", "build", name, "--out", "i.safetensors", "--force", "--labels", "labels.txt")
        np.testing.assert_array_equal(Index.open("i.safetensors").vectors(range(50)), want)
    assert files("index", "build", "t.safetensors:b", "--out", "j.safetensors")[2] == (
        "hypertorus: t.safetensors holds a, codes; name the array of its rows: t.safetensors:NAME."
    )


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (
            ("build", "raw.npy"),
            "raw.npy does not name the space of its rows; pass --space sphere, torusN or torusC.",
        ),
        (("build", "codes.npy", "--space", "torusN"), "codes.npy holds uint8, but --space torusN takes raw"),
        (
            ("build", "raw.npy", "--space", "sphere"),
            "live on the sphere, whose codes do not wrap around; an index needs a torus",
        ),
        (("build", "raw.npy", "--space", "moon"), "space is 'moon'; there are"),
        (("build", "codes.npy", "--bits", "2"), "in row 0; 2 bits have 0 to 3."),
        (("build", "codes.npy", "--bits", "5"), "bits is 5; a coordinate has 8, 4, 2 or 1."),
        (("build", "codes.npy", "--metric", "dot"), "metric is 'dot'; there are 'cosine', 'l1', 'l2'."),
        (("build", "ids.npy"), "ids.npy holds int64 of shape (50,); pass a matrix of numbers [rows, numbers]."),
        (("build", "codes.txt"), "codes.txt has the suffix '.txt'; pass .npy, .npz, .csv, .safetensors, .parquet,"),
        (("build", "nowhere.npy"), "there is no file nowhere.npy"),
        (("build", "bad.npy"), "bad.npy is not a readable .npy file"),
        (("build", "pickle.npy"), "pickle.npy is not a readable .npy file"),
        (("build", "codes.npy", "--ids", "few.npy"), "--ids has shape (2,) for 50 vectors; pass one for each."),
        (("build", "codes.npy", "--labels", "few.npy"), "--labels has shape (2,) for 50 vectors; pass one for each."),
    ],
)
def test_what_the_user_can_mend_is_one_sentence(files, arguments, complaint):
    np.save("few.npy", [1, 2])
    np.save("pickle.npy", np.array([{}], object), allow_pickle=True)
    Path("bad.npy").write_bytes(b"not numpy")
    code, out, said = files("index", *arguments, "--out", "i.safetensors")
    assert (code, out) == (1, "")
    assert complaint in said
    assert "\n" not in said
    assert not Path("i.safetensors").exists()


def test_other_complaints(files):
    files("index", "build", "codes.npy", "--out", "i.safetensors")
    assert "already exists; pass --force" in files("index", "build", "codes.npy", "--out", "i.safetensors")[2]
    assert "there are no ids to remove" in files("index", "remove", "i.safetensors")[2]
    assert "k is 0" in files("search", "i.safetensors", "codes.npy", "-k", 0)[2]
    assert (
        "results are written as .npz, .safetensors, .parquet"
        in files("search", "i.safetensors", "codes.npy", "--out", "x.txt")[2]
    )
    np.save("none.npy", CODES[:0])
    assert "that is not empty" in files("search", "i.safetensors", "none.npy")[2]
    assert "codes.npy" in files("search", "codes.npy", "codes.npy")[2]
    damaged = bytearray(Path("i.safetensors").read_bytes())
    damaged[-3] ^= 4
    Path("i.safetensors").write_bytes(damaged)
    assert "checksum of its ids is wrong" in files("index", "info", "i.safetensors")[2]


def test_adding_and_removing_write_only_what_changed(files):
    files("index", "build", "codes.npy", "--bits", 4, "--out", "i.index")
    before = Path("i.index").read_bytes()
    np.save("few.npy", CODES[:2])
    files("index", "add", "i.index", "few.npy")
    facts = json.loads(files("index", "remove", "i.index", 3, "--json")[1])
    assert Path("i.index").read_bytes() == before
    assert facts["codes"] == 51
    assert facts["bytes"] == len(before) + Path("i.index.journal").stat().st_size
    assert Index.open("i.index").ids.tolist() == [*range(3), *range(4, 52)]
    files("index", "build", "codes.npy", "--bits", 4, "--out", "i.index", "--force")
    assert len(Index.open("i.index")) == 50
    assert not Path("i.index.journal").exists()


def test_two_processes_that_add_at_once_wait_for_each_other(files, unmeasured):
    files("index", "build", "codes.npy", "--bits", 4, "--out", "i.index")
    command = [sys.executable, "-c", "from hypertorus.cli import main; main()", "index", "add", "i.index", "codes.npy"]
    adding = [subprocess.Popen(command, env=unmeasured, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait() for process in adding] == [0, 0, 0]
    index = Index.open("i.index")
    assert index.ids.tolist() == list(range(200))
    np.testing.assert_array_equal(index.vectors(index.ids), np.concatenate([CODES] * 4))


def test_help_teaches(files):
    for command in ("build", "add", "remove", "info"):
        assert f"Example: hypertorus index {command}" in files("index", command, "--help")[1]
    assert "Example: hypertorus search" in files("search", "--help")[1]


def test_interrupting_leaves_nothing_behind(tmp_path, unmeasured):
    np.save(tmp_path / "raw.npy", np.ones((400_000, 64), np.float32))
    command = [sys.executable, "-c", "from hypertorus.cli import main; main()", "index", "build", "raw.npy"]
    command += ["--space", "torusC", "--out", "i.safetensors"]
    with subprocess.Popen(command, cwd=tmp_path, env=unmeasured, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 20
        while not list(tmp_path.glob(".*.partial")) and time.monotonic() < end and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate()
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert [path.name for path in tmp_path.iterdir()] == ["raw.npy"]


def test_codes_and_an_index_are_cut_without_encoding_again(run):
    codes = np.random.default_rng(0).integers(0, 256, (40, 8), np.uint8)
    record = Embeddings(codes, "codes", "torusC", metric="l1", model="cafe")
    record.save("codes.safetensors")
    assert run("index", "build", "codes.safetensors", "--out", "whole.index")[0] == 0
    code, out, _ = run(
        *("index", "shrink", "whole.index", "--coordinates", 3, "--bits", 2, "--out", "small.index", "--json")
    )
    facts = json.loads(out)
    assert (code, facts["dim"], facts["bits"], facts["metric"], facts["model"]) == (0, 3, 2, "l1", "cafe")
    assert run("encode", "codes.safetensors", "--coordinates", 3, "--bits", 2, "--out", "small.safetensors")[0] == 0
    small = Index.open("small.index")
    np.testing.assert_array_equal(small.vectors(small.ids), read_embeddings("small.safetensors").rows)
    assert run("encode", "codes.safetensors", "--coordinates", 3, "--bits", 2, "--out", "small.u8bin")[0] == 0
    np.testing.assert_array_equal(np.fromfile("small.u8bin", np.uint8)[8:].reshape(40, 3), codes[:, :3] >> 6)
    whole, cut = (
        json.loads(run("search", "small.index", f"{name}.safetensors", "--json")[1]) for name in ("codes", "small")
    )
    assert whole == cut
    assert run("encode", "small.safetensors", "--coordinates", 2, "--out", "smaller.safetensors")[0] == 0
    assert read_embeddings("smaller.safetensors").bits == 2
    assert "--coordinates, --bits or both" in run("index", "shrink", "whole.index", "--out", "x.index")[2]
    assert "already exists" in run("index", "shrink", "whole.index", "--bits", 2, "--out", "small.index")[2]


def test_an_index_is_coarsened_in_its_file(run):
    np.save("codes.npy", np.random.default_rng(0).integers(0, 256, (200, 16), np.uint8))
    run("index", "build", "codes.npy", "--out", "a.index")
    before = run("search", "a.index", "codes.npy", "--json")
    code, out, _ = run("index", "coarsen", "a.index", "--coordinates", 8, "--bits", 2, "--json")
    assert (code, json.loads(out)["coarse"][:10]) == (0, "8 x 2 bits")
    assert Index.open("a.index").coarse.bits == 2
    assert run("search", "a.index", "codes.npy", "--json") == before
    assert "bits is 3" in run("index", "coarsen", "a.index", "--bits", 3)[2]


@pytest.mark.parametrize("how", ["arrange", "coarsen"])
def test_a_search_for_a_recall_says_what_was_measured(run, how):
    clusters = np.arange(0, 240, 12).repeat(200)[:, None]
    np.save("codes.npy", (clusters + np.random.default_rng(0).integers(0, 40, (4000, 16))) % 256)
    np.save("codes.npy", np.load("codes.npy").astype(np.uint8))
    run("index", "build", "codes.npy", "--out", "a.index")
    assert "needs an index with cells or a coarse part" in run("search", "a.index", "codes.npy", "--recall", 0.9)[2]
    run("index", how, "a.index")
    truth = Index.open("a.index").search(np.load("codes.npy"), k=10, recall=0.9)
    code, out, _ = run("search", "a.index", "codes.npy", "--recall", 0.9, "--json")
    found = json.loads(out)
    assert (code, found["ids"]) == (0, truth.ids.tolist())
    assert (found["recall"], found["proved"]) == (truth.recall, truth.proved.tolist())
    assert 0.9 <= found["recall"] <= 1
    shown = " ".join(run("search", "a.index", "codes.npy", "--recall", 0.9)[1].split())
    assert f"recall {truth.recall:.3f} as measured" in shown
    assert f"{truth.proved.mean():.0%} of the queries proved exact" in shown
    assert "recall" in run("search", "a.index", "codes.npy", "--recall", 0.9, "--out", "n.npz")[1]
    assert "recall is 2.0; it must be" in run("search", "a.index", "codes.npy", "--recall", 2)[2]
    assert "--recall is 0.9" in run("search", "a.index", "--text", "owl", "--recall", 0.9)[2]
