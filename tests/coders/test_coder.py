import subprocess
import sys

import numpy as np
import pytest
import torch

import hypertorus as ht
from hypertorus.coders import vectors as entering
from hypertorus.coders.plain import PlainCoder
from hypertorus.search import _tables


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def fields(coder, codes):
    """The number of each coordinate, read bit by bit from the codes as one long row of bits."""
    stream = [[nibble >> bit & 1 for nibble in row for bit in range(4)] for row in codes.tolist()]
    numbers, position = [], 0
    for bits in coder.weights["bits"].tolist():
        position += -position % 4 if position % 4 + bits > 4 else 0
        numbers.append([sum(row[position + bit] << bit for bit in range(bits)) for row in stream])
        position += bits
    return np.array(numbers).T


def literal_scores(coder, codes, queries):
    """The score of the module's docstring, one coordinate at a time."""
    levels = fields(coder, codes) + 0.5 - 2.0 ** (coder.weights["bits"] - 1)
    sides = (unit(queries) - coder.weights["mean"]) @ coder.weights["query"]
    return sum(
        np.outer(sides[:, j], levels[:, j]) - coder.weights["penalty"][j] * levels[:, j] ** 2 / 2
        for j in range(levels.shape[1])
    )


def plain(vectors, steps=10):
    return ht.codes_for(vectors, bytes=6, steps=steps)


def test_codes_are_the_cells_of_the_grid(vectors):
    coder = plain(vectors)
    exact = (unit(vectors) - coder.weights["mean"]) @ coder.weights["encode"]
    half = 2.0 ** (coder.weights["bits"] - 1)
    levels = fields(coder, coder.transform(vectors)) + 0.5 - half
    inside = np.abs(exact) < half - 1e-3
    assert np.abs(exact - levels)[inside].max() <= 0.501
    assert (np.abs(levels)[~inside] == np.broadcast_to(half - 0.5, levels.shape)[~inside]).mean() > 0.99


def test_search_is_exact_in_the_sums_of_tables_and_these_are_the_scores(vectors):
    coder, queries = plain(vectors), vectors[:7] + 0.1
    index, codes = coder.index(vectors), coder.transform(vectors)
    tables = coder.tables(unit(queries).astype(np.float32))
    sums = tables[:, np.arange(coder.width), codes].sum(axis=2, dtype=np.int64)
    found = coder.search(index, queries, k=25)
    order = np.argsort(sums, axis=1, kind="stable")[:, :25]
    np.testing.assert_array_equal(found.ids, order)
    np.testing.assert_array_equal(found.distances, np.take_along_axis(sums, order, axis=1))
    for total, scores in zip(sums, literal_scores(coder, codes, queries), strict=True):
        slope, offset = np.polyfit(scores, total, 1)
        assert slope < 0
        assert np.abs(total - slope * scores - offset).max() <= coder.width / 2 + 1


def test_one_query_unlike_the_others_takes_no_neighbours_from_them(monkeypatch):
    """With small penalties, tables are all but sums over bits, and not where a query has no direction."""
    eye = np.eye(32, dtype=np.float32)
    weights = {"mean": np.zeros(32, np.float32), "encode": 6 * eye, "query": eye, "penalty": eye.sum(axis=0) / 50}
    coder = PlainCoder({**weights, "bits": np.full(32, 2, np.uint8)}, bytes=8)
    vectors = unit(np.random.default_rng(0).normal(size=(2000, 32))).astype(np.float32)
    queries = np.concatenate([vectors[:20], np.zeros((1, 32), np.float32)])
    codes, tables = coder.transform(vectors), coder.tables(queries)
    nearest = [np.sort(table[np.arange(16), codes].sum(axis=1, dtype=np.int64))[:10] for table in tables]
    scratch = _tables._scratch
    monkeypatch.setattr(_tables, "_scratch", lambda *shape: np.full_like(scratch(*shape), 255))  # as others left it
    np.testing.assert_array_equal(coder.search(coder.index(vectors), queries).distances, nearest)


def test_not_fitted_scores_are_cosines_but_for_rounding(vectors):
    coder = ht.codes_for(vectors, bytes=20, steps=0)
    cosines = unit(vectors[:50]) @ unit(vectors).T
    scores = literal_scores(coder, coder.transform(vectors), vectors[:50])
    agree = [np.corrcoef(exact, found)[0, 1] for exact, found in zip(cosines, scores, strict=True)]
    assert np.mean(agree) > 0.985  # 4 bits lose 1.15 % of the variance of normal numbers


