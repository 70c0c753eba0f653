"""Names of the parts of published data sets, as folders or as splits."""

from __future__ import annotations

from collections.abc import Collection

TRAIN_NAME = "train"
TEST_NAMES = ("test", "validation", "valid", "val", "dev")
"""Names of the test part; the first that a data set has is used."""


def train_and_test(names: Collection[str]) -> tuple[str, str] | None:
    """Return the names of the training and the test part among these, or None unless there are both.

    >>> train_and_test(["train", "val", "test"])
    ('train', 'test')
    >>> train_and_test(["owls", "robins"])
    """
    test = next((name for name in TEST_NAMES if name in names), None)
    return (TRAIN_NAME, test) if test and TRAIN_NAME in names else None
