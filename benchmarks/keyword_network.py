"""What a convolutional network costs on microcontrollers: instructions or cycles of a window, flash and RAM.

python -m benchmarks.keyword_network                  # all boards that have a simulator here
python -m benchmarks.keyword_network --record         # and write results/keyword-network.json
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from benchmarks.machine import write_result
from hypertorus.boards import BOARDS
from hypertorus.boards.reference import reference
from hypertorus.boards.trial import trial
from hypertorus.export.firmware import Firmware, firmware
from hypertorus.export.folder import write_firmware
from hypertorus.export.from_model import integer_network_of
from hypertorus.export.known import Known, Labelled
from hypertorus.models import Model
from hypertorus.models.encoders import encoder

PROGRAM = Path(__file__).parents[1] / "examples" / "microcontroller" / "main.c"


class Network(NamedTuple):
    """An encoder for spectrograms of this shape, and the numbers that its head has."""

    encoder: str
    shape: tuple[int, int, int]
    dim: int
    boards: tuple[str, ...]


NETWORKS = (
    Network("keyword:48", (1, 32, 50), 32, ("cortex-m0", "cortex-m3", "cortex-m4", "riscv32")),
    Network("keyword:64", (1, 32, 50), 64, ("cortex-m4",)),
    Network("keyword-1d:24", (1, 12, 25), 32, ("atmega328p", "cortex-m4")),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("build/keyword-network"), help="folder for programs")
    parser.add_argument("--record", action="store_true", help="write results/keyword-network.json")
    options = parser.parse_args()
    usable = [name for name, board in BOARDS.items() if not board.missing_tools()]
    rows = [row(network, name, options.work) for network in NETWORKS for name in network.boards if name in usable]
    for one in rows:
        print("  ".join(f"{name} {value}" for name, value in one.items()))
    if options.record:
        tools = {tool: version for name in usable for tool, version in BOARDS[name].versions().items()}
        command = "python -m benchmarks.keyword_network --record"
        write_result(Path("results/keyword-network.json"), command, {"tools": tools, "runs": rows})


def row(network: Network, name: str, work: Path) -> dict[str, Any]:
    """Return what a window costs on a board; the program is the example's, with start-up, serial port and counting."""
    board = BOARDS[name]
    made, inputs = random_firmware(network, board.target)
    folder = work / f"{network.encoder.replace(':', '-')}-{name}"
    write_firmware(made, folder / "export", force=True)
    done = trial(board, folder / "export", PROGRAM, inputs, work=folder / "work")
    return {
        "encoder": network.encoder,
        "bands": network.shape[1],
        "frames": network.shape[2],
        "numbers": network.dim,
        "board": name,
        "unlike Python": sum(one != other for one, other in zip(done.before, reference(made, inputs), strict=True)),
        "unit": board.unit,
        "a window": round(done.costs["encode"].mean),
        "ms at most": round(1000 * done.costs["encode"].most / board.hertz, 1) if board.hertz else None,
        "constants": made.sizes.constants,
        "machine code, about": made.sizes.code,
        "window and a frame": made.sizes.arrays,
        "program flash": done.flash,
        "program variables": done.variables,
        "program stack": done.stack,
    }


def random_firmware(network: Network, target: str) -> tuple[Firmware, Any]:
    """Return an export of random weights, which cost what trained ones do, with ten classes, and six inputs."""
    torch.manual_seed(0)
    model = Model(encoder(network.encoder, network.shape), network.shape, network.dim, "torusN", head="linear")
    pictures = torch.rand(64, *network.shape)
    model.train().features(pictures)
    inputs = (pictures * 255).round().to(torch.uint8).flatten(1).numpy()
    made = integer_network_of(model.eval(), inputs)
    codes = Labelled(made.encode(inputs), np.arange(len(inputs)) % 10)
    known = Known("random", codes, tuple("0123456789"), 8, network=made)
    return firmware(known, 1, target), inputs[:6]


if __name__ == "__main__":
    main()
