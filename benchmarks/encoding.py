"""What encoding costs: raw numbers to 8-bit torusN codes, beside one `arctan2` of numpy over the same pairs.

python -m benchmarks.encoding [--json results/encoding.json]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from benchmarks.machine import describe, write_result
from hypertorus import TorusN
from hypertorus.codes import GridCodes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the result to this file")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    raw = np.random.default_rng(0).normal(size=(1_000_000, 64)).astype(np.float32)
    grid = GridCodes(TorusN(64), 8)
    angle, encode = np.inf, np.inf
    for _ in range(options.rounds):
        start = time.perf_counter()
        np.arctan2(raw[:, 1::2], raw[:, 0::2])
        middle = time.perf_counter()
        grid.encode(raw)
        angle, encode = min(angle, middle - start), min(encode, time.perf_counter() - middle)
    print(f"{describe()}\n\n1,000,000 x 64 float32 to 8-bit torusN codes, best of {options.rounds}")
    print(f"numpy arctan2 {angle:.2f} s, encode {encode:.2f} s: {encode / angle:.2f} times")
    if options.json:
        result = {"arctan2_seconds": angle, "encode_seconds": encode, "ratio": encode / angle}
        write_result(options.json, "python -m benchmarks.encoding", result)


if __name__ == "__main__":
    main()
