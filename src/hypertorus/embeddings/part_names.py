"""What the parts of a data set are called by those who publish them, as folders or as splits."""

from __future__ import annotations

from collections.abc import Collection

TRAIN_NAME = "train"
TEST_NAMES = ("test", "validation", "valid", "val", "dev")
"""The first that is there is the part to test with."""


def train_and_test(names: Collection[str]) -> tuple[str, str] | None:
    """Which of these names are the parts to train and to test with, if there are both.

    >>> train_and_test(["train", "val", "test"])
    ('train', 'test')
    >>> train_and_test(["owls", "robins"])
    """
    test = next((name for name in TEST_NAMES if name in names), None)
    return (TRAIN_NAME, test) if test and TRAIN_NAME in names else None
