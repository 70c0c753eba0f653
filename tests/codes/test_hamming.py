import faiss
import numpy as np
import pytest

from hypertorus.codes import hamming
from hypertorus.search import nearest


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_every_pair_of_values_keeps_its_distance(bits):
    values = np.arange(2**bits)
    view = hamming(values[:, None], bits)
    differing = np.bitwise_count(view[:, None, :] ^ view[None, :, :]).sum(axis=-1)
    steps = np.abs(values[:, None] - values)
    np.testing.assert_array_equal(differing, np.minimum(steps, 2**bits - steps))


def test_the_order_of_bits_is_as_written_down():
    """Coordinates 0, 1, 2, 3 of 2 bits are 00, 10, 11, 01 from the lowest bit up: 0b10110100."""
    np.testing.assert_array_equal(hamming(np.array([[0, 1, 2, 3]]), bits=2), [[0b10110100]])
    np.testing.assert_array_equal(hamming(np.array([[3, 0, 12]]), bits=4), [[0b00000111, 0, 0b11110000]])
    np.testing.assert_array_equal(hamming(np.array([[1, 0, 0, 0, 0, 0, 0, 0, 1]]), bits=1), [[1, 1]])


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_faiss_finds_exactly_our_neighbours(bits):
    codes = np.random.default_rng(0).integers(0, 2**bits, (2000, 24), np.uint8)
    queries = codes[:50] ^ np.uint8(1)
    view = hamming(codes, bits)
    index = faiss.IndexBinaryFlat(8 * view.shape[1])
    index.add(view)
    distances, found = index.search(hamming(queries, bits), 10)
    spread = 0 if bits in (1, 2, 4) else 8 - bits  # 3 bits are searched as the top of 8
    ours = nearest(codes << spread, queries << spread, 10, metric="l1", bits=8 if spread else bits)
    np.testing.assert_array_equal(distances, ours.distances >> spread)
    for row in range(50):  # faiss orders equal distances its own way, so the last distance may hold other ids
        sure = distances[row] < distances[row, -1]
        assert set(found[row][sure]) == set(ours.ids[row][sure])


def test_more_bits_or_wrong_codes_are_refused():
    with pytest.raises(ValueError, match="bits is 8; the Hamming view is for 1 to 4 bits"):
        hamming(np.zeros((1, 1), np.uint8), bits=8)
    with pytest.raises(ValueError, match="codes go from 0 to 4; 2 bits hold 0 to 3"):
        hamming(np.array([[0, 4]]), bits=2)
    with pytest.raises(ValueError, match=r"codes is int64 of shape \(2,\)"):
        hamming(np.array([0, 1]), bits=2)
