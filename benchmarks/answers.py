"""How many answers a person gives until a class is found, by each way of choosing what to ask.

The archive is clips of birds as vectors of BirdNET, of which codes of 64 bytes are made by a coder that is fitted
without labels. Of the species with five recordings or more, 40 are reported, and 40 others are for choosing settings
(`--choosing`); the clips of all others are in both archives, and the coder is fitted to them alone. A simulated person
has one clip of a species, and answers pages of five clips by their labels; after each page the class is learnt again.

It is found once some threshold has a recall and a precision of at least 0.9, over clips that were answered, whose
labels are then known, and clips that were not, which are taken for the class if their score reaches the threshold.

python -m benchmarks.answers birds225_birdnet.npz
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.machine import write_result
from hypertorus.coders.fit import fitted
from hypertorus.report.style import figure, look, save
from hypertorus.search import Index
from hypertorus.workbench import Bands, Items, Learner, choose
from hypertorus.workbench.classifier import Scores

PAGE, MOST = 5, 100
SPECIES, RECORDINGS = 40, 5
BYTES, STEPS = 64, 60
GOAL = 0.9
WAYS = {
    "best first": ("#D55E00", "-"),
    "nearest to the boundary": ("#0072B2", "-"),
    "best and boundary in turns": ("#009E73", "-"),
    "by band of scores": ("#CC79A7", "--"),
    "at random": ("#9a9a9a", "--"),
    "search alone": ("#222222", ":"),
}
Mask = npt.NDArray[np.bool_]


class Archive(NamedTuple):
    """An index of clips, and the species of each."""

    codes: Index
    items: Items
    species: npt.NDArray[np.str_]
    asked: list[str]
    """Species that are looked for."""


def read(path: Path, *, choosing: bool) -> Archive:
    with np.load(path, allow_pickle=False) as arrays:
        paths, vectors = arrays["path"], np.sqrt(np.maximum(arrays["embedding"], 0))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    species = np.array([name.split("/")[0] for name in paths])
    recordings = np.array([name.rsplit("_", 1)[0] for name in paths])
    names = np.unique(species)
    enough = [name for name in names if len(np.unique(recordings[species == name])) >= RECORDINGS]
    drawn = np.random.default_rng(22).permutation(enough)
    asked = drawn[SPECIES : 2 * SPECIES] if choosing else drawn[:SPECIES]
    others = ~np.isin(species, drawn[: 2 * SPECIES])
    coder = fitted(vectors[others].astype(np.float32), BYTES, "torus", steps=STEPS, seed=0)
    kept = others | np.isin(species, asked)
    codes = coder.transform(vectors[kept])
    index = Index(codes.shape[1], bits=4)
    index.add(codes, names=paths[kept].tolist())
    return Archive(index, Items.of(index), species[kept], sorted(asked.tolist()))


def is_found(scores: Scores, truth: Mask, answered: Mask) -> bool:
    """Return whether a threshold for what was not answered reaches the goal, together with what was."""
    order = np.flatnonzero(~answered)[np.argsort(-scores[~answered], kind="stable")]
    yes = truth[answered].sum() + np.concatenate([[0], np.cumsum(truth[order])])
    taken = truth[answered].sum() + np.arange(len(order) + 1)
    return bool(((yes >= GOAL * truth.sum()) & (yes >= GOAL * taken)).any())


def answers_needed(archive: Archive, species: str, way: str) -> int | None:
    """Return how many answers a person gives until the species is found, or None if more than `MOST`."""
    index, items, truth = archive.codes, archive.items, archive.species == species
    learner, answered, pages = Learner(index, items), np.zeros(len(truth), bool), 0
    first = int(np.random.default_rng(sum(species.encode())).choice(np.flatnonzero(truth)))
    said = {items.key(first): "yes"}
    answered[first] = True
    classifier = learner.learn(species, said)
    while True:
        scores = classifier.scores(index)
        if is_found(scores, truth, answered):
            return PAGE * pages
        if PAGE * pages >= MOST:
            return None
        rows = page(way, pages, scores, archive, classifier.boundary, answered, Bands(scores, items, classifier))
        pages += 1
        answered[rows] = True
        said |= {items.key(row): "yes" if truth[row] else "no" for row in rows}
        if way != "search alone":
            classifier = learner.learn(species, said)


def page(
    way: str, number: int, scores: Scores, archive: Archive, boundary: int, answered: Mask, bands: Bands
) -> list[int]:
    """Return the rows of the next page."""
    plain = {"search alone": "best", "best first": "best", "nearest to the boundary": "boundary", "at random": "random"}
    if way == "best and boundary in turns":
        name = ("best", "boundary")[number % 2]
    elif way == "by band of scores":
        edges = [*bands.edges.tolist(), int(scores.max()) + 1]
        rows: list[int] = []
        for low, high in list(itertools.pairwise(edges))[::-1][:PAGE]:
            left_out = np.flatnonzero(answered)
            rows += [one.row for one in choose(scores, archive.items, "band", 1, band=(low, high), leave_out=left_out)]
        return rows
    else:
        name = plain[way]
    chosen = choose(scores, archive.items, name, PAGE, boundary=boundary, leave_out=np.flatnonzero(answered))
    return [one.row for one in chosen]


def measure(archive: Archive) -> dict[str, Any]:
    needed: dict[str, list[int | None]] = {}
    for way in WAYS:
        needed[way] = [answers_needed(archive, species, way) for species in archive.asked]
        print(f"{way:28}", summary(needed[way]), flush=True)
    sizes = [int((archive.species == species).sum()) for species in archive.asked]
    facts = {"clips": len(archive.species), "species": archive.asked, "clips_of_species": sizes}
    return {**facts, "needed": needed, "summary": {way: summary(found) for way, found in needed.items()}}


def summary(needed: list[int | None]) -> dict[str, float | None]:
    """Return the median, None if that is more than `MOST`, and the share of species found after some answers."""
    numbers = np.array([np.inf if number is None else number for number in needed])
    median = float(np.median(numbers))
    shares = {f"found after {count}": round(float((numbers <= count).mean()), 3) for count in (0, 10, 25, 50, 100)}
    return {"median": median if np.isfinite(median) else None, **shares}


def plot(result: dict[str, Any], path: Path) -> None:
    with look():
        fig = figure(6.4, 3.8)
        ax = fig.subplots()
        counts = np.arange(0, MOST + 1, PAGE)
        for way, (colour, line) in WAYS.items():
            numbers = np.array([np.inf if number is None else number for number in result["needed"][way]])
            ax.step(
                counts, [(numbers <= count).mean() for count in counts], line, where="post", color=colour, label=way
            )
        ax.set(xlabel="answers of a person", ylabel="share of species found", ylim=(0, 1), xlim=(0, MOST))
        ax.grid(alpha=0.25)
        fig.legend(*ax.get_legend_handles_labels(), loc="outside right center", frameon=False)
        save(fig, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="vectors of BirdNET with their paths, .npz")
    parser.add_argument("--choosing", action="store_true", help="use the species for choosing settings; keep nothing")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the results")
    options = parser.parse_args()
    if not options.data.is_file():
        print(f"skipped: there is no file {options.data} with vectors of clips.")
        return
    result = measure(read(options.data, choosing=options.choosing))
    if not options.choosing:
        write_result(options.out / "answers.json", f"python -m benchmarks.answers {options.data.name}", result)
        plot(result, options.out / "answers.png")


if __name__ == "__main__":
    main()
