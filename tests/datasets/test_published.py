"""The sets that have a name, from small files in their official layouts."""

import gzip
import struct
import tarfile
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from hypertorus.datasets import read_data
from hypertorus.datasets.archive import Archive

CIFAR10 = ("cifar-10-batches-bin", [*(f"data_batch_{n}.bin" for n in range(1, 6)), "test_batch.bin"], 1, 10)
CIFAR100 = ("cifar-100-binary", ["train.bin", "test.bin"], 2, 100)
CIFAR = pytest.mark.parametrize(
    ("name", "layout"), [("cifar10", CIFAR10), ("cifar100", CIFAR100)], ids=["cifar10", "cifar100"]
)
IDX = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


@pytest.fixture(autouse=True)
def no_network(request, monkeypatch):
    if "checksum" not in request.function.__name__:  # those of these small files are not the published ones
        monkeypatch.setattr(Archive, "check", lambda *_: None)
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)


def write_cifar(folder: Path, layout) -> list[np.ndarray]:
    """Four records a file, in the official layout; returns the records."""
    name, files, label_bytes, classes = layout
    rng = np.random.default_rng(0)
    place = folder / name
    place.mkdir()
    written = []
    for file in files:
        records = rng.integers(0, 256, (4, label_bytes + 3072), dtype=np.uint8)
        records[:, label_bytes - 1] = rng.integers(0, classes, 4)
        records.tofile(place / file)
        written.append(records)
    names = "batches.meta.txt" if classes == 10 else "fine_label_names.txt"
    (place / names).write_text("\n".join(f"class_{n}" for n in range(classes)) + "\n\n")
    return written


def pack(folder: Path, layout) -> Path:
    archive = folder / f"{'cifar-10' if layout is CIFAR10 else 'cifar-100'}-binary.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder / layout[0], layout[0])
    for file in (folder / layout[0]).iterdir():
        file.unlink()
    (folder / layout[0]).rmdir()
    return archive


@CIFAR
@pytest.mark.parametrize("packed", [False, True], ids=["folder", "archive"])
def test_cifar_reads_every_record_in_order(name, layout, packed, tmp_path):
    *train, test = write_cifar(tmp_path, layout)
    if packed:
        pack(tmp_path, layout)
    data = read_data(name, folder=tmp_path)
    label_bytes, classes = layout[2:]
    for part, records in ((data.train, np.concatenate(train)), (data.test, test)):
        assert part.shape == (3, 32, 32)
        assert part.labels.tolist() == records[:, label_bytes - 1].tolist()
        for number, record in enumerate(records):
            red, green, blue = (record[label_bytes + 1024 * c :][:1024].reshape(32, 32) for c in range(3))
            assert torch.equal(part[number], torch.from_numpy(np.stack([red, green, blue])))
    assert data.classes == tuple(f"class_{n}" for n in range(classes))
    assert data.name == name


@CIFAR
def test_cifar_says_what_is_wrong_with_a_file(name, layout, tmp_path):
    write_cifar(tmp_path, layout)
    place, first = tmp_path / layout[0], layout[1][0]
    whole = (place / first).read_bytes()
    (place / first).write_bytes(whole[:-1])
    with pytest.raises(ValueError, match=rf"{first} has [\d,]+ bytes; expected a multiple of 3,07"):
        read_data(name, folder=tmp_path)
    (place / first).write_bytes(b"")
    with pytest.raises(ValueError, match=f"{first} has 0 bytes"):
        read_data(name, folder=tmp_path)
    wrong = bytearray(whole)
    wrong[layout[2] - 1] = 200
    (place / first).write_bytes(wrong)
    with pytest.raises(ValueError, match=f"{first} has the label 200"):
        read_data(name, folder=tmp_path)
    (place / first).unlink()
    with pytest.raises(FileNotFoundError, match=f"has no {first}; extract"):
        read_data(name, folder=tmp_path)


