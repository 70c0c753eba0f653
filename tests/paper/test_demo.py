"""The demo from the command to its page: killed midway, gone on with, measured, drawn.

All that needs a grid that was run is in this file, for to run one takes half a minute.
"""

import csv
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hypertorus.paper.all_figures import FIGURES, figures_of
from hypertorus.paper.claims.document import claims_document
from hypertorus.paper.experiments.birdsong.measure import COLUMNS as BIRDSONG_COLUMNS
from hypertorus.paper.experiments.birdsong.measure import keys_of, measurements
from hypertorus.paper.experiments.birdsong.run import BirdsongExperiment
from hypertorus.paper.experiments.birdsong.scales import AS_THEY_ARE
from hypertorus.paper.experiments.birdsong.scales import DEMO as BIRDSONG_DEMO
from hypertorus.paper.experiments.grid import SPACES
from hypertorus.paper.experiments.images.measure import AROUND_THE_MEAN, AS_PUBLISHED, COLUMNS, METRICS, QUANTISERS
from hypertorus.paper.experiments.images.run import ImageExperiment
from hypertorus.paper.experiments.images.scales import DEMO
from hypertorus.paper.experiments.table import ResultTable

ONLY = ["--only", "dim16 koleo0 seed0"]
"""One run of each space, of images and of birdsong."""


