"""Writes the golden model of the present format version; run once when the version changes, and keep what there is.

python tests/models/golden/make_model.py
"""

from pathlib import Path

import numpy as np
import torch

from hypertorus.models import Model
from hypertorus.models.encoders import encoder

if __name__ == "__main__":
    torch.manual_seed(0)
    model = Model(encoder("mlp:4", (3,)), (3,), 4, "sphere", mean=[1, 2, 3], std=[1, 2, 0], classes=("a", "b"))
    model.fit_codes(np.random.default_rng(0).standard_normal((50, 3)))
    model.save(Path(__file__).parent / "model_v1", training={"epochs": 3})
