"""A small grid of birdsong from its runs to its figures and claims: the demo's, trained for a few epochs."""

import csv
from dataclasses import replace

import pytest

from hypertorus.paper.all_figures import FIGURES, figures_of
from hypertorus.paper.claims.document import claims_document
from hypertorus.paper.experiments.birdsong.measure import COLUMNS, keys_of, measurements
from hypertorus.paper.experiments.birdsong.run import BirdsongExperiment
from hypertorus.paper.experiments.birdsong.scales import AS_THEY_ARE, DEMO
from hypertorus.paper.experiments.grid import END_TO_END, SPACES
from hypertorus.paper.experiments.table import ResultTable

BRIEF = replace(DEMO, training={END_TO_END: {**DEMO.training[END_TO_END], "epochs": 2}})


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """The folder of a grid of all spaces at one size, and of the baseline."""
    folder = tmp_path_factory.mktemp("paper")
    experiment = BirdsongExperiment(BRIEF, folder / "birdsong")
    experiment.run([case for case in BRIEF.cases if case.dim == 16 or case.trained in AS_THEY_ARE])
    return folder


def test_species_are_told_apart_from_few_examples(out):
    folder = out / "birdsong"
    rows = ResultTable(folder / "results.csv", COLUMNS).rows
    assert {row["space"] for row in rows if row["trained"] not in AS_THEY_ARE} == set(SPACES)
    for row in rows:
        assert row["status"] == "ok"
        assert row["chance"] == pytest.approx(0.2 if row["ways"] == "5" else 1 / 8)
        assert row["accuracy"] > 1.5 * row["chance"]
    asked = {(row["quantiser"], row["shots"], row["ways"]) for row in rows if row["space"] == "torusN"}
    assert asked == {tuple(keys_of("", *each).values())[1:] for each in measurements(DEMO, codes=True, torus=True)}
    bits = {row["quantiser"]: row["bits_per_vector"] for row in rows if (row["space"], row["dim"]) == ("torusN", 16)}
    assert {name: bits[name] for name in ("none", "8bit", "4bit", "2bit")} == {
        "none": 512,
        "8bit": 64,
        "4bit": 32,
        "2bit": 16,
    }
    assert all(bits[name] == bits[name.removesuffix("-lengths")] for name in bits)
    assert not any("lengths" in row["quantiser"] for row in rows if row["space"] == "sphere")
    assert min(path.name for path in (folder / "recordings").iterdir()) == "species-01"


def test_a_run_that_is_there_is_not_run_again(out, run_here):
    before = (out / "birdsong" / "results.csv").read_bytes()
    assert run_here("paper", "run", "birdsong", "--only", "dim16", "--out", out).returncode == 0
    assert (out / "birdsong" / "results.csv").read_bytes() == before


@pytest.mark.parametrize("name", figures_of("birdsong"))
def test_figures_show_every_space(out, name):
    drawn = FIGURES[name].draw(BirdsongExperiment(DEMO, out / "birdsong"))
    for ax in drawn.axes:
        assert set(SPACES) <= {line.get_label() for line in [*ax.lines, *ax.containers]}


def test_claims_of_both_experiments_stand_on_one_page(out, run_here, tmp_path):
    table = out / "birdsong" / "results.csv"
    assert run_here("paper", "claims", table, "--to", tmp_path / "claims.md").returncode == 0
    text = (tmp_path / "claims.md").read_text()
    assert "## The paper on birdsong" in text
    assert "## The paper\n" not in text
    both = claims_document({"one": []}, {"two": []}, "command")
    assert both.count("## ") == 6


def test_a_table_of_birdsong_has_its_own_columns(out):
    with (out / "birdsong" / "results.csv").open() as file:
        assert next(csv.reader(file)) == list(COLUMNS.names)
