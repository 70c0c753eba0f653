"""The database of codes for perch-hoplite, by its own interface and against hoplite's own database."""

import sqlite3
import unittest

import numpy as np
import pytest

pytest.importorskip("perch_hoplite", reason="needs perch_hoplite; run: make setup-engines")

from ml_collections import config_dict
from perch_hoplite.db import datatypes, sqlite_usearch_impl
from perch_hoplite.db.sqlite_usearch_impl import SQLiteUSearchDB, get_default_usearch_config

import hypertorus as ht
from hypertorus.integrations.hoplite import CodesDB, convert

WINDOWS, NUMBERS = 200, 32


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(0)
    return (rng.normal(size=(WINDOWS, 8)) @ rng.normal(size=(8, NUMBERS))).astype(np.float32)


@pytest.fixture(scope="module")
def coder(vectors):
    return ht.codes_for(vectors, bytes=16, steps=10)


def fill(database, vectors):
    site = database.insert_deployment(name="pond", project="frogs")
    recordings = [database.insert_recording(filename=f"{n}.wav", deployment_id=site) for n in range(2)]
    windows = [{"recording_id": recordings[n % 2], "offsets": [n, n + 5.0]} for n in range(len(vectors))]
    ids = database.insert_windows_batch(windows, vectors, handle_duplicates="allow")
    database.insert_annotation(recordings[0], [0.0, 5.0], "toad", datatypes.LabelType.POSITIVE, "me")
    database.commit()
    return list(ids)


def nearest(database, query, k=5, **options):
    return [int(result.window_id) for result in database.search(query, k, **options)]


@pytest.mark.parametrize("bits", [8, 4, 2])
def test_windows_of_a_torus_model_are_searched_as_by_the_index(tmp_path, vectors, bits):
    database = CodesDB.create(tmp_path / "db", embedding_dim=NUMBERS, bits=bits)
    ids = fill(database, vectors)
    torus = ht.TorusN(NUMBERS)
    index = ht.Index(NUMBERS // 2, bits)
    index.add(torus.turns(vectors), ids=ids)
    for query in vectors[:5] + np.float32(0.1):
        assert set(nearest(database, query)) == set(index.search(torus.turns(query[None]), k=5).ids[0])
    arc = np.pi / 2**bits
    cosines = (database.get_embeddings_batch(ids) * torus.project(vectors)).sum(axis=1)
    assert cosines.min() > np.cos(arc) - 2e-3
    best = next(iter(database.search(database.get_embedding(ids[7]), 3)))
    assert best.window_id == ids[7]
    assert best.sort_score == pytest.approx(1, abs=2e-3)


def test_any_vectors_are_searched_by_a_coder(tmp_path, vectors, coder):
    database = CodesDB.create(tmp_path / "db", coder=coder)
    ids = fill(database, vectors)
    wanted = coder.search(coder.index(vectors, ids=ids), vectors[:5], k=5).ids
    for query, want in zip(vectors[:5], wanted, strict=True):
        assert set(nearest(database, query, score_fn_name="cos")) == set(want)
    assert nearest(database, vectors[9], k=1, approximate=False) == [ids[9]]
    assert len(nearest(database, vectors[0], approximate=False, target_score=0.5, score_fn_name="cos")) == 5
    with pytest.raises(ValueError, match="does not support target_score"):
        database.search(vectors[0], 5, target_score=0.5)


def test_floats_are_kept_and_order_what_codes_find(tmp_path, vectors, coder):
    database = CodesDB.create(tmp_path / "db", coder=coder, floats=True)
    ids = fill(database, vectors)
    np.testing.assert_array_equal(database.get_embeddings_batch(ids), vectors.astype(np.float16))
    exact = np.argsort(-(vectors.astype(np.float16) @ vectors[3]))[:5]
    assert nearest(database, vectors[3]) == [ids[row] for row in exact]
    assert nearest(database, vectors[3], approximate=False) == [ids[row] for row in exact]
    database.remove_window(ids[exact[0]])
    assert ids[exact[0]] not in nearest(database, vectors[3])
    with pytest.raises(KeyError):
        database.get_embedding(ids[exact[0]])


def test_what_was_committed_is_there_again_and_what_was_not_is_gone(tmp_path, vectors):
    database = CodesDB.create(tmp_path / "db", embedding_dim=NUMBERS, bits=4, floats=False)
    ids = fill(database, vectors)
    recording = database.insert_recording(filename="late.wav")
    late = database.insert_window(recording, [0.0, 5.0], vectors[0])
    database.remove_window(ids[0])
    assert database.count_embeddings() == WINDOWS
    assert CodesDB.create(tmp_path / "db").count_embeddings() == WINDOWS
    database.rollback()
    assert database.count_embeddings() == WINDOWS
    np.testing.assert_array_equal(database.get_embedding(ids[0]), CodesDB.create(tmp_path / "db").get_embedding(ids[0]))
    with pytest.raises(KeyError):
        database.get_embedding(late)
    database.remove_recording(1)
    database.commit()
    again = database.thread_split()
    assert again.count_embeddings() == len(again.match_window_ids()) == WINDOWS // 2


def test_readonly_reads_and_does_not_write(tmp_path, vectors):
    with pytest.raises(FileNotFoundError, match="leave readonly out"):
        CodesDB.create(tmp_path / "db", readonly=True)
    fill(CodesDB.create(tmp_path / "db", embedding_dim=NUMBERS), vectors)
    database = CodesDB.create(tmp_path / "db", readonly=True)
    assert len(nearest(database, vectors[0])) == 5
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        database.insert_deployment(name="other", project="frogs")


@pytest.mark.parametrize("floats", [False, True])
def test_a_database_is_converted_with_all_it_has(tmp_path, vectors, coder, floats):
    before = SQLiteUSearchDB.create(str(tmp_path / "before"), get_default_usearch_config(NUMBERS))
    ids = fill(before, vectors)
    bare = before.insert_window(1, [900.0, 905.0])  # without an embedding
    before.commit()
    seen = []
    options = {"coder": coder, "floats": floats, "progress": lambda *counts: seen.append(counts)}
    after = convert(tmp_path / "before", tmp_path / "after", **options)
    assert seen[-1] == (WINDOWS, WINDOWS)
    assert sorted(after.match_window_ids()) == sorted(before.match_window_ids()) == [*ids, bare]
    assert after.count_embeddings() == WINDOWS
    toads = config_dict.create(eq={"label": "toad"})
    assert after.match_window_ids(annotations_filter=toads) == before.match_window_ids(annotations_filter=toads)
    assert after.get_all_recordings() == before.get_all_recordings()
    cosines = [
        np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b)
        for a, b in zip(after.get_embeddings_batch(ids).astype(float), vectors, strict=True)
    ]
    assert np.mean(cosines) > 0.95
    assert not list(tmp_path.glob("*.partial"))
    assert before.count_embeddings() == WINDOWS


