"""faiss: what its own file holds, where Hamming is already exact, and what the view is worth."""

import faiss
import numpy as np
import pytest

import hypertorus as ht
from hypertorus.engines.faiss_binary import FaissCells, FaissFlat, FaissGraph
from hypertorus.search import nearest


@pytest.mark.parametrize("bits", [1, 2])
def test_flat_is_exact_l1_at_one_and_two_bits_without_more_candidates(bits, make_codes):
    codes, queries = make_codes(bits=bits)
    found = FaissFlat.build(codes, bits=bits, metric="l1", threads=1).search(queries, 10, effort=10)
    np.testing.assert_array_equal(found.distances, nearest(codes, queries, 10, "l1", bits).distances)


@pytest.mark.parametrize("engine", [FaissFlat, FaissCells, FaissGraph])
def test_the_file_is_a_plain_faiss_index_with_our_ids(engine, make_codes, ids, tmp_path):
    codes, queries = make_codes()
    engine.build(codes, ids, threads=1).save(tmp_path / "engine")
    view = faiss.read_index_binary(str(tmp_path / "engine" / "view.faiss"))
    bits, found = view.search(ht.hamming_view(queries), 5)
    assert set(found[found >= 0].tolist()) <= set(ids.tolist())
    nearest_bits = nearest(codes >> np.uint8(6), queries >> np.uint8(6), 1, "l1", 2).distances
    assert (bits[:, :1] >= nearest_bits).all()
    assert (bits[:, :1] == nearest_bits).any()


def test_more_bits_in_the_view_find_more(rng):
    codes, queries = rng.integers(0, 256, (2, 2000, 16), np.uint8)
    queries, want = queries[:50], nearest(codes, queries[:50], 10, "l1").distances
    recalls = []
    for view_bits in (1, 2, 4):
        engine = FaissFlat.build(codes, metric="l1", view_bits=view_bits, threads=1)
        recalls.append((engine.search(queries, 10, effort=50).distances <= want[:, -1:]).mean())
    assert recalls[0] + 0.1 < recalls[1] < recalls[2] - 0.1
    for view_bits, error in ((5, "bits is 5; the Hamming view is for 1 to 4 bits"), (0, "bits is 0")):
        with pytest.raises(ValueError, match=error):
            FaissFlat.build(codes, view_bits=view_bits)
    with pytest.raises(ValueError, match="bits is 4, but these codes have 2"):
        FaissFlat.build(codes >> np.uint8(6), bits=2, view_bits=4)


@pytest.mark.parametrize("engine", [FaissCells, FaissGraph])
def test_effort_is_obeyed(engine, rng):
    codes, queries = rng.integers(0, 256, (2, 2000, 16), np.uint8)
    queries, want = queries[:50], nearest(codes, queries[:50], 10, "l1").distances
    built = engine.build(codes, metric="l1", threads=1)
    little, much = (
        (built.search(queries, effort=effort).distances <= want[:, -1:]).mean() for effort in (engine.efforts[0], 500)
    )
    assert little + 0.3 < much


def test_the_threads_of_faiss_stay_as_they_were(make_codes):
    codes, queries = make_codes()
    before = faiss.omp_get_max_threads()
    FaissFlat.build(codes, threads=before + 1).search(queries, threads=before + 2)
    assert faiss.omp_get_max_threads() == before
