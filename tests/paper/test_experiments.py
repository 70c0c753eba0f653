"""A small grid from the command to the page: killed midway, gone on with, measured, drawn."""

import csv
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from hypertorus.datasets import Data, InMemory
from hypertorus.paper.all_figures import FIGURES
from hypertorus.paper.experiments import experiment as training
from hypertorus.paper.experiments.estimate import seconds_of
from hypertorus.paper.experiments.grid import END_TO_END, HEAD, SOFT, TORUS_HEAD, Case, grid
from hypertorus.paper.experiments.images import run as running
from hypertorus.paper.experiments.images.measure import COLUMNS
from hypertorus.paper.experiments.images.run import ImageExperiment
from hypertorus.paper.experiments.images.scales import DEMO, FULL, SCALES
from hypertorus.paper.experiments.processes import spread
from hypertorus.paper.experiments.table import ResultTable, runs_of
from hypertorus.training import TrainingError

COMMAND = str(Path(sys.executable).with_name("hypertorus"))
CASE = Case("digits", "end-to-end", "torusN", 16, 0.1, 0)


def test_dry_run_counts_what_is_measured_without_training(tmp_path, run_here):
    done = run_here("paper", "run", "birdsong", "--scale", "demo", "--dry-run", "--out", tmp_path)
    assert (done.returncode, done.stdout.count("to do")) == (0, 9)


def test_dry_run_of_the_full_grid_says_time_and_cost(tmp_path, run_here):
    said = run_here("paper", "run", "--scale", "full", "--dry-run", "--out", tmp_path, "--price", "2").stdout
    assert said.count("to do") == 128
    assert "2 an hour" in said
    assert list(tmp_path.iterdir()) == []
    case = FULL.cases[0]
    assert seconds_of(case, FULL, [], teraflops=1) == pytest.approx(5 * seconds_of(case, FULL, [], teraflops=5))
    known = [{**vars(case), "quantiser": "none", "seconds": 7.0}]
    assert seconds_of(case, FULL, known, teraflops=1) == 7


def test_only_must_name_a_run(tmp_path, run_here):
    ended = run_here("paper", "run", "--only", "dim9", "--out", tmp_path)
    assert ended.returncode != 0
    assert "'dim9', which matches no run of demo" in ended.stderr


def test_grids_have_every_cell_of_the_paper():
    full = SCALES["full"].cases
    assert len(full) == len(set(full)) == 2 * 4 * 4 * 4
    assert {case.koleo for case in full} == {0, 0.001, 0.1, 1}
    assert {case.dim for case in full} == {16, 32, 64, 128}
    for scale in SCALES.values():
        for case in scale.cases:
            scale.settings(case)
    for name in ("demo", "small"):
        assert {case.seed for case in SCALES[name].cases} == {0, 1, 2}
    assert len(grid(["a"], "head", dims=(2,), weights=(0.0,), seeds=(0,))) == 4


def test_the_full_scale_trains_on_a_few_batches(tmp_path, monkeypatch):
    noise = torch.Generator().manual_seed(0)
    images = torch.randint(0, 256, (480, 3, 32, 32), dtype=torch.uint8, generator=noise)
    labels = torch.arange(480) % 10
    data = Data(
        "cifar10", InMemory(images[:400], labels[:400]), InMemory(images[400:], labels[400:]), list("0123456789")
    )
    monkeypatch.setattr(running, "_read", lambda *_: data)
    few = replace(FULL, training={END_TO_END: {**FULL.training[END_TO_END], "epochs": 1, "batch": 160}})
    case = next(case for case in few.cases if (case.space, case.dim) == ("torusN", 16))
    experiment = ImageExperiment(few, tmp_path)
    experiment.run([case])
    (floats,) = [row for row in experiment.table if row["quantiser"] == "none"]
    assert floats["status"] == "ok"
    assert floats["epochs"] == 1


