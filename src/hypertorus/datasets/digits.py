"""scikit-learn's handwritten digits: 1,797 images of 8 x 8 pixels that are installed with it."""

from __future__ import annotations

import numpy as np
import torch

from hypertorus.datasets.data import Data
from hypertorus.datasets.part import InMemory
from hypertorus.embeddings.split import stratified
from hypertorus.files.extras import require


def read_digits(test_share: float = 0.2) -> Data:
    """Return the digits, with their 17 levels of grey scaled to 0..255."""
    require("sklearn", extra="sklearn")
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = np.rint(digits.images * (255 / 16)).astype(np.uint8)
    labels = torch.from_numpy(digits.target.astype(np.int64))
    everything = InMemory(torch.from_numpy(images).unsqueeze(1), labels, places=torch.arange(len(labels)))
    train, test = stratified(everything.labels, test_share)
    return Data("digits", everything.take(train), everything.take(test), tuple(map(str, digits.target_names)))
