"""Saying, undoing, learning, choosing and running on everything, by what the page asks."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hypertorus import Index
from hypertorus.explorer.chart import Chart
from hypertorus.explorer.layout import layout
from hypertorus.workbench import Answers


@pytest.fixture
def say(client):
    def say(number, answer, question="low", **more):
        said = client.post("/api/say", json={"ids": [number], "question": question, "answer": answer, **more})
        assert said.status_code == 200, said.text
        return said.json()

    return say


@pytest.fixture
def low(say, ids):
    """A class of low tones: two yes of different recordings, and two no."""
    first, second = ids["POND_20240510_043000.wav"], ids["POND_20240511_043000.wav"]
    for number, answer in ((first, "yes"), (second, "yes"), (ids["a.wav"], "no"), (second + 1, "no")):
        say(number, answer)
    return first


def test_an_answer_is_on_disk_before_the_page_hears_of_it(say, collection, tmp_path):
    say(3, "yes", who="Grace", way="best")
    with Answers.open(tmp_path / "answers.sqlite", collection.items) as another:
        (line,) = another.history()
    assert (line.item, line.question, line.answer, line.who, line.way) == (
        collection.items.key(3),
        "low",
        "yes",
        "Grace",
        "best",
    )


def test_answers_are_listed_by_class_and_id(client, low, say):
    say(low, "unsure", "wren")
    said = client.get("/api/said").json()
    assert said["who"] == "Ada"
    assert list(said["classes"]) == ["low", "wren"]
    assert said["classes"]["low"][str(low)] == "yes"
    assert said["classes"]["wren"] == {str(low): "unsure"}


def test_the_last_answer_of_a_person_is_taken_back(client, say):
    say(0, "yes")
    say(0, "no")
    say(1, "no", who="Grace")
    undone = client.post("/api/undo", json={}).json()
    assert undone == {"id": 0, "question": "low", "answer": "no", "now": "yes"}
    assert client.get("/api/said").json()["classes"]["low"] == {"0": "yes", "1": "no"}
    client.post("/api/undo", json={})
    nothing = client.post("/api/undo", json={})
    assert nothing.status_code == 400
    assert "no answer of yours" in nothing.json()["error"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"answer": "perhaps"},
        {"question": " "},
        {"ids": []},
        {"who": ""},
        {"question": "a\x00b"},
        {"question": "x" * 201},
    ],
)
def test_an_answer_that_makes_no_sense_is_refused(client, wrong):
    refused = client.post("/api/say", json={"ids": [0], "question": "low", "answer": "yes", **wrong})
    assert refused.status_code == 400
    assert client.get("/api/said").json()["classes"] == {}


def test_an_answer_to_what_is_not_there_is_refused(client):
    assert client.post("/api/say", json={"ids": [99], "question": "low", "answer": "yes"}).status_code == 404


@pytest.mark.usefixtures("low")
def test_a_class_is_learnt_at_once_and_says_how_good_it_is(client):
    learnt = client.post("/api/learn", json={"question": "low"}).json()
    assert (learnt["yes"], learnt["no"], learnt["question"]) == (2, 2, "low")
    assert learnt["method"] in ("tables", "prototypes")
    assert 0 <= learnt["skill"]["average_precision"] <= 1
    assert learnt["skill"]["average_precision"] == max(each["average_precision"] for each in learnt["compared"])


def test_without_a_yes_nothing_is_learnt(client, say):
    say(0, "no")
    refused = client.post("/api/learn", json={"question": "low"})
    assert refused.status_code == 400
    assert "at least one" in refused.json()["error"]


def test_the_best_come_first_and_what_was_answered_is_not_asked_again(client, low):
    asked = client.post("/api/ask", json={"question": "low", "way": "best", "k": 9}).json()
    numbers = [each["id"] for each in asked["results"]]
    assert numbers[0] == low + 1
    assert len(numbers) == 5
    scores = [each["score"] for each in asked["results"]]
    assert scores == sorted(scores, reverse=True)


def test_what_is_asked_about_is_folded_as_what_is_found(client, say, ids):
    say(ids["POND_20240510_043000.wav"], "yes")
    asked = client.post("/api/ask", json={"question": "low", "way": "best", "k": 9}).json()["results"]
    copies = next(each for each in asked if each["same"])
    assert {copies["id"], *copies["same"]} == {ids["a.wav"], ids["<img src=x onerror=alert(1)>.wav"]}
    assert copies["more"] == 0
    assert len(asked) == 9 - 2
    each = client.post("/api/ask", json={"question": "low", "way": "best", "k": 9, "one_each": True}).json()["results"]
    assert len({one["name"] for one in each}) == len(each) == 3
    assert sum(1 + one["more"] + len(one["same"]) for one in each) == 8


@pytest.mark.usefixtures("low")
def test_other_ways_to_ask(client):
    def numbers(**asked):
        found = client.post("/api/ask", json={"question": "low", "k": 9, **asked})
        assert found.status_code == 200, found.text
        return [each["id"] for each in found.json()["results"]]

    best = numbers(way="best")
    assert sorted(numbers(way="boundary")) == sorted(numbers(way="random")) == sorted(best)
    assert numbers(way="band", low=-(2**31), high=2**31 - 1)
    assert numbers(way="band", low=2**30, high=2**31 - 1) == []
    assert set(numbers(way="sample")) <= set(best)
    assert client.post("/api/ask", json={"question": "low", "way": "worst"}).status_code == 400


def shares_at(run, score):
    return np.interp(score, run["edges"], run["shares"])


@pytest.mark.usefixtures("low")
def test_a_run_counts_everything(client):
    run = client.post("/api/run", json={"question": "low"}).json()
    assert sum(run["items"]) == run["count"] == 9
    assert (sum(run["yes"]), sum(run["no"])) == (2, 2)
    assert len(run["edges"]) == len(run["shares"]) == len(run["items"]) + 1
    assert run["shares"] == sorted(run["shares"])
    assert all(band["share"] == pytest.approx(shares_at(run, band["low"]), abs=0.02) for band in run["bands"])
    all_of_them = client.post("/api/threshold", json={"question": "low", "threshold": run["edges"][0] - 1}).json()
    assert all_of_them["found"] == 9 - 2
    assert {each["name"]: each["items"] for each in all_of_them["sites"]} == {"POND": 5}
    assert {each["name"] for each in all_of_them["days"]} == {"2024-05-10", "2024-05-11"}
    assert [each["name"] for each in all_of_them["hours"]] == ["4"]
    nothing = client.post("/api/threshold", json={"question": "low", "threshold": run["edges"][-1] + 1}).json()
    assert (nothing["found"], nothing["above"], nothing["precision"]) == (2, 0, None)


@pytest.mark.usefixtures("low")
@pytest.mark.parametrize("threshold", [10**400, 1e300, "0", None, True])
def test_a_threshold_that_is_no_number_is_one_sentence(client, threshold):
    refused = client.post("/api/threshold", json={"question": "low", "threshold": threshold})
    assert refused.status_code == 400
    assert "must be a number" in refused.json()["error"]


def test_a_sample_measures_a_threshold_and_teaches_nothing(client, low, say):
    before = client.post("/api/run", json={"question": "low"}).json()
    threshold, lowest = before["threshold"], before["edges"][0]
    unknown = client.post("/api/threshold", json={"question": "low", "threshold": lowest}).json()
    assert unknown["sampled"] == 0
    for each in client.post("/api/ask", json={"question": "low", "way": "sample", "k": 50}).json()["results"]:
        say(each["id"], "yes" if each["id"] == low + 1 else "no", way="sample")
    after = client.post("/api/run", json={"question": "low"}).json()
    assert (after["threshold"], after["edges"]) == (threshold, before["edges"])
    known = client.post("/api/threshold", json={"question": "low", "threshold": lowest}).json()
    assert known["sampled"] == 5
    assert after["to_ask"] == 0
    assert known["precision"] == pytest.approx({"value": 3 / 9, "low": 3 / 9, "high": 3 / 9})  # all were answered
    assert unknown["precision"]["high"] - unknown["precision"]["low"] > 0.4


def test_every_answer_of_many_tabs_at_once_is_kept(client, collection):
    def answer(number):
        said = {"ids": [number % 9], "question": f"class {number // 9}", "answer": "yes", "who": f"tab {number % 3}"}
        return client.post("/api/say", json=said).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(answer, range(45))) == {200}
    classes = client.get("/api/said").json()["classes"]
    assert {name: len(said) for name, said in classes.items()} == {f"class {number}": 9 for number in range(5)}
    assert len(collection.items) == 9


def test_the_map_has_a_place_for_each(client, collection):
    while not client.get("/api/map").json()["ready"]:
        time.sleep(0.02)
    content, count = client.get("/map").content, len(collection.items)
    assert len(content) == 12 * count
    assert len(np.unique(np.frombuffer(content, "<u2", 2 * count))) > count
    assert np.frombuffer(content, "<f8", offset=4 * count).tolist() == list(range(count))


def test_the_map_is_laid_out_once_and_again_for_other_codes(collection, tmp_path, monkeypatch):
    def places(key=None):
        collection.place = tmp_path / "index"
        chart = Chart(collection)
        if key is not None:
            monkeypatch.setattr(chart, "_key", lambda: key)
        while not chart.state()["ready"]:
            time.sleep(0.02)
        return chart.content()

    first, kept = places(), (tmp_path / "index.map.safetensors").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("hypertorus.explorer.chart.layout", None)
        assert places() == first
    places(key=7)
    assert (tmp_path / "index.map.safetensors").read_bytes() != kept
    for damage in (b"", b"{}", kept[:-40]):
        (tmp_path / "index.map.safetensors").write_bytes(damage)
        assert places() == first


def test_neighbours_lie_together_on_the_map():
    rng = np.random.default_rng(0)
    centres, labels = rng.integers(0, 256, (6, 16)), rng.integers(0, 6, 240)
    index = Index(16)
    index.add(((centres[labels] + rng.normal(scale=15, size=(240, 16))).astype(int) % 256).astype(np.uint8))
    places = layout(index, index.ids)
    assert places.min() >= 0
    assert places.max() <= 1
    far = ((places[:, None] - places) ** 2).sum(axis=2)
    nearest = np.argsort(far, axis=1)[:, 1:6]
    assert (labels[nearest] == labels[:, None]).mean() > 0.95
    assert layout(index, index.ids[:2]).shape == (2, 2)