def test_heads_stand_on_one_encoder_for_each_data_set_and_kind(tmp_path):
    options = {"dims": (8,), "weights": (0.0,), "seeds": (0,)}
    scale = replace(
        DEMO,
        cases=(*grid(["digits"], HEAD, **options), *grid(["digits"], TORUS_HEAD, **options)[:1]),
        encoders={each: {"encoder": "mlp:32", "epochs": 2} for each in (HEAD, TORUS_HEAD)},
        training={each: {"encoder": "none", "epochs": 2} for each in (HEAD, TORUS_HEAD)},
        queries=50,
    )
    experiment = ImageExperiment(scale, tmp_path)
    experiment.run(scale.cases)
    assert {path.name for path in (tmp_path / "encoders").iterdir()} == {"digits", "digits-head-torusN"}
    floats = [row for row in experiment.table if row["quantiser"] == "none"]
    assert len(floats) == 5
    assert all(row["precision_at_1"] * 50 == pytest.approx(round(row["precision_at_1"] * 50)) for row in floats)
    assert min(row["precision_at_1"] for row in floats) > 0.3


def test_a_run_that_fails_is_a_row_that_says_so(tmp_path, monkeypatch):
    def diverge(*_, **__):
        raise TrainingError("The loss is NaN.")

    monkeypatch.setattr(training, "run_training", diverge)
    experiment = ImageExperiment(DEMO, tmp_path)
    experiment.run([CASE])
    assert {row["status"] for row in experiment.table} == {"The loss is NaN."}
    assert CASE in experiment.table
    with pytest.raises(ValueError, match="no successful run to draw"):
        FIGURES["precision"].draw(experiment)


def test_interrupting_leaves_a_whole_table_and_no_process(tmp_path, unmeasured):
    command = [COMMAND, "paper", "run", "--out", str(tmp_path), "--jobs", "2"]
    with subprocess.Popen(command, env=unmeasured, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "results.csv").exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert ResultTable(tmp_path / "results.csv", COLUMNS).rows
    assert not list(tmp_path.glob(".*.partial"))
    own = f"parent_pid={process.pid}".encode()
    alive = [path for path in Path("/proc").glob("[0-9]*/cmdline") if own in _read(path)]
    assert alive == []


def _read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_work_is_spread_over_processes():
    found = dict(spread(abs, [-1, -2, -3], processes=2))
    assert found == {-1: 1, -2: 2, -3: 3}
    assert dict(spread(os.getpgid, [os.getpid()], processes=2)) == {os.getpid(): os.getpgid(os.getpid())}
    with pytest.raises(TypeError):
        list(spread(abs, ["a", "b"], processes=2))


def test_a_table_comes_back_as_it_was_written(tmp_path):
    table = ResultTable(tmp_path / "results.csv", COLUMNS)
    table.add(CASE, [{"quantiser": "none", "metric": "cosine", "status": "ok", "precision_at_1": 0.5}])
    again = ResultTable(tmp_path / "results.csv", COLUMNS)
    assert CASE in again
    assert Case("digits", "end-to-end", "torusN", 16, 0.1, 1) not in again
    assert again.rows[0]["precision_at_1"] == 0.5
    assert again.rows[0]["recall_at_k"] is None
    assert [row["quantiser"] for row in runs_of([*again.rows, {**again.rows[0], "quantiser": "8bit"}])] == ["none"]
    with (tmp_path / "results.csv").open() as file:
        assert next(csv.reader(file)) == list(COLUMNS.names)


@pytest.mark.parametrize("text", ["a,b\n1,2\n", ",".join(COLUMNS.names) + "\ndigits,end-to-end,torusN,eight\n"])
def test_a_file_that_is_no_table_is_refused(tmp_path, text):
    (tmp_path / "results.csv").write_text(text)
    with pytest.raises(ValueError, match=r"not a (table|row) of results"):
        ResultTable(tmp_path / "results.csv", COLUMNS)
    assert np.array_equal((tmp_path / "results.csv").read_text(), text)


def test_torusn_is_trained_as_published_and_softly_under_a_name_of_its_own():
    soft, published = (DEMO.settings(replace(CASE, space=name)) for name in (SOFT, "torusN"))
    assert (published.space, published.soft) == ("torusN", 0.0)
    assert (soft.space, soft.soft) == ("torusN", 1.0)


def test_what_is_recorded_is_not_run_again():
    recorded = ResultTable(Path(__file__).parents[2] / "results" / "paper-small.csv", ImageExperiment.columns)
    to_do = [case for case in SCALES["small"].cases if case not in recorded]
    assert {case.space for case in to_do if case.trained in (HEAD, END_TO_END)} <= {SOFT}
