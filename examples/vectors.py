"""Vectors: fit codes to vectors you have, and compare bytes with recall.

The vectors are the pixels of digits, in place of those of your own model; no labels are used. It prints, for codes of
two sizes, the bytes of a vector and the share of its ten nearest neighbours by cosine that the codes find, alone and
after the best hundred are reranked by the floats.
"""

import numpy as np
from sklearn.datasets import load_digits

import hypertorus as ht

vectors = load_digits().data[:1000].astype(np.float32)
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)  # so that dot products are cosines
base, queries = vectors[200:], vectors[:200]
exact = np.argsort(-queries @ base.T, axis=1)[:, :10]


def recall(found: ht.Neighbours) -> float:
    """Return the share of the true neighbours that were found."""
    return float(np.mean([np.isin(wanted, row).mean() for row, wanted in zip(found.ids, exact, strict=True)]))


print("bytes  recall@10  reranked")
for size in (8, 16):
    coder = ht.codes_for(base, bytes=size, steps=40)  # 600 steps, the default, find more
    index = coder.index(base)  # an ordinary index: save it, open it, give it labels and names
    alone = coder.search(index, queries, k=10)
    better = coder.search(index, queries, k=10, rerank=base)
    print(f"{size:5}  {recall(alone):9.3f}  {recall(better):8.3f}")
print(f"{base[0].nbytes:5}  {1:9.3f}            the floats themselves")
