"""`hypertorus bench engines`: what it measures is what it says, and errors come before the measuring."""

import csv
import json
import re
import sys
from itertools import pairwise

import numpy as np
import pytest

from hypertorus.bench import data, engines, figure
from hypertorus.bench.engines import Comparison, Measured, Point, measure
from hypertorus.cli import main
from hypertorus.engines import ENGINES, engine
from hypertorus.search import nearest


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(engines, "SECONDS", 0.001)
    monkeypatch.setattr(engines, "ROUNDS", 1)
    monkeypatch.setattr(engines, "QUERIES", 32)


@pytest.fixture
def bench(monkeypatch, capsys):
    """A function that runs the command and returns its exit code, and what it printed to stdout and stderr."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["hypertorus", "bench", "engines", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        error = ended.value.code if isinstance(ended.value.code, str) else ""
        return (1 if error else ended.value.code or 0), printed.out, printed.err + error

    return run


def test_every_engine_on_every_kind(tmp_path):
    seen = []
    found = measure(
        ENGINES, ["clustered", "uniform"], count=800, dim=16, metric="l1", builders=1,
        progress=lambda done, total: seen.append(done / total),
    )  # fmt: skip
    assert [(each.data, each.engine) for each in found.engines] == [
        (kind, name) for kind in ("clustered", "uniform") for name in ENGINES
    ]
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert seen[-1] <= 1
    for each in found.engines:
        assert each.build_seconds > 0
        assert each.bytes > 800 * 16
        assert all(point.single > 0 and point.batch > 0 and 0 <= point.recall <= 1 for point in each.points)
        if each.engine.startswith("exact"):
            assert [(point.effort, point.recall) for point in each.points] == [(None, 1.0)]
        else:
            efforts = [point.effort for point in each.points]
            assert all(a < b for a, b in pairwise(efforts))
            assert each.points[-1].recall > each.points[0].recall - 0.01
    figure.plot(found, tmp_path / "engines.png")
    assert (tmp_path / "engines.png").stat().st_size > 10_000
    (tmp_path / "record.json").write_text(json.dumps({"result": found.as_dict()}))
    assert Comparison.of_record(tmp_path / "record.json") == found


def test_recall_is_that_of_a_literal_count(monkeypatch):
    made = data.uniform_data(1500, 32, 8)
    monkeypatch.setitem(data.KINDS, "uniform", lambda *_: made)
    found = measure(["faiss-flat"], ["uniform"], count=1500, dim=8, metric="l2", builders=1).engines[0]
    built, true = engine("faiss-flat").build(made.codes, metric="l2"), nearest(made.codes, made.queries, 10, "l2")
    for point in found.points[:3]:
        near = built.search(made.queries, 10, effort=point.effort).distances
        hits = sum(d <= true.distances[row, 9] for row in range(32) for d in near[row])
        assert point.recall == pytest.approx(hits / 320)
    assert found.points[0].recall < 0.9


def test_the_point_that_is_shown_is_the_fastest_that_is_good_or_else_the_best():
    points = [Point(1, 0.5, 9, 9), Point(2, 0.991, 5, 5), Point(4, 0.999, 6, 6), Point(8, 1.0, 2, 2)]
    measured = Measured("uniform", "usearch", 1.0, 1, points)
    assert measured.good(0.99).effort == 4
    assert Measured("uniform", "usearch", 1.0, 1, points[:1]).good(0.99).effort == 1


def test_kinds_of_codes_have_the_structure_they_are_named_for():
    near = {}
    for kind in ("clustered", "uniform"):
        codes, queries = data.KINDS[kind](3000, 20, 32)
        assert (codes.shape, queries.shape, codes.dtype) == ((3000, 32), (20, 32), np.uint8)
        near[kind] = nearest(codes, queries, 1, "l1").distances.mean()
    assert near["clustered"] < near["uniform"] / 3


def test_the_command(bench, tmp_path):
    arguments = ["--data", "uniform", "--engine", "exact", "--engine", "faiss-flat", "--count", "300", "--dim", "8"]
    code, printed, errors = bench(*arguments, "--json", "--csv", str(tmp_path / "rows.csv"))
    assert code == 0, errors
    record = json.loads(printed)
    assert record["command"].startswith("hypertorus bench engines --data uniform --engine exact")
    assert set(record) == {"command", "date", "machine", "versions", "result"}
    assert {name: record["result"][name] for name in ("count", "dim", "metric")} == {
        "count": 300, "dim": 8, "metric": "cosine",
    }  # fmt: skip
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    assert len(rows) == sum(len(each["points"]) for each in record["result"]["engines"])
    (tmp_path / "record.json").write_text(printed)
    _, shown, _ = bench("--from", str(tmp_path / "record.json"), "--plot", str(tmp_path / "engines.svg"))
    assert "uniform codes: 300 codes of 8 bytes, cosine" in shown
    assert re.search(r"exact +exact +1\.000 ", shown)
    assert "</svg>" in (tmp_path / "engines.svg").read_text()


@pytest.mark.parametrize(
    "arguments, error",
    [
        (["--engine", "annoy"], "engine is 'annoy'; there are exact"),
        (["--data", "random"], "--data is 'random'; choose one of trained, clustered, uniform"),
        (["--metric", "l3"], "metric is 'l3'"),
        (["--from", "pyproject.toml"], "pyproject.toml is not a record of engines"),
        (["--from", "nowhere.json"], "nowhere.json"),
    ],
)
def test_errors_come_first_and_are_one_sentence(bench, monkeypatch, arguments, error):
    monkeypatch.setattr(engines, "_built", lambda *_: pytest.fail("it was measuring already"))
    code, printed, errors = bench(*arguments)
    assert (code, printed) == (1, "")
    assert error in errors
    assert "\n" not in errors


def test_what_is_not_installed_is_skipped_and_named(bench, monkeypatch):
    for place in ("hypertorus.engines.by_name.find_spec", "hypertorus.bench.data.find_spec"):
        monkeypatch.setattr(place, lambda name: None if name in ("usearch", "faiss", "lightning") else name)
    code, printed, errors = bench("--count", "300", "--dim", "8")
    assert code == 0
    assert errors.count("is skipped: it needs pip install 'hypertorus[engines]'") == 4
    assert "trained codes are skipped: they need pip install 'hypertorus[train]'" in errors
    assert "trained codes:" not in printed
    assert printed.count("exact-cells") == 2