def test_torus_codes_are_searched_like_all_torus_codes(vectors):
    coder = ht.codes_for(vectors, bytes=6, use="cells", steps=5)
    codes = coder.transform(vectors)
    found = coder.search(coder.index(vectors), vectors[:9], k=5)
    np.testing.assert_array_equal(found.ids, ht.nearest(codes, codes[:9], 5, metric="cosine", bits=4).ids)
    arranged = coder.index(vectors)
    arranged.arrange()
    np.testing.assert_array_equal(coder.search(arranged, vectors[:9], k=5).ids, found.ids)
    turns = (unit(vectors) - coder.weights["mean"]) @ coder.weights["encode"] % 1
    assert ((np.floor(16 * turns).astype(int) - codes) % 16 == 0).mean() > 0.999


def test_reranking_by_kept_vectors_orders_candidates_by_cosine(vectors, coder):
    queries = vectors[:5] + 0.1
    found = coder.search(coder.index(vectors), queries, k=10, rerank=vectors, candidates=len(vectors))
    exact = np.argsort(-(unit(queries) @ unit(vectors).T), axis=1, kind="stable")[:, :10]
    np.testing.assert_array_equal(found.ids, exact)
    np.testing.assert_allclose(
        found.distances, 1 - np.take_along_axis(unit(queries) @ unit(vectors).T, exact, axis=1), atol=1e-5
    )
    with pytest.raises(ValueError, match="rerank has 10 rows, but the index has id"):
        coder.search(coder.index(vectors), queries, rerank=vectors[:10])


def test_an_index_of_plain_codes_is_searched_by_its_coder_alone(vectors, coder):
    """Compared as angles, they find a quarter of what the coder finds, and nothing said so."""
    index = coder.index(vectors)
    codes = index.vectors([0, 1])
    if coder.kind == "torus":
        assert index.search(codes, k=1).ids.tolist() == [[0], [1]]
    else:
        with pytest.raises(ValueError, match="are no angles"):
            index.search(codes, k=1)


def test_a_base_grows(vectors, coder):
    """An index that grew finds what one made at once finds; what cannot be added leaves it as it was."""
    index = coder.index(vectors[:100], labels=np.arange(100) % 3)
    assert coder.add(index, vectors[100:], labels=np.arange(100, len(vectors)) % 3)[0] == 100
    whole = coder.index(vectors, labels=np.arange(len(vectors)) % 3)
    np.testing.assert_array_equal(coder.search(index, vectors, k=3).ids, coder.search(whole, vectors, k=3).ids)
    assert index.labels_of([101]) == whole.labels_of([101])
    broken = np.where(np.arange(len(vectors))[:, None] == len(vectors) - 1, np.nan, vectors)
    with pytest.raises(ValueError, match=f"row {len(vectors) - 1} has a NaN"):
        coder.add(index, broken, labels=np.zeros(len(vectors), int))
    assert len(index) == len(vectors)
    with pytest.raises(ValueError, match="the index is of no coder"):
        coder.add(ht.Index(coder.width, 4), vectors)


def test_labels_names_and_ids_come_back(vectors, coder):
    names = [f"row {row}" for row in range(1000)]
    index = coder.index(vectors, labels=np.arange(1000) % 50, ids=np.arange(1000) + 7, names=names)
    found = coder.search(index, vectors[:3], k=1, where=np.arange(7, 107))
    assert (found.ids[:, 0] < 107).all()
    assert found.labels.shape == (3, 1)
    assert found.names[0, 0].startswith("row ")


@pytest.mark.parametrize("change", [lambda x: 3 * x, torch.from_numpy, lambda x: x.astype(np.float64)])
def test_length_and_type_of_vectors_do_not_matter(vectors, coder, change):
    assert (coder.transform(change(vectors)) == coder.transform(vectors)).mean() > 0.999


