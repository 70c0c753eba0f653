"""How well classes that are learnt from five examples are told apart on recordings that were never heard before.

The clips are birds as vectors of BirdNET. Of the species with six recordings or more, one half is reported, and the
other half is for choosing settings (`--choosing`). The model, a linear head of 128 raw numbers on the square roots of
the vectors with codes of 64 bytes, is trained on all other species. In each of 40 draws, half of the species are shown,
five clips of five recordings each, as `hypertorus learn` learns them. Clips of their other recordings are to be named,
and those of the species that were not shown are to be none of these. No recording is both example and query.

python -m benchmarks.learn birds225_birdnet.npz [--json results/learn.json]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.machine import write_result
from hypertorus.classes import Classes
from hypertorus.codes.protocol import Codes
from hypertorus.embeddings import Embeddings
from hypertorus.paper.experiments.birdsong.scales import LINEAR
from hypertorus.training import train
from hypertorus.workbench.left_out import skill_of

EXAMPLES, DRAWS, DIM = 5, 40, 128
THRESHOLDS = (0.0, 0.5, 0.7, 0.9)
"""Least score that is reported, as `hypertorus detect --threshold`; 0.5 is its default."""


class Clips(NamedTuple):
    """Codes of clips, with the species and the recording of each."""

    codes: Codes
    species: npt.NDArray[np.str_]
    recordings: npt.NDArray[np.str_]


def read(path: Path, *, choosing: bool) -> Clips:
    """Return the clips of one half of the species, as codes of a model that was trained on none of either half."""
    with np.load(path, allow_pickle=False) as arrays:
        paths, vectors = arrays["path"], arrays["embedding"]
    species = np.array([name.split("/")[0] for name in paths])
    recordings = np.array([name.rsplit("_", 1)[0] for name in paths])
    enough = [name for name in np.unique(species) if len(np.unique(recordings[species == name])) > EXAMPLES]
    halves = np.array_split(np.random.default_rng(22).permutation(enough), 2)
    others, asked = ~np.isin(species, enough), np.isin(species, halves[choosing])
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "others.npz")
        np.savez(place, path=paths[others], embedding=vectors[others])
        settings: dict[str, Any] = {"encoder": "root", "dim": DIM, "validation": None, **LINEAR}
        model = train(place, Path(folder, "model"), show=False, **settings)
        codes = model.encode(vectors[asked])
    return Clips(codes, species[asked], recordings[asked])


def measure(clips: Clips) -> dict[str, Any]:
    rows: dict[float, list[list[float]]] = {threshold: [] for threshold in THRESHOLDS}
    areas = []
    for draw in range(DRAWS):
        rng = np.random.default_rng(draw)
        species = rng.permutation(np.unique(clips.species))
        shown = np.sort(species[: len(species) // 2])
        examples = np.concatenate([drawn(clips, name, rng) for name in shown])
        known = np.isin(clips.species, shown) & ~np.isin(clips.recordings, clips.recordings[examples])
        unknown = ~np.isin(clips.species, shown)
        labels = np.searchsorted(shown, clips.species[examples])
        classes = tuple(map(str, shown))
        guide = Classes(Embeddings(clips.codes[examples], "codes", "torusN", labels=labels, classes=classes))
        judged = guide.judge(clips.codes[known | unknown])
        is_known, truth = known[known | unknown], clips.species[known | unknown]
        areas.append(skill_of(-judged.distances, is_known).auc)
        for threshold in THRESHOLDS:
            said = np.where(judged.shares >= threshold, judged.classes, -1)
            right = np.array([guide.name(number) for number in said]) == truth
            named = said >= 0
            rows[threshold].append(
                [
                    right[is_known].mean(),
                    right[is_known & named].mean(),
                    named[is_known].mean(),
                    named[~is_known].mean(),
                ]
            )
    names = ("named_rightly", "right_of_those_named", "named", "named_though_never_shown")
    means = {
        str(threshold): dict(zip(names, np.mean(of, axis=0).round(3).tolist(), strict=True))
        for threshold, of in rows.items()
    }
    for each in means.values():
        each["balanced_accuracy"] = round((each["named_rightly"] + 1 - each["named_though_never_shown"]) / 2, 3)
    return {
        "clips": len(clips.species),
        "species": np.unique(clips.species).tolist(),
        "classes": len(shown),
        "draws": DRAWS,
        "auc_shown_or_not": round(float(np.mean(areas)), 3),
        "by_threshold": means,
    }


def drawn(clips: Clips, name: str, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a clip of each of five recordings of a species."""
    own = np.flatnonzero(clips.species == name)
    chosen = rng.permutation(np.unique(clips.recordings[own]))[:EXAMPLES]
    return np.array([rng.choice(own[clips.recordings[own] == recording]) for recording in chosen])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="vectors of BirdNET with their paths, .npz")
    parser.add_argument("--choosing", action="store_true", help="use the species for choosing settings; keep nothing")
    parser.add_argument("--json", type=Path, help="write the result to this file")
    options = parser.parse_args()
    if not options.data.is_file():
        print(f"skipped: there is no file {options.data} with vectors of clips.")
        return
    result = measure(read(options.data, choosing=options.choosing))
    print({name: value for name, value in result.items() if name != "species"})
    if options.json and not options.choosing:
        write_result(options.json, f"python -m benchmarks.learn {options.data.name}", result)


if __name__ == "__main__":
    main()