@pytest.fixture(scope="module")
def hypertorus(run_here):
    """The command where it goes well: arguments -> what it printed."""

    def run(*arguments):
        done = run_here(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def killed_and_run(tmp_path_factory, hypertorus):
    """The folder of a grid of images that was killed after its first run, and gone on with in two processes."""
    out = tmp_path_factory.mktemp("demo")
    command = [str(Path(sys.executable).with_name("hypertorus")), "paper", "run", *ONLY, "--jobs", "1", "--out", out]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while not (out / "results.csv").exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
    before = ResultTable(out / "results.csv", COLUMNS)
    assert 1 <= len({row["space"] for row in before}) <= 2
    hypertorus("paper", "run", *ONLY, "--jobs", 2, "--out", out)
    after = ResultTable(out / "results.csv", COLUMNS)
    assert after.rows[: len(before.rows)] == before.rows
    return out


@pytest.fixture(scope="module")
def said(killed_and_run, hypertorus):
    """What the demo printed when it had birdsong left to run, in the same folder."""
    return hypertorus("demo", *ONLY, "--out", killed_and_run)


@pytest.fixture(scope="module")
def demo(killed_and_run, said, hypertorus):
    """The folder of the demo."""
    del said
    hypertorus("paper", "run", "birdsong", "--only", "statistics", "--out", killed_and_run)
    return killed_and_run


def test_a_killed_grid_is_whole_in_the_end(killed_and_run):
    rows = ResultTable(killed_and_run / "results.csv", COLUMNS).rows
    everywhere = [(name, "cosine") for name in QUANTISERS]
    on_a_torus = [*everywhere, *METRICS, *((name, "cosine") for name in AS_PUBLISHED)]
    on_a_sphere = [*everywhere, *((name, "cosine") for name in AROUND_THE_MEAN)]
    tori = dict.fromkeys(("torusN", "torusC", "torusN-soft"), on_a_torus)
    for space, wanted in {"sphere": on_a_sphere, **tori}.items():
        assert [(row["quantiser"], row["metric"]) for row in rows if row["space"] == space] == wanted
    for row in rows:
        if row["status"] == "ok":
            assert 0.1 < row["precision_at_1"] <= 1
            assert row["bits_per_vector"] > 0
        else:
            assert row["status"] == "the dimensions do not divide"


def test_a_grid_that_is_there_is_not_run_again(killed_and_run, hypertorus):
    before = (killed_and_run / "results.csv").read_bytes()
    assert hypertorus("paper", "run", *ONLY, "--out", killed_and_run).startswith("4 runs")
    assert (killed_and_run / "results.csv").read_bytes() == before


def test_a_killed_grid_comes_to_the_same_numbers(killed_and_run, hypertorus, tmp_path):
    hypertorus("paper", "run", *ONLY, "--jobs", 1, "--out", tmp_path)

    def measured(folder):
        rows = ResultTable(folder / "results.csv", COLUMNS).rows
        return {(row["space"], row["quantiser"], row["metric"]): row["precision_at_1"] for row in rows}

    assert measured(tmp_path) == measured(killed_and_run)


def test_the_report_shows_every_figure_and_claim(killed_and_run, hypertorus, tmp_path):
    shutil.copy(killed_and_run / "results.csv", tmp_path)  # and no birdsong
    (tmp_path / "models").symlink_to(killed_and_run / "models")
    hypertorus("paper", "report", "--out", tmp_path)
    page = (tmp_path / "index.html").read_text()
    names = [*figures_of(None), *figures_of("images")]
    for name in names:
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000
        assert (tmp_path / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    assert page.count("<img") == len(names)
    assert "torusN is level with the sphere" in page
    assert "http" not in page


@pytest.mark.parametrize("name", figures_of("images"))
def test_figures_have_marks_for_every_space(killed_and_run, name):
    drawn = FIGURES[name].draw(ImageExperiment(DEMO, killed_and_run))
    for ax in drawn.axes:
        assert len(ax.lines) + len(ax.collections) >= (1 if name == "scatter" else 3) or not ax.axison


def test_one_figure_by_name(killed_and_run, hypertorus, run_here, tmp_path):
    hypertorus("paper", "figure", "precision", "--to", tmp_path / "p.png", "--out", killed_and_run)
    assert (tmp_path / "p.png").stat().st_size > 10_000
    wrong = run_here("paper", "figure", "no", "--to", "x.png")
    assert wrong.returncode != 0
    assert "choose one of storage" in wrong.stderr
    missing = run_here("paper", "figure", "precision", "--to", "x.png", "--out", tmp_path)
    assert "hypertorus paper run" in missing.stderr


def test_dry_run_lists_what_is_done_and_what_is_to_do(killed_and_run, hypertorus):
    said = hypertorus("paper", "run", "--only", "dim16 seed0", "--dry-run", "--out", killed_and_run)
    assert said.count("done") == 4
    assert said.count("to do") == 12


def test_the_demo_learns_species_it_tells_apart_from_few_examples(demo):
    folder = demo / "birdsong"
    rows = ResultTable(folder / "results.csv", BIRDSONG_COLUMNS).rows
    assert {row["space"] for row in rows if row["trained"] not in AS_THEY_ARE} == set(SPACES)
    for row in rows:
        assert row["status"] == "ok"
        assert row["chance"] == pytest.approx(0.2 if row["ways"] == "5" else 1 / 8)
        assert row["accuracy"] > 2 * row["chance"]
    asked = {(row["quantiser"], row["shots"], row["ways"]) for row in rows if row["space"] == "torusN"}
    assert asked == {tuple(keys_of("", *each).values())[1:] for each in measurements(BIRDSONG_DEMO, codes=True)}
    bits = {row["quantiser"]: row["bits_per_vector"] for row in rows if (row["space"], row["dim"]) == ("torusN", 16)}
    assert bits == {"none": 512, "8bit": 64, "4bit": 32, "2bit": 16}
    assert min(path.name for path in (folder / "recordings").iterdir()) == "species-01"


def test_a_run_that_is_there_is_not_run_again(demo, hypertorus):
    before = (demo / "birdsong" / "results.csv").read_bytes()
    hypertorus("paper", "run", "birdsong", "--only", "dim16", "--out", demo)
    assert (demo / "birdsong" / "results.csv").read_bytes() == before


@pytest.mark.parametrize("name", figures_of("birdsong"))
def test_figures_show_every_space(demo, hypertorus, name, tmp_path):
    hypertorus("paper", "figure", name, "--out", demo, "--to", tmp_path / "f.png")
    assert (tmp_path / "f.png").stat().st_size > 10_000
    drawn = FIGURES[name].draw(BirdsongExperiment(BIRDSONG_DEMO, demo / "birdsong"))
    for ax in drawn.axes:
        assert set(SPACES) <= {line.get_label() for line in [*ax.lines, *ax.containers]}


def test_claims_of_both_experiments_stand_on_one_page(demo, hypertorus, tmp_path):
    table = demo / "birdsong" / "results.csv"
    hypertorus("paper", "claims", table, "--to", tmp_path / "claims.md")
    text = (tmp_path / "claims.md").read_text()
    assert "## The paper on birdsong" in text
    assert "## The paper\n" not in text
    both = claims_document({"one": []}, {"two": []}, "command")
    assert both.count("## ") == 6


def test_a_table_of_birdsong_has_its_own_columns(demo):
    with (demo / "birdsong" / "results.csv").open() as file:
        assert next(csv.reader(file)) == list(BIRDSONG_COLUMNS.names)


def test_demo_writes_a_page_that_needs_nothing_else(demo, said):
    page = (demo / "index.html").read_text()
    assert page.count("data:image/png;base64,") == 12
    assert "http" not in page
    assert "│    0.05 │ 0.1910 │ 0.1000 │ 0.0100 │" in said
    assert said.count("4 runs: ") == 2  # of images and of birdsong
