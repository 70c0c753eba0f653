"""Kills workers in the middle of batches, again and again; every answer must be that of one index of everything.

python tests/shards/killed_workers.py FOLDER KILLS [processes | dask]
"""

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from hypertorus.search import Index
from hypertorus.shards import DaskMap, ProcessMap, ShardedIndex

WORKERS, SHARDS, CODES, DIM, QUERIES = 2, 4, 40_000, 32, 512


@contextmanager
def processes():
    """A map over processes of this machine, and the ids of those that there are now."""
    with ProcessMap(WORKERS) as processes:
        yield processes, lambda: processes.pids


@contextmanager
def dask():
    """A map over a Dask cluster of processes, and the ids of those that there are now."""
    import dask
    from distributed import Client, LocalCluster

    patient = {"distributed.deploy.lost-worker-timeout": "1 hour"}  # or a worker that was killed twice is not replaced
    with (
        dask.config.set(patient),
        LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", memory_limit=0, silence_logs=50
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):

        def pids():  # of workers that have begun; who kills them before that kills those who would replace them
            return [w.pid for w in cluster.workers.values() if w.pid and w.worker_address in cluster.scheduler.workers]

        yield DaskMap(client), pids


class Killer(threading.Thread):
    """Kills one worker some time after a batch has begun; `hit` says whether the batch was still under way then."""

    def __init__(self, pids, seconds, rng):
        super().__init__()
        self.pids, self.seconds, self.rng = pids, seconds, rng
        self.answered, self.hit = threading.Event(), False

    def run(self):
        if self.answered.wait(self.seconds):
            return
        living = self.pids()
        if living:
            os.kill(living[self.rng.integers(len(living))], signal.SIGKILL)
            self.hit = not self.answered.is_set()


def run(folder, kills, engine):
    """Search in batches until so many workers have been killed during one; return how many batches that took."""
    rng = np.random.default_rng(0)
    codes, queries = (rng.integers(0, 256, (n, DIM), dtype=np.uint8) for n in (CODES, QUERIES))
    one = Index(DIM, metric="l1")
    one.add(codes)
    expected = one.search(queries, 10)
    ShardedIndex.build(codes, Path(folder, "shards"), SHARDS, metric="l1", force=True)
    killed = batches = 0
    with engine() as (shard_map, pids):
        index = ShardedIndex.open(Path(folder, "shards"), shard_map)
        index.search(queries[:1])  # so that workers are there
        start = time.perf_counter()
        index.search(queries, 10)
        undisturbed = time.perf_counter() - start
        while killed < kills:
            killer = Killer(pids, rng.uniform(0, undisturbed), rng)
            killer.start()
            found = index.search(queries, 10)
            killer.answered.set()
            killer.join()
            killed += killer.hit
            np.testing.assert_array_equal(found.ids, expected.ids)
            np.testing.assert_array_equal(found.distances, expected.distances)
            batches += 1
    return batches


def main():
    folder, kills = Path(sys.argv[1]), int(sys.argv[2])
    engines = {"processes": processes, "dask": dask}
    names = sys.argv[3:] or list(engines)
    for name in names:
        run(folder, kills, engines[name])
    print(f"{kills} workers killed in the middle of batches, {' and '.join(names)}; every answer was the same")  # noqa: T201


if __name__ == "__main__":
    main()
