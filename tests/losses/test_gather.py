"""Two real processes against one that holds the whole batch."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from hypertorus.losses import gathered, world_size

SCRIPT = Path(__file__).parent / "one_rank.py"


@pytest.fixture(scope="module")
def two_ranks(tmp_path_factory):
    folder, environment = tmp_path_factory.mktemp("ranks"), os.environ | {"GLOO_SOCKET_IFNAME": "lo"}
    ranks = [subprocess.Popen([sys.executable, SCRIPT, str(rank), "2", folder], env=environment) for rank in range(2)]
    try:
        assert [rank.wait(timeout=120) for rank in ranks] == [0, 0]
    finally:
        for rank in ranks:
            rank.kill()
    return [torch.load(folder / f"{rank}.pt", weights_only=True) for rank in range(2)]


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_two_processes_take_the_step_of_one_on_the_whole_batch(two_ranks, name):
    one = runpy.run_path(str(SCRIPT))["step"](name, rank=0, world=1)
    assert max(grad.abs().max() for grad in one["grads"].values()) > 1e-3
    for rank in two_ranks:
        torch.testing.assert_close(rank[name], one, rtol=1e-9, atol=1e-9)


def test_a_single_process_gathers_what_it_has():
    points = torch.randn(4, 8, requires_grad=True)
    assert gathered(points) is points
    assert world_size() == 1
