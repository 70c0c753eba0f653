"""Public collections of sentences as the data sets of this benchmark: two that Debian packages carry, and one of MTEB.

* packages: the one-line description of each package in the lists that `apt-get update` fetches, with its section as
  label. Packages of one source are on one side of the split.
* wordnet: definitions of WordNet 3.0 (`apt-get install wordnet-base`), with their lexicographer file, such as
  noun.animal or verb.motion, as label.
* examples: pairs of an example sentence of WordNet and the definition of the sense it is an example of.
* banking77: questions to a bank, with their intents as labels, a classification task of MTEB: the folder banking_data
  of https://github.com/PolyAI-LDN/task-specific-datasets (CC BY 4.0), which has train.csv and test.csv.
"""

from __future__ import annotations

import csv
import re
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from hypertorus.datasets import Data, read_data
from hypertorus.embeddings.split import are_pairs

TRAIN, TEST, VALIDATE = 2000, 1500, 300
"""Texts of each part; so few that one core without a graphics card measures each set in minutes."""
PAIRS = 900
"""Pairs of an example and a definition; three of seven examples are the queries."""
WORDNET = Path("/usr/share/wordnet")
BANKING = Path("task-specific-datasets/banking_data")
FEWEST = 100
"""Texts of a class below which it is left out, of packages and of wordnet."""

Rows = list[tuple[str, ...]]


def read_set(name: str, folder: Path, source: Path) -> Data:
    """Return a data set, read from the file of texts that is written into a folder; a part of it validates.

    It is made of the files of WordNet or of Banking77 in the folder `source`, and packages of what apt knows.
    """
    file = folder / f"{name}.csv"
    rows = {"packages": packages, "wordnet": definitions, "examples": examples, "banking77": questions}[name]
    header = ("anchor", "positive") if name == "examples" else ("text", "label", "part")
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with file.open("w", newline="", encoding="utf-8") as lines:
            csv.writer(lines).writerows([header, *(rows() if name == "packages" else rows(source))])  # type: ignore[operator]
    return _with_validation(read_data(str(file), test_share=TEST / (TEST + TRAIN)))


def packages() -> Rows:
    """Return descriptions, sections and parts."""
    listed = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
    found: dict[tuple[str, str], str] = {}
    for paragraph in listed.split("\n\n"):
        lines = re.findall(r"^(Package|Source|Section|Description): (\S[^\n]*)", paragraph, flags=re.MULTILINE)
        fields: dict[str, str] = dict(lines)
        if {"Package", "Section", "Description"} <= fields.keys():
            source = fields.get("Source", fields["Package"]).split()[0]
            found.setdefault((source, fields["Description"]), fields["Section"].rpartition("/")[2])
    rows = sorted((source, text, section) for (source, text), section in found.items())
    sources = np.random.default_rng(0).permutation(sorted({source for source, _, _ in rows}))
    is_test = dict(zip(sources.tolist(), (np.arange(len(sources)) < len(sources) / 3).tolist(), strict=True))
    return _drawn([(text, section, "test" if is_test[source] else "train") for source, text, section in rows])


def definitions(wordnet: Path) -> Rows:
    """Return definitions, lexicographer files and parts."""
    rows = sorted({(definition, lexicographer) for definition, lexicographer, _ in _senses(wordnet)})
    is_test = np.random.default_rng(0).random(len(rows)) < 1 / 3
    return _drawn([(*row, "test" if test else "train") for row, test in zip(rows, is_test, strict=True)])


def examples(wordnet: Path) -> Rows:
    """Return pairs of an example and a definition, one pair for each definition."""
    pairs = {definition: example for definition, _, example in _senses(wordnet) if example}
    chosen = np.random.default_rng(0).permutation(sorted(pairs))[:PAIRS]
    return [(pairs[definition], definition) for definition in chosen.tolist()]


def questions(banking: Path) -> Rows:
    """Return questions, intents and parts, of all 77 intents."""
    rows: Rows = []
    for part in ("train", "test"):
        file = banking / f"{part}.csv"
        if not file.exists():
            raise FileNotFoundError(f"{file} does not exist; pass --banking with the folder banking_data of Banking77.")
        with file.open(newline="", encoding="utf-8") as lines:
            rows += [(row["text"].strip(), row["category"], part) for row in csv.DictReader(lines)]
    return _drawn(rows, fewest=1)


def _drawn(rows: Rows, fewest: int = FEWEST) -> Rows:
    """Return as many rows of each part as are used, of classes that are not too small."""
    counts = Counter(label for _, label, _ in rows)
    rows = [row for row in rows if counts[row[1]] >= fewest]
    order = np.random.default_rng(0).permutation(len(rows)).tolist()
    shuffled = [rows[place] for place in order]
    parts = (("train", TRAIN), ("test", TEST))
    return [row for part, count in parts for row in [row for row in shuffled if row[2] == part][:count]]


def _senses(wordnet: Path) -> list[tuple[str, str, str]]:
    """Return the definition, the lexicographer file and the first example, or nothing, of every sense."""
    senses = []
    for kind in ("noun", "verb", "adj", "adv"):
        file = wordnet / f"data.{kind}"
        if not file.exists():
            raise FileNotFoundError(f"{file} does not exist; run apt-get install wordnet-base, or pass --wordnet.")
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("  "):  # the licence
                continue
            facts, _, gloss = line.partition(" | ")
            definition, *rest = gloss.strip().split('; "')
            example = rest[0].partition('"')[0] if rest else ""
            senses.append((definition.strip(), f"{kind}.{facts.split()[1]}", example.strip()))
    return [sense for sense in senses if sense[0]]


def _with_validation(data: Data) -> Data:
    """Return the data with a few training texts as queries of the validation, searched among as many others or more."""
    training, queries = data.with_validation(VALIDATE / len(data.train))
    others = np.random.default_rng(0).permutation(len(training))[: 2 * VALIDATE]
    if are_pairs(data.train.labels):
        others = np.union1d(others, np.flatnonzero(np.isin(training.labels, queries.labels)))
    return replace(data, train=training, validation=(training.take(np.sort(others)), queries))
