"""Writes the golden index of the current format version; run it once when that version is new, and keep the file.

python tests/search/golden/make.py
"""

import json
from pathlib import Path

import numpy as np

from hypertorus.search import Index
from hypertorus.search._file import FORMAT_VERSION

HERE = Path(__file__).parent


def main() -> None:
    rng = np.random.default_rng(1)
    codes, queries = rng.integers(0, 16, (30, 5)), rng.integers(0, 16, (4, 5))
    index = Index(dim=5, bits=4, metric="l2")
    labels = [("ape", "bee", "cät")[i % 3] for i in range(30)]
    names = [f"{'ü' * (i % 4)}{i}.wav" for i in range(30)]
    index.add(codes, ids=rng.permutation(30) * 10**12, labels=labels, names=names)
    index.remove(index.ids[::7])
    index.save(HERE / f"index_v{FORMAT_VERSION}.safetensors")
    kept = np.arange(30) % 7 != 0
    expected = {
        "codes": codes[kept].tolist(),
        "ids": index.ids.tolist(),
        "labels": index.labels.tolist(),
        "names": index.names_of(index.ids).tolist(),
        "queries": queries.tolist(),
        "neighbours": index.search(queries, k=3).ids.tolist(),
        "distances": index.search(queries, k=3).distances.tolist(),
    }
    (HERE / f"index_v{FORMAT_VERSION}.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
