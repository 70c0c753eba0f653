"""The third experiment: species are kept apart, the demo runs from the command to the figure, claims are judged."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from hypertorus.datasets import InMemory
from hypertorus.datasets.chirps import write_chirps
from hypertorus.paper.all_figures import FIGURES
from hypertorus.paper.claims import BIRDSONG_CLAIMS, FAILS, HOLDS, OPEN, findings
from hypertorus.paper.experiments import experiment as running
from hypertorus.paper.experiments.birdsong.baselines import standardised, statistics
from hypertorus.paper.experiments.birdsong.clips import Source
from hypertorus.paper.experiments.birdsong.measure import keys_of, measurements
from hypertorus.paper.experiments.birdsong.run import BirdsongExperiment
from hypertorus.paper.experiments.birdsong.scales import (
    AS_THEY_ARE,
    DEMO,
    EMBEDDED,
    FULL,
    RECORDINGS,
    SCALES,
    SMALL,
    TEST_SETS,
)
from hypertorus.paper.experiments.birdsong.species import UNSEEN, split_species
from hypertorus.paper.experiments.grid import END_TO_END, HEAD, SOFT, Case
from hypertorus.report.style import COLOURS


def clips_of(species, recordings, clips=2):
    """So many clips of so many recordings of each species."""
    labels = torch.arange(species).repeat_interleave(recordings * clips)
    return InMemory(torch.rand(len(labels), 4), labels, torch.arange(species * recordings).repeat_interleave(clips))


def species_of(part):
    return set(part.labels.tolist())


def test_no_species_is_both_learned_and_tested():
    clips = clips_of(30, recordings=7)
    parts = split_species(clips, candidates=24, unseen=10, choosing=5, shots=5, seed=0)
    tested = parts.tests[UNSEEN]
    chosen_by = species_of(parts.choosing[0]) | species_of(parts.choosing[1])
    assert len(species_of(tested)) == 10
    assert len(chosen_by) == 5
    assert not species_of(tested) & chosen_by
    assert species_of(parts.train) == set(range(30)) - species_of(tested) - chosen_by
    assert species_of(parts.familiar) <= species_of(parts.train)
    assert max(species_of(tested) | chosen_by) < 24
    whole = [parts.train, parts.familiar, *parts.choosing, tested]
    assert sum(map(len, whole)) == len(clips)


def test_no_recording_is_in_two_parts():
    parts = split_species(clips_of(30, recordings=7), candidates=30, unseen=10, choosing=5, shots=5, seed=0)
    groups = [set(part.groups.tolist()) for part in (parts.train, parts.familiar, *parts.choosing)]
    assert sum(map(len, groups)) == len(set.union(*groups))
    assert len(groups[1]) == 5


def test_a_seed_draws_other_species():
    drawn = [
        species_of(split_species(clips_of(30, 7), 30, unseen=10, choosing=5, shots=5, seed=seed).tests[UNSEEN])
        for seed in (0, 0, 1)
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_too_few_recordings_are_named():
    with pytest.raises(ValueError, match="0 species have enough recordings, but 10 are needed"):
        split_species(clips_of(30, recordings=5), 30, unseen=10, choosing=5, shots=5, seed=0)


def test_statistics_know_the_voice_and_not_the_song():
    spectrograms = torch.rand(6, 1, 16, 20)

    class Shuffled(InMemory):
        def __getitems__(self, rows):
            return spectrograms[list(rows)][..., torch.randperm(20)]

    part = Shuffled(torch.zeros(6, 1), torch.zeros(6, dtype=torch.int64))
    np.testing.assert_allclose(statistics(part), statistics(part), atol=1e-6)
    assert statistics(part).shape == (6, 32)
    known = np.random.default_rng(0).normal(3, 5, size=(1000, 2))
    np.testing.assert_allclose(standardised(known, known).std(axis=0), 1, atol=1e-4)


def test_every_kind_of_training_has_a_panel_and_what_there_was_before_it():
    rows = [{**row, "bits_per_vector": 64} for row in rows_with(lambda row: row["dim"] / 2000)]
    axes = FIGURES["birdsong-codes"].draw(SimpleNamespace(table=rows)).axes
    titles = {ax.get_title() for ax in axes}
    assert titles == {f"{EMBEDDED}, heads", f"{RECORDINGS}, heads on bands", f"{RECORDINGS}, from scratch"}
    before = {
        ax.get_title(): line.get_ydata()[0]
        for ax in axes
        for line in ax.lines
        if str(line.get_label()).startswith("without")
    }
    assert before == {title: 1024 / 2000 if EMBEDDED in title else 256 / 2000 for title in titles}


def test_the_chart_of_codes_shows_prototypes_that_keep_their_lengths():
    rows = [{**row, "bits_per_vector": 64} for row in rows_with(lambda row: row["quantiser"].endswith("-lengths"))]
    for ax in FIGURES["birdsong-codes"].draw(SimpleNamespace(table=rows)).axes:
        marks = [line for line in ax.lines if line.get_marker() in ("o", "s", "^") and len(line.get_xdata())]
        drawn = {(line.get_color(), float(line.get_ydata()[0])) for line in marks}
        assert drawn == {(COLOURS[space], float(space != "sphere")) for space in ("sphere", "torusN", "torusC", SOFT)}


def test_a_failed_run_is_rows_that_say_so(tmp_path, monkeypatch):
    def diverge(*_, **__):
        raise running.TrainingError("The loss is NaN.")

    monkeypatch.setattr(running, "run_training", diverge)
    experiment = BirdsongExperiment(DEMO, tmp_path)
    experiment.run(DEMO.cases[:1])
    assert {row["status"] for row in experiment.table} == {"The loss is NaN."}
    with pytest.raises(ValueError, match="no successful run to draw"):
        FIGURES["birdsong"].draw(experiment)


def test_scales_have_every_cell():
    for scale in SCALES.values():
        for case in scale.cases:
            if case.trained not in AS_THEY_ARE:
                scale.settings(case)
    trained = [case for case in SMALL.cases if case.trained not in AS_THEY_ARE]
    assert len(trained) == len(set(trained)) == 3 * 4 * 4 * 3
    assert {case.koleo for case in trained} == {0}
    assert len(FULL.cases) == 4 * 4


def test_missing_data_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="birds225 does not exist"):
        BirdsongExperiment(SMALL, tmp_path, tmp_path).run(
            [Case("birds225+birds6", "statistics", "sphere", 256, 0.0, 0)]
        )


def test_features_of_a_file_are_split_by_species_and_recording(tmp_path):
    paths = [f"{species}/{species}{take}_{clip}.ogg" for species in "abcdef" for take in range(7) for clip in range(2)]
    np.savez(tmp_path / "features.npz", path=paths, embedding=np.random.default_rng(0).normal(size=(84, 8)))
    source = Source("features.npz", tmp_path, tmp_path, ())
    parts = source.parts(replace(SMALL, unseen=2, choosing=1), seed=0)
    assert source.clips.classes == tuple("abcdef")
    assert len(parts.tests[UNSEEN]) == 28
    assert len(parts.tests[UNSEEN].groups.unique()) == 14
    training = {HEAD: {**SMALL.training[HEAD], "epochs": 1}}
    scale = replace(SMALL, unseen=2, choosing=1, shots=(1,), ways=(2,), training=training)
    experiment = BirdsongExperiment(scale, tmp_path / "out", tmp_path)
    experiment.run(
        [Case("features.npz", "head", "torusN", 8, 0.0, 0), Case("features.npz", "features", "sphere", 8, 0.0, 0)]
    )
    grids = ["8bit", "4bit", "2bit"]
    assert [row["quantiser"] for row in experiment.table] == ["none", *grids, *(f"{g}-lengths" for g in grids), "none"]


def test_the_full_scale_reads_the_published_sets_and_trains_on_them(tmp_path):
    for place in ("xeno-canto", *TEST_SETS.values()):
        write_chirps(tmp_path / "wav" / place, species=3, recordings=4, seed=len(place))
        for file in (tmp_path / "wav" / place).rglob("*.wav"):
            wave = torch.from_numpy(_read(file))
            target = tmp_path / place / file.parent.name / f"{file.stem}.pt"
            target.parent.mkdir(parents=True, exist_ok=True)
            torch.save(wave, target)
    files = sorted((tmp_path / "wav" / "peru").rglob("*.wav"))
    torch.save(
        {
            "data": torch.stack([torch.from_numpy(_read(file)) for file in files]),
            "label": [f.parent.name for f in files],
        },
        tmp_path / "pow.pt",
    )
    few = replace(
        FULL,
        training={END_TO_END: {**FULL.training[END_TO_END], "encoder": "small-audio:8", "epochs": 1, "batch": 4}},
        sound={"seconds": 1.5},
        shots=(1,),
        ways=(None,),
        choosing=2,
    )
    experiment = BirdsongExperiment(few, tmp_path / "out", tmp_path)
    experiment.run([next(case for case in few.cases if case.space == "torusN")])
    assert [row["test"] for row in experiment.table if row["quantiser"] == "none"] == list(TEST_SETS)


def _read(file):
    import soundfile

    return soundfile.read(file, dtype="float32")[0]


def rows_with(accuracy):
    """A whole grid whose accuracy is a function of a row."""
    rows = []
    for case in SMALL.cases:
        for asked in measurements(SMALL, codes=case.trained not in AS_THEY_ARE, torus=case.space != "sphere"):
            row = {**vars(case), **keys_of(UNSEEN, *asked), "status": "ok", "chance": 0.2}
            rows.append({**row, "accuracy": accuracy(row)})
    return rows


def test_claims_hold_where_they_hold():
    def as_claimed(row):
        if row["trained"] in AS_THEY_ARE:
            return 0.5
        ahead = {16: 0.01, 32: 0.005, 64: 0, 128: -0.01}[row["dim"]] * (row["space"] == "torusN")
        ahead += 0.015 * (row["space"] == SOFT)
        ahead += 0.001 * row["quantiser"].endswith("-lengths")
        return 0.9 - row["dim"] / 2000 + ahead + 0.001 * row["seed"]

    found = {f.claim: f.verdict for each in findings(rows_with(as_claimed), BIRDSONG_CLAIMS).values() for f in each}
    assert set(found.values()) == {HOLDS}


def test_claims_fail_where_the_opposite_is_measured():
    def otherwise(row):
        if row["trained"] in AS_THEY_ARE:
            return 0.95
        ahead = {16: -0.1, 32: -0.1, 64: 0, 128: 0.3}[row["dim"]] * (row["space"] == "torusN")
        ahead -= 0.3 * (row["space"] == SOFT)
        cost = 0.0 if row["quantiser"] == "none" else 0.2 + 0.1 * row["quantiser"].endswith("-lengths")
        return 0.5 + row["dim"] / 2000 + ahead - cost - 0.1 * (row["space"] == "torusC") + 0.001 * row["seed"]

    found = {f.claim: f.verdict for each in findings(rows_with(otherwise), BIRDSONG_CLAIMS).values() for f in each}
    assert {claim[:12] for claim, verdict in found.items() if verdict != FAILS} == {"Sphere and t"}
    assert {f.verdict for each in findings([], BIRDSONG_CLAIMS).values() for f in each} == {OPEN}
