"""`hypertorus shards`: build, add, info and search, and what is said when something is wrong."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from hypertorus.embeddings import Embeddings
from hypertorus.search import Index
from hypertorus.shards import ShardedIndex


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Codes in two files of different formats, queries, and one index of all."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 256, (500, 8), dtype=np.uint8)
    names = np.array([f"owl {i}" for i in range(300)])
    labels = np.arange(300) % 3
    first = Embeddings(codes[:300], "codes", "torusC", names=names, labels=labels, classes=("a", "b", "c"))
    first.save(tmp_path / "first.safetensors")
    np.save(tmp_path / "all.npy", codes)
    with (tmp_path / "rest.u8bin").open("wb") as file:
        file.write(np.array([200, 8], "<u4").tobytes() + codes[300:].tobytes())
    np.save(tmp_path / "queries.npy", codes[::50])
    index = Index(8, metric="l1")
    index.add(codes)
    return codes, index


def test_build_add_info_and_search(run, files):
    codes, index = files
    code, out, _ = run("shards", "build", "all.npy", "rest.u8bin", "--shards", 3, "--metric", "l1", "--out", "twice")
    assert code == 0
    assert "700" in out
    code, _, _ = run("shards", "build", "all.npy", "--shards", 2, "--metric", "l1", "--out", "owls", "--arrange")
    np.save("more.npy", codes[:5] ^ 255)
    np.save("ids.npy", np.arange(9000, 9005))
    code, out, _ = run("shards", "add", "owls", "more.npy", "--ids", "ids.npy", "--json")
    facts = json.loads(out)
    assert (facts["shards"], facts["codes"], facts["metric"], facts["labels"]) == (3, 505, "l1", False)
    index.add(codes[:5] ^ 255, ids=np.arange(9000, 9005))
    expected = index.search(codes[::50], 4)
    code, out, _ = run("shards", "search", "owls", "queries.npy", "-k", 4, "--workers", 1, "--json")
    found = json.loads(out)
    assert found == {"ids": expected.ids.tolist(), "distances": expected.distances.tolist()}
    code, out, _ = run("shards", "search", "owls", "queries.npy", "-k", 4, "--workers", 2, "--out", "found.npz")
    assert out == "10 x 4 neighbours written to found.npz\n"
    np.testing.assert_array_equal(np.load("found.npz")["ids"], expected.ids)
    np.save("where.npy", np.arange(0, 500, 7))
    _, out, _ = run(
        "shards", "search", "owls", "queries.npy", "-k", 2, "--workers", 1, "--where", "where.npy", "--json"
    )
    assert json.loads(out)["ids"] == index.search(codes[::50], 2, np.arange(0, 500, 7)).ids.tolist()
    assert json.loads(run("shards", "info", "owls", "--verify", "--json")[1])["missing"] == []


@pytest.mark.usefixtures("files")
def test_labels_and_names_are_shown(run):
    run("shards", "build", "first.safetensors", "--shards", 2, "--metric", "l1", "--out", "owls")
    _, out, _ = run("shards", "search", "owls", "queries.npy", "-k", 1, "--workers", 1, "--json")
    found = json.loads(out)
    assert found["names"][:2] == [["owl 0"], ["owl 50"]]
    assert found["labels"][:2] == [["a"], ["c"]]


@pytest.mark.usefixtures("files")
def test_mistakes_are_one_sentence(run, tmp_path):
    run("shards", "build", "all.npy", "--shards", 2, "--out", "owls")
    for arguments, message in (
        (["build", "all.npy", "--shards", 2, "--out", "owls"], "already holds a sharded index; pass --force"),
        (["build", "first.safetensors", "all.npy", "--shards", 2, "--out", "x"], "these embeddings have no labels"),
        (["add", "nowhere", "all.npy"], "has no shards.json"),
        (["info", str(tmp_path)], "has no shards.json"),
        (["search", "owls", "queries.npy", "--out", "found.txt"], "results are written as"),
        (["search", "owls", "queries.npy", "--workers", 2, "--scheduler", "tcp://x:1"], "both --scheduler and"),
    ):
        code, _, complaint = run("shards", *arguments)
        assert code == 1
        assert message in complaint, arguments
        assert complaint.count("\n") == 0
    assert "hypertorus shards search owls" in run("search", "owls", "queries.npy")[2]
    os.truncate("owls/shard-00001.index", 3000)
    for arguments in (["search", "owls", "queries.npy", "--workers", 1], ["info", "owls", "--verify"]):
        code, _, complaint = run("shards", *arguments)
        assert code == 1
        assert "shard-00001.index of" in complaint
    code, out, complaint = run("shards", "search", "owls", "queries.npy", "--workers", 1, "--partial", "--out", "x.npz")
    assert code == 0
    assert "1 of 2 shards, with 250 of 500 codes, were not searched: shard-00001.index" in complaint
    _, out, _ = run("shards", "search", "owls", "queries.npy", "--workers", 1, "--partial", "--json")
    assert json.loads(out)["missing"][0]["codes"] == 250


def test_a_dask_cluster_by_its_address(run, files):
    from distributed import LocalCluster

    codes, index = files
    run("shards", "build", "all.npy", "--shards", 2, "--metric", "l1", "--out", "owls")
    options = {"dashboard_address": ":0", "silence_logs": 50, "memory_limit": 0}
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", **options) as cluster:
        address = cluster.scheduler_address
        code, out, complaint = run("shards", "search", "owls", "queries.npy", "-k", 3, "--scheduler", address, "--json")
        assert (code, complaint) == (0, "")
        assert json.loads(out)["ids"] == index.search(codes[::50], 3).ids.tolist()


def test_ctrl_c_leaves_no_mess_and_no_workers(tmp_path, unmeasured):
    """Search for far too many queries, interrupt it, and look for what is left."""
    ShardedIndex.build(np.zeros((200_000, 8), np.uint8), tmp_path / "owls", 2, metric="l1")
    np.save(tmp_path / "many.npy", np.zeros((2**20, 8), np.uint8))
    script = "import sys; from hypertorus.cli import main; sys.argv = sys.argv[1:]; main()"
    arguments = ["shards", "search", "owls", "many.npy", "--out", "found.npz", "--workers", "2"]
    command = [sys.executable, "-c", script, "hypertorus", *arguments]
    with subprocess.Popen(command, cwd=tmp_path, env=unmeasured, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while len(children(process.pid)) < 2:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        workers = children(process.pid)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        complaint = process.stderr.read()
        assert process.wait(30) in (1, 130)
    assert "Traceback" not in complaint
    assert not (tmp_path / "found.npz").exists()
    while any(os.path.exists(f"/proc/{pid}") for pid in workers):  # noqa: PTH110
        assert time.monotonic() < deadline, "workers are left"
        time.sleep(0.02)


def children(pid):
    """The processes that a process has begun and that are still there."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:  # noqa: PTH123
            return file.read().split()
    except FileNotFoundError:
        return []
