"""Processes and Dask workers answer as one index does, also when they are killed, and none is left behind."""

import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from hypertorus.shards import DaskMap, ProcessMap, ShardedIndex, ShardError
from hypertorus.shards.dask_map import MOST_REPEATED

sys.path.insert(0, str(Path(__file__).parent))
from killed_workers import dask, processes, run


@pytest.fixture(scope="module")
def dask_workers():
    """A Dask cluster of two processes, as a map, and their ids."""
    with dask() as workers:
        yield workers


@pytest.fixture(scope="module")
def cluster(dask_workers):
    return dask_workers[0]


@pytest.fixture(scope="module")
def pool():
    with ProcessMap(2) as shard_map:
        yield shard_map


@pytest.fixture(params=["pool", "cluster"])
def shard_map(request):
    return request.getfixturevalue(request.param)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_answers_are_the_same(shard_map, codes, queries, whole, same, tmp_path):
    labels = [f"class {i % 7}" for i in range(300)]
    ShardedIndex.build(codes, tmp_path / "shards", 5, metric="l1", labels=labels)
    index, one = ShardedIndex.open(tmp_path / "shards", shard_map), whole(codes, labels=labels)
    for k in (3, 100):
        same(index.search(queries, k), one.search(queries, k))
    many = np.tile(codes, (MOST_REPEATED // (5 * codes.nbytes) + 1, 1))
    same(index.search(many, 3), one.search(many, 3))
    np.testing.assert_array_equal(index.search(queries).labels, one.search(queries).labels)
    same(index.search(queries, 5, where=[3, 200]), one.search(queries, 5, where=[3, 200]))
    for found, expected in zip(index.within(queries, 90), one.within(queries, 90), strict=True):
        same(found, expected)
    (tmp_path / "shards" / "shard-00003.index").unlink()
    other = ShardedIndex.open(tmp_path / "shards", shard_map, verify=False)  # which no worker has open
    with pytest.raises(ShardError, match=r"shard-00003\.index of .* is missing"):
        other.search(queries)
    assert [shard.name for shard in other.search(queries, partial=True).missing] == ["shard-00003.index"]
    same(index.search(queries), one.search(queries))


def test_an_error_of_a_worker_is_raised_here(shard_map, codes, tmp_path):
    index = ShardedIndex.build(codes, tmp_path / "shards", 2)
    index = ShardedIndex.open(tmp_path / "shards", lambda _, shards: shard_map(Failing(), shards))
    with pytest.raises(ZeroDivisionError):
        index.search(codes[:1])


class Failing:
    """A question that no shard can answer."""

    def __call__(self, _):
        return 1 // 0

    def of(self, _):
        return 1 // 0


def test_killed_processes_change_no_answer(tmp_path):
    assert run(tmp_path, 2, processes) >= 2


def test_killed_dask_workers_change_no_answer(dask_workers, tmp_path):
    assert run(tmp_path, 2, lambda: nullcontext(dask_workers)) >= 2


def test_processes_end_with_the_block_and_with_their_parent(codes, tmp_path):
    index = ShardedIndex.build(codes, tmp_path / "shards", 2)
    with ProcessMap(2) as shard_map:
        ShardedIndex.open(tmp_path / "shards", shard_map).search(codes[:1])
        pids = shard_map.pids
        assert len(pids) == 2
        assert all(map(is_alive, pids))
    assert not any(map(is_alive, pids))
    script = """
import sys, time
from hypertorus.shards import ProcessMap, ShardedIndex
processes = ProcessMap(2)
index = ShardedIndex.open(sys.argv[1], processes)
index.search(index.vectors([0]))
print(*processes.pids, flush=True)
time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script, str(index.place)], stdout=subprocess.PIPE, text=True
    ) as parent:
        pids = list(map(int, parent.stdout.readline().split()))
        assert len(pids) == 2
        parent.kill()
    deadline = time.monotonic() + 20
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, "workers outlive the process that began them"
        time.sleep(0.02)


def test_shards_stay_with_their_worker(cluster, codes, tmp_path):
    ShardedIndex.build(codes, tmp_path / "shards", 6, metric="l1")
    index = ShardedIndex.open(tmp_path / "shards", cluster)
    index.search(codes[:1])
    keys = [future.key for future in cluster._opened.values()]
    index.search(codes[:2])
    assert [future.key for future in cluster._opened.values()] == keys
    own = [home for source, home in cluster._homes.items() if source.place == str(tmp_path / "shards")]
    assert len(own) == 6
    assert max(map(own.count, own)) <= 4


def test_no_scheduler_and_no_workers_are_one_sentence(codes, tmp_path, monkeypatch):
    from distributed import Client, Scheduler, SpecCluster

    monkeypatch.setattr("hypertorus.shards.dask_map.PATIENCE", 0.5)
    with pytest.raises(
        OSError, match=r"there is no Dask scheduler at tcp://127\.0\.0\.1:9 .* start one with: dask scheduler"
    ) as error:
        DaskMap.connected("tcp://127.0.0.1:9")
    assert "\n" not in str(error.value)
    with pytest.raises(OSError, match="there is no Dask scheduler at owls://here"):
        DaskMap.connected("owls://here")
    ShardedIndex.build(codes, tmp_path / "shards", 2)
    with (
        SpecCluster({}, {"cls": Scheduler, "options": {"dashboard": False}}, silence_logs=50) as cluster,
        Client(cluster, set_as_default=False) as client,
        pytest.raises(OSError, match="has no workers; start some with: dask worker tcp"),
    ):
        ShardedIndex.open(tmp_path / "shards", DaskMap(client)).search(codes[:1])
