from dataclasses import replace

import numpy as np
import pytest

from hypertorus.paper.all_experiments import experiment
from hypertorus.paper.claims.soft import best_at_bytes
from hypertorus.paper.experiments.grid import NESTED, SOFT
from hypertorus.paper.experiments.text.run import TextExperiment
from hypertorus.paper.experiments.text.scales import PACKAGES, SMALL


def test_every_space_and_a_nested_model_are_compared_on_vectors_of_sentences(tmp_path):
    rng, labels = np.random.default_rng(0), np.arange(400) % 4
    vectors = rng.normal(size=(4, 12))[labels] + 0.5 * rng.normal(size=(400, 12))
    parts = {"train": vectors[:300], "train_labels": labels[:300], "test": vectors[300:], "test_labels": labels[300:]}
    np.savez(tmp_path / PACKAGES, **parts)
    cases = [case for case in SMALL.cases if case.seed == 0 and case.dim == 256 and case.space in ("sphere", NESTED)]
    scale = replace(SMALL, training={"head": {"encoder": "none", "epochs": 1}})
    trial = TextExperiment(scale, tmp_path / "out", tmp_path)
    trial.run(cases)
    cuts = {row["quantiser"]: row for row in trial.table if row["space"] == NESTED and "first" in row["quantiser"]}
    assert cuts["2bit-first16"]["bits_per_vector"] == 32
    assert cuts["2bit-first16"]["precision_at_1"] > 0.5
    for size in (4, 8, 16, 32, 64):
        assert len(best_at_bytes(trial.table, (NESTED,), size)) == 1


def test_its_grid_has_every_space_at_every_size():
    shapes = {(case.space, case.dim) for case in SMALL.cases}
    assert {(SOFT, dim) for dim in (16, 32, 64, 128, 256)} | {("sphere", 256), ("torusN", 16), (NESTED, 256)} <= shapes


def test_a_missing_file_is_named_with_the_option_that_finds_it(tmp_path):
    trial = experiment("text", "small", tmp_path, tmp_path)
    with pytest.raises(FileNotFoundError, match=r"packages_minilm\.npz does not exist; .*--data-folder"):
        trial.inputs(SMALL.cases[0])