@CIFAR
def test_cifar_refuses_damaged_archives(name, layout, tmp_path):
    write_cifar(tmp_path, layout)
    (tmp_path / layout[0] / layout[1][-1]).unlink()
    archive = pack(tmp_path, layout)
    with pytest.raises(ValueError, match=f"has no {layout[1][-1]}; remove it"):
        read_data(name, folder=tmp_path)
    for damaged in (archive.read_bytes()[:-5000], b"<html>not here</html>", b""):
        archive.write_bytes(damaged)
        with pytest.raises(ValueError, match="is cut short or damaged"):
            read_data(name, folder=tmp_path)


def write_idx(folder: Path) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    folder.mkdir(exist_ok=True)
    arrays = []
    for number, name in enumerate(IDX):
        shape = (6, 28, 28) if number % 2 == 0 else (6,)
        array = rng.integers(0, 256 if number % 2 == 0 else 10, shape, dtype=np.uint8)
        header = struct.pack(f">BBBB{len(shape)}I", 0, 0, 8, len(shape), *shape)
        (folder / f"{name}.gz").write_bytes(gzip.compress(header + array.tobytes()))
        arrays.append(array)
    return arrays


@pytest.mark.parametrize("own_folder", [False, True])
def test_fashion_mnist_reads_the_official_files(own_folder, tmp_path):
    arrays = write_idx(tmp_path / "fashion-mnist" if own_folder else tmp_path)
    data = read_data("fashion-mnist", folder=tmp_path)
    assert data.train.shape == (1, 28, 28)
    for part, images, labels in ((data.train, *arrays[:2]), (data.test, *arrays[2:])):
        assert torch.equal(part.__getitems__(range(6)), torch.from_numpy(images)[:, None])
        assert part.labels.tolist() == labels.tolist()
    assert (data.classes[0], data.classes[9]) == ("T-shirt/top", "Ankle boot")


def test_fashion_mnist_refuses_damaged_files(tmp_path):
    write_idx(tmp_path)
    first = tmp_path / f"{IDX[0]}.gz"
    whole = first.read_bytes()
    for damaged, sentence in (
        (whole[:-100], "is cut short or damaged"),
        (b"<html>", "is cut short or damaged"),
        (gzip.compress(gzip.decompress(whole)[:-1]), "is not an idx file of uint8 in 3 dimensions"),
        (gzip.compress(b""), "is not an idx file"),
        ((tmp_path / f"{IDX[1]}.gz").read_bytes(), "is not an idx file of uint8 in 3 dimensions"),
    ):
        first.write_bytes(damaged)
        with pytest.raises(ValueError, match=sentence):
            read_data("fashion-mnist", folder=tmp_path)


def test_files_whose_checksum_is_not_the_published_one_are_told(tmp_path):
    write_cifar(tmp_path, CIFAR10)
    pack(tmp_path, CIFAR10)
    write_idx(tmp_path)
    for name, file in (("cifar10", "cifar-10-binary.tar.gz"), ("fashion-mnist", f"{IDX[0]}.gz")):
        with pytest.raises(ValueError, match=rf"{file} has the MD5 checksum .* was published; remove it to have it"):
            read_data(name, folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "file", "address"),
    [
        ("cifar10", "cifar-10-binary.tar.gz", "https://www.cs.toronto.edu/~kriz/"),
        ("cifar100", "cifar-100-binary.tar.gz", "https://www.cs.toronto.edu/~kriz/"),
        (
            "fashion-mnist",
            f"fashion-mnist/{IDX[0]}.gz",
            "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/",
        ),
    ],
)
def test_without_files_or_network_it_says_what_to_put_where(name, file, address, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        read_data(name, folder=tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / file} does not exist, and {address}{Path(file).name} could not")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_digits_are_those_of_scikit_learn_in_whole_greys():
    data = read_data("digits")
    original = load_digits()
    seen = sorted(
        (int(label), tuple(image.flatten().tolist()))
        for part in (data.train, data.test)
        for label, image in zip(part.labels, part, strict=True)
    )
    expected = sorted(
        (int(label), tuple(int(grey * 255 / 16 + 0.5) for grey in image.flatten()))
        for label, image in zip(original.target, original.images, strict=True)
    )
    assert seen == expected
    assert data.test.labels.bincount().tolist() == [round(0.2 * n) for n in np.bincount(original.target).tolist()]
