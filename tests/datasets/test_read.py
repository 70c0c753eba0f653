import numpy as np
import pytest

from hypertorus.datasets import read_data


def test_a_folder_that_is_not_there_is_said_in_a_few_words(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^there is no folder .*photos/; check its name\.$"):
        read_data(f"{tmp_path}/photos/")


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(ValueError, match=r"^data is 'cifar11'; it must be one of digits, cifar10, cifar100") as caught:
        read_data("cifar11")
    for other in ("fashion-mnist", "folder of images", ".npz", ".npy", ".csv", "hf:NAME"):
        assert other in str(caught.value)


def test_options_that_mean_nothing_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", embeddings=np.zeros((4, 2)), labels=[0, 0, 1, 1])
    for source, options, sentence in (
        ("digits", {"size": 8}, "size is 8, which has no meaning for digits"),
        ("digits", {"labels": tmp_path / "a.npy"}, "labels is .*a.npy, which has no meaning for digits"),
        (str(tmp_path / "a.npz"), {"size": 8}, "size is 8, which has no meaning for .*a.npz"),
        (str(tmp_path), {"labels": tmp_path / "a.npy"}, "labels is .*a.npy, which has no meaning"),
        (str(tmp_path), {"size": 0}, "size is 0; an image needs at least 1 pixel"),
        ("digits", {"test_share": 1.5}, "share to set aside is 1.5"),
    ):
        with pytest.raises(ValueError, match=sentence):
            read_data(source, **options)


def test_the_data_folder_of_the_environment_is_used(monkeypatch, tmp_path):
    monkeypatch.setenv("HYPERTORUS_DATA", str(tmp_path))
    (tmp_path / "cifar-10-batches-bin").mkdir()
    with pytest.raises(FileNotFoundError, match=f"{tmp_path}/cifar-10-batches-bin has no data_batch_1.bin"):
        read_data("cifar10")