def test_a_conversion_fits_a_coder_of_its_own(tmp_path, vectors):
    before = SQLiteUSearchDB.create(str(tmp_path / "before"), get_default_usearch_config(NUMBERS))
    fill(before, vectors)
    after = convert(tmp_path / "before", tmp_path / "after", bytes=8, steps=5)
    assert after.ui.codec.coder.bytes == 8
    torus = convert(tmp_path / "before", tmp_path / "torus", torus_bits=4)
    assert torus.ui.index.bits == 4


def test_what_cannot_be_is_refused_in_a_sentence(tmp_path, coder):
    with pytest.raises(ValueError, match="needs embedding_dim or a coder"):
        CodesDB.create(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    CodesDB.create(tmp_path / "db", embedding_dim=NUMBERS, bits=4)
    with pytest.raises(ValueError, match=r"bits is 8, but the database in .* has 4"):
        CodesDB.create(tmp_path / "db", bits=8)
    with pytest.raises(ValueError, match="coder is"):
        CodesDB.create(tmp_path / "db", coder=coder)
    with pytest.raises(ValueError, match="the coder is of 32 numbers, but embeddings have 64"):
        CodesDB.create(tmp_path / "wide", get_default_usearch_config(64), coder=coder)
    before = SQLiteUSearchDB.create(str(tmp_path / "before"), get_default_usearch_config(NUMBERS))
    before.commit()
    with pytest.raises(ValueError, match="holds float16 vectors; make codes of them with convert"):
        CodesDB.create(tmp_path / "before")
    with pytest.raises(ValueError, match="has no embeddings"):
        convert(tmp_path / "before", tmp_path / "after", coder=coder)
    assert not (tmp_path / "after").exists()
    with pytest.raises(FileExistsError, match="exists already"):
        convert(tmp_path / "before", tmp_path / "db", coder=coder)
    with pytest.raises(ValueError, match="both given"):
        convert(tmp_path / "before", tmp_path / "after", coder=coder, torus_bits=8)


@pytest.mark.parametrize(
    "floats, module, test",
    [
        (False, "search_test", "SearchTest.test_exact_search1"),
        (False, "search_test", "SearchTest.test_target_score_search1"),
        (False, "search_test", "SearchTest.test_sqlite_approximate_search"),
        (True, "hoplite_test", "HopliteTest.test_labels_db_interface1"),
    ],
)
def test_some_of_hoplites_own_tests_pass(monkeypatch, floats, module, test):
    class Ours(CodesDB):
        @classmethod
        def create(cls, db_path, usearch_cfg=None, readonly=False, **options):  # noqa: FBT002
            return super().create(db_path, usearch_cfg, readonly, **{"floats": floats, **options})

    monkeypatch.setattr(sqlite_usearch_impl, "SQLiteUSearchDB", Ours)
    name = f"perch_hoplite.db.tests.{module}.{test}"
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromName(name).run(result)
    assert result.testsRun == 1
    assert not result.errors + result.failures, (result.errors + result.failures)[0][1]
