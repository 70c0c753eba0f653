"""usearch: the metric that it forgets, and distances that its floats cannot hold."""

import inspect
import json
import signal
import subprocess
import sys

import numpy as np
import pytest
from usearch.index import Index as Graph

import hypertorus as ht
from hypertorus.engines.usearch_graph import UsearchGraph, usearch_metric
from hypertorus.search import nearest


def opened(folder, how):
    """The graph as usearch opens it by itself."""
    path = str(folder / "graph.usearch")
    if how == "restore":
        return Graph.restore(path)
    graph = Graph(ndim=37, metric=usearch_metric("l1"), dtype="i8")
    getattr(graph, how)(path)
    return graph


@pytest.mark.parametrize("how", ["load", "view", "restore"])
def test_usearch_forgets_the_metric_and_the_engine_puts_it_back(how, make_codes, tmp_path):
    codes, queries = make_codes()
    UsearchGraph.build(codes, metric="l1", threads=1).save(tmp_path / "engine")
    np.save(tmp_path / "queries.npy", queries)
    want = nearest(codes, queries, 5, "l1").distances.tolist()
    search = f"""
import json
import numpy as np
from pathlib import Path
from usearch.index import Index as Graph
from hypertorus.engines.usearch_graph import usearch_metric
{inspect.getsource(opened)}
queries = np.load({str(tmp_path / "queries.npy")!r}).view(np.int8)
graph = opened(Path({str(tmp_path / "engine")!r}), {how!r})
print(json.dumps(graph.search(queries, 5).distances.tolist()))
"""
    forgotten = subprocess.run([sys.executable, "-c", search], capture_output=True, text=True, check=False)
    assert forgotten.returncode == -signal.SIGSEGV or json.loads(forgotten.stdout) != want
    graph = opened(tmp_path / "engine", how)
    graph.metric = usearch_metric("l1")
    assert graph.search(queries.view(np.int8), 5).distances.tolist() == want
    engine = ht.open_engine(tmp_path / "engine", mmap=how == "view")
    assert engine.search(queries, 5, threads=1).distances.tolist() == want


def test_distances_beyond_the_whole_numbers_of_a_float_are_exact(rng, tmp_path):
    codes = rng.integers(0, 256, (60, 2001), np.uint8)
    queries = codes[:8] + np.uint8(128)
    want = nearest(codes, queries, 60)
    assert want.distances.max() > 2**25
    engine = UsearchGraph.build(codes, threads=1)
    engine.save(tmp_path / "engine")
    for each in (engine, ht.open_engine(tmp_path / "engine")):
        found = each.search(queries, 60, threads=1)
        np.testing.assert_array_equal(found.distances, want.distances)
        np.testing.assert_array_equal(found.ids, want.ids)


def test_its_codes_come_back(make_codes, ids):
    codes, _ = make_codes(bits=2)
    engine = UsearchGraph.build(codes, ids, bits=2, threads=1)
    np.testing.assert_array_equal(engine.vectors(ids[[3, 1, 4]]), codes[[3, 1, 4]])
    with pytest.raises(ValueError, match="ids holds 6, which is not in the engine"):
        engine.vectors([int(ids[0]), 6])


def test_progress_counts_codes(rng, monkeypatch):
    monkeypatch.setattr("hypertorus.engines.usearch_graph._AT_ONCE", 40)
    seen = []
    UsearchGraph.build(rng.integers(0, 256, (100, 8), np.uint8), progress=lambda *pair: seen.append(pair))
    assert seen == [(40, 100), (80, 100), (100, 100)]


def test_graphs_of_other_connectivity(make_codes, tmp_path):
    codes, _ = make_codes()
    sizes = []
    for connectivity in (4, 32):
        UsearchGraph.build(codes, connectivity=connectivity, threads=1).save(tmp_path / "engine")
        assert ht.open_engine(tmp_path / "engine").connectivity == connectivity
        sizes.append((tmp_path / "engine" / "graph.usearch").stat().st_size)
    assert sizes[1] > 2 * sizes[0]
    with pytest.raises(ValueError, match="connectivity is 0"):
        UsearchGraph.build(codes, connectivity=0)
