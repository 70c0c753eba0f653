"""Texts on the command line: train a text model on labels or pairs, encode, index and search."""

import csv
import json

import pytest

ANIMALS = ("bird", "fish")
PLACES = {"bird": "sings loud in the sky", "fish": "swims deep in the sea"}
OPTIONS = ("--head", "linear", "--dim", 16, "--epochs", 4, "--batch", 8, "--json")


def written(path, rows):
    with path.open("w", newline="") as lines:
        csv.writer(lines).writerows(rows)


@pytest.fixture
def run(run_here, folder, monkeypatch):
    def run(*arguments):
        monkeypatch.chdir(folder)
        done = run_here(*arguments)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("texts")
    colours = [
        f"{first} {second}" for first in ("red", "green", "blue", "a", "the") for second in ("red", "deep", "in")
    ]
    rows = [(f"{colour} {PLACES[animal]}", animal) for animal in ANIMALS for colour in colours]
    written(place / "animals.csv", [("text", "label"), *rows])
    pairs = [(f"{colour} {animal}", f"{colour} {PLACES[animal]}") for animal in ANIMALS for colour in colours]
    written(place / "pairs.csv", [("anchor", "positive"), *pairs])
    return place


def test_labels_train_a_model_that_encodes_indexes_and_finds(run, folder, text_folder):
    code, said, errors = run(
        "train", "animals.csv", "--encoder", f"sentence:{text_folder},1", "--out", "model", *OPTIONS
    )
    assert code == 0, errors
    outcome = json.loads(said)
    assert outcome["test"] == 1.0
    assert "without_training" in outcome
    assert "texts." in errors
    for arguments in (
        ("encode", "model", "animals.csv", "--out", "codes.safetensors"),
        ("index", "build", "codes.safetensors", "--out", "animals.index"),
    ):
        assert run(*arguments)[0] == 0
    (folder / "asked.txt").write_text("the blue fish swims deep\n")
    assert run("encode", "model", "asked.txt", "--out", "asked.safetensors")[0] == 0
    code, said, errors = run("search", "animals.index", "asked.safetensors", "-k", 3)
    assert code == 0, errors
    assert "swims deep in the sea" in said
    assert "sings" not in said
    search = ("search", "animals.index", "-k", 3, "--text")
    assert "Vote: fish, 3 of 3." in run(*search, "the blue fish swims deep", "--text-model", "model")[1]
    assert "--text is empty; pass a text to search for." in run(*search, " ", "--text-model", "model")[2]


def test_pairs_train_a_model_and_are_tested_by_finding_partners(run, text_folder):
    code, said, errors = run(
        "train", "pairs.csv", "--encoder", f"sentence:{text_folder}", "--out", "of-pairs", *OPTIONS
    )
    assert code == 0, errors
    assert "30 pairs, texts." in errors
    outcome = json.loads(said)
    assert outcome["chance"] == pytest.approx(1 / 6)
    assert 0 <= outcome["test"] <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "animals has texts, and encoder 'auto' takes none; pass --encoder sentence:PATH_OR_PACKAGE"),
        (("--encoder", "sentence:{model}", "--loss", "neighbours"), "loss is 'neighbours', which keeps the neighbours"),
        (("--encoder", "sentence:nothing"), "put the folder of a sentence-transformers model after the colon"),
        (("--encoder", "sentence:{model}", "--size", "32"), "size is 32, which has no meaning for animals.csv"),
    ],
)
def test_what_cannot_be_trained_is_said_in_a_sentence(run, folder, text_folder, options, message):
    options = [option.format(model=text_folder) for option in options]
    code, _, errors = run("train", "animals.csv", "--out", "never", *options)
    assert code == 1
    assert message in " ".join(errors.split())
    assert not (folder / "never").exists()
