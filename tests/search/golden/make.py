"""Writes the golden indexes of the current format version; run it once when that version is new, and keep the files.

python tests/search/golden/make.py
"""

import json
from pathlib import Path

import numpy as np

from hypertorus.search import Index
from hypertorus.search._file import FORMAT_VERSION

HERE = Path(__file__).parent


def main() -> None:
    write(f"index_v{FORMAT_VERSION}", arranged=False)
    write(f"index_v{FORMAT_VERSION}_cells", arranged=True)
    write(f"index_v{FORMAT_VERSION}_coarse", arranged=False, coarse=True)


def write(name: str, *, arranged: bool, coarse: bool = False) -> None:
    rng = np.random.default_rng(1)
    codes, queries = rng.integers(0, 16, (30, 5)), rng.integers(0, 16, (4, 5))
    index = Index(dim=5, bits=4, metric="l2")
    labels = [("ape", "bee", "cät")[i % 3] for i in range(30)]
    names = [f"{'ü' * (i % 4)}{i}.wav" for i in range(30)]
    index.add(codes, ids=rng.permutation(30) * 10**12, labels=labels, names=names)
    index.remove(index.ids[::7])
    if arranged:
        index.arrange()
        index.remove(index.ids[-1:])
    if coarse:
        index.coarsen(4, 2)
    index.save(HERE / f"{name}.safetensors")
    expected = {
        "codes": index.vectors(index.ids).tolist(),
        "ids": index.ids.tolist(),
        "labels": index.labels.tolist(),
        "names": index.names_of(index.ids).tolist(),
        "queries": queries.tolist(),
        "neighbours": index.search(queries, k=3).ids.tolist(),
        "distances": index.search(queries, k=3).distances.tolist(),
    }
    (HERE / f"{name}.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
