"""A fuzzer for the reader of index files: whatever the bytes, it is IndexFileError or the very same index.

python tests/search/fuzz_file.py --seconds 600 --seed 1
"""

import argparse
import json
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np

from hypertorus.files.tensors import TensorFile
from hypertorus.search import Index, IndexFileError
from hypertorus.search._file import header_checksum

ODD_VALUES = [0, 1, -1, 3, 2**31, 2**63, 2**64, 10**30, 1.5, True, None, "", "0", "-1", "3", "1e3", "9" * 5000, [], {}]
ODD_VALUES += [[0], [-1], [0, 2**62], [2**40, 2**40], "[" * 2000, '["a"]', "U8", "I64", "BF16", "l1", "\ud800", "true"]


def make_index(rng):
    index = Index(int(rng.integers(1, 30)), int(rng.choice([8, 4, 2, 1])), str(rng.choice(["l1", "l2", "cosine"])))
    n = int(rng.integers(1, 40))
    labels = [None, rng.integers(-5, 5, n), rng.choice(["a", "b"], n)][rng.integers(3)]
    names = [None, rng.choice(["", "c", "dé"], n)][rng.integers(2)]
    codes = rng.integers(0, 2**index.bits, (n, index.dim))
    index.add(codes, ids=rng.permutation(5 * n)[:n], labels=labels, names=names)
    if rng.random() < 0.5:
        index.arrange(int(rng.integers(1, 9)))
        index.remove(index.ids[: rng.integers(0, len(index))])
    return index


def mutate(data, rng):
    """Some damage; and whether it may pass for a sound file because the checksums were made to fit."""
    kind = rng.integers(6)
    data = bytearray(data)
    if kind == 0:
        for _ in range(rng.integers(1, 4)):
            data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    elif kind == 1:
        del data[rng.integers(len(data)) :]
    elif kind == 2:
        at = rng.integers(len(data))
        data[at:at] = rng.bytes(rng.integers(1, 100))
    elif kind == 3:
        at, size = rng.integers(len(data)), rng.integers(1, 64)
        data[at : at + size] = rng.bytes(size)
    elif kind == 4:
        data[:8] = int(rng.choice([0, 1, 2, 7, 2**20, 2**40, 2**63 - 1])).to_bytes(8, "little")
    else:
        return edit_header(data, rng), True
    return bytes(data), False


def edit_header(data, rng):
    """A header that says something else, with checksums that fit, so that the checks behind them are reached."""
    length = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    owner = header[rng.choice(list(header))]
    key = rng.choice(list(owner))
    if rng.random() < 0.2:
        del owner[key]
    else:
        value = ODD_VALUES[rng.integers(len(ODD_VALUES))]
        owner[key] = str(value) if owner is header["__metadata__"] and rng.random() < 0.7 else value
    if rng.random() < 0.3:
        body[rng.integers(len(body))] ^= 1 << rng.integers(8)
        refresh_checksums(header, body)
    if isinstance(header.get("__metadata__"), dict):
        header["__metadata__"]["checksum.header"] = header_checksum(header)
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % int(rng.choice([8, 64, 64, 64])))
    return len(text).to_bytes(8, "little") + text + bytes(body)


def refresh_checksums(header, body):
    for name, entry in header.items():
        try:
            begin, end = entry["data_offsets"]
            header["__metadata__"][f"checksum.{name}"] = f"{zlib.crc32(body[begin:end]):08x}"
        except (KeyError, TypeError, ValueError):
            continue


def use(index):
    """Everything that reads the arrays, so that a wrong size would be met."""
    queries = np.zeros((2, index.dim), np.uint8)
    found = index.search(queries, k=3, threads=1)
    ids, vectors = index.ids.tolist(), index.vectors(index.ids).tolist()
    labels = None if index.labels is None else index.labels.tolist()
    names = index.names_of(ids).tolist() if index.has_names else None
    neighbours = found.ids.tolist(), found.distances.tolist()
    return index.dim, index.bits, index.metric, ids, vectors, labels, names, neighbours


def read(path):
    """What is in the file, or why nothing is."""
    try:
        return use(Index.open(path)), ""
    except IndexFileError as error:
        return None, str(error)


def fuzz(seconds, seed, folder):
    """How many damaged files were tried, and how many of them were refused."""
    rng = np.random.default_rng(seed)
    tried = refused = 0
    end = time.monotonic() + seconds
    path = folder / "index.safetensors"
    while time.monotonic() < end:
        index = make_index(rng)
        index.save(path)
        whole, want = path.read_bytes(), use(index)
        assert use(Index.open(path)) == want
        TensorFile(path)
        for _ in range(50):
            damaged, forged = mutate(whole, rng)
            path.write_bytes(damaged)
            tried += 1
            found, sentence = read(path)
            refused += found is None
            assert len(sentence) < 600, sentence
            assert found is None or forged or found == want, f"seed {seed}: damage was taken for another index"
    return tried, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tried, refused = fuzz(arguments.seconds, arguments.seed, Path(folder))
    print(f"seed {arguments.seed}: {tried} damaged files, {refused} refused, the rest read as they should")  # noqa: T201


if __name__ == "__main__":
    main()