def test_files_are_read_in_pieces(vectors, coder, tmp_path, monkeypatch):
    np.save(tmp_path / "vectors.npy", vectors)
    monkeypatch.setattr("hypertorus.files.rows._BYTES_AT_ONCE", 4096)
    np.testing.assert_array_equal(coder.transform(tmp_path / "vectors.npy"), coder.transform(vectors))
    index = coder.index(tmp_path / "vectors.npy", labels=np.arange(1000))
    np.testing.assert_array_equal(index.vectors(index.ids), coder.transform(vectors))
    np.testing.assert_array_equal(index.labels, np.arange(1000))
    with pytest.raises(ValueError, match=r"labels has shape \(3,\) for 1000 vectors; pass one for each"):
        coder.index(vectors, labels=[1, 2, 3])
    rows = entering.as_rows(tmp_path / "vectors.npy")
    assert len(rows.slices()) > 10
    sample = entering.sampled(rows, 300, seed=1)
    assert len(np.unique(sample, axis=0)) == 300
    known = {row.tobytes() for row in entering.unit_rows(vectors)}
    assert all(row.tobytes() in known for row in sample)


def test_what_cannot_be_is_refused_in_a_sentence(vectors, coder):
    with pytest.raises(ValueError, match="rows of 5 numbers, and this coder was fitted on rows of 40; pass vectors"):
        coder.transform(np.ones((3, 5)))
    with pytest.raises(ValueError, match="row 1 has a NaN or an infinity"):
        coder.transform(np.where(np.arange(80).reshape(2, 40) == 50, np.nan, 1.0))
    with pytest.raises(TypeError, match="vectors is a list; pass a numpy array"):
        coder.transform([[1.0] * 40])
    other = ht.Index(coder.width, 4)
    with pytest.raises(ValueError, match="the index is of no coder, and this coder is"):
        coder.search(other, vectors[:1])
    with pytest.raises(TypeError, match="index is a ndarray"):
        coder.search(vectors, vectors[:1])


def test_zeros_have_a_code(coder):
    assert coder.transform(np.zeros((2, 40))).shape == (2, coder.width)
    assert coder.transform(np.zeros((0, 40))).shape == (0, coder.width)


def test_encoding_and_searching_need_no_torch(vectors, coder, tmp_path):
    coder.save(tmp_path / "coder")
    np.save(tmp_path / "vectors.npy", vectors)
    code = (
        "import sys, numpy as np, hypertorus as ht; coder = ht.load_coder('coder'); v = np.load('vectors.npy')\n"
        "print(coder.search(coder.index(v), v[:3], k=1).ids.shape, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "(3, 1) False\n"


def test_byte_tables_of_a_query_without_direction_are_flat():
    weights = {
        "mean": np.zeros(2, np.float32),
        "encode": np.eye(2, dtype=np.float32),
        "query": np.eye(2, dtype=np.float32),
        "penalty": np.zeros(2, np.float32),
        "bits": np.array([4, 4], np.uint8),
    }
    assert not PlainCoder(weights, bytes=1).tables(np.zeros((1, 2), np.float32)).any()


def test_vectors_come_back_as_the_cells_remember_them(vectors, coder):
    codes = coder.transform(vectors)
    back = coder.inverse_transform(codes)
    np.testing.assert_allclose(np.linalg.norm(back, axis=1), 1, rtol=1e-5)
    cosines = (back * unit(vectors)).sum(axis=1)
    mean = unit(vectors).mean(axis=0)
    assert cosines.mean() > 0.8 > (unit(vectors) @ (mean / np.linalg.norm(mean))).mean() + 0.2
    with pytest.raises(ValueError, match=r"codes go from 0 to 16; 4 bits hold 0 to 15"):
        coder.inverse_transform(np.where(codes == codes[0, 0], 16, codes - codes.min()))


def test_of_every_cell_the_middle_comes_back():
    layer = np.linalg.qr(np.random.default_rng(0).normal(size=(12, 4)))[0].astype(np.float32) * 8
    weights = {"mean": np.zeros(12, np.float32), "encode": layer, "query": layer, "penalty": np.ones(4, np.float32)}
    coder = PlainCoder({**weights, "bits": np.full(4, 4, np.uint8)}, bytes=2)
    codes = np.array([[8, 9, 15, 0], [3, 12, 7, 8]], np.uint8)
    back = coder.inverse_transform(codes)
    levels = codes + 0.5 - 8
    np.testing.assert_allclose(unit(back @ layer), unit(levels), atol=1e-5)
