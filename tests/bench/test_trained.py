"""Two-digit numbers: what the model and the index see of the digits, the queries do not."""

import numpy as np

from hypertorus.bench import trained


def test_queries_show_digits_that_nothing_else_has_seen(monkeypatch):
    monkeypatch.setattr(trained, "NOISE", 0.0)
    halves = {}
    for unseen in (False, True):
        images, labels = trained.numbers(np.random.default_rng(3), 3000, unseen=unseen)
        assert (images.shape, images.dtype) == ((3000, 128), np.float32)
        assert set(labels) == set(range(100))
        halves[unseen] = {half.tobytes() for image in images for half in (image[:64], image[64:])}
    assert not halves[False] & halves[True]


def test_noise_makes_every_image_its_own():
    images, _ = trained.numbers(np.random.default_rng(3), 2000, unseen=False)
    assert len(np.unique(images, axis=0)) == 2000
