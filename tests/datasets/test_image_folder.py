import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import DataLoader

from hypertorus.datasets import read_data
from hypertorus.datasets.read import read_any


def noise(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def save(array: np.ndarray, path: Path, **options) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(array).save(path, **options)


def fill(folder: Path, counts: dict[str, int], height: int = 6, width: int = 6) -> dict[str, np.ndarray]:
    """Images in class folders; returns them by their paths."""
    written = {}
    for name, count in counts.items():
        for number in range(count):
            path = folder / name / f"{number}.png"
            written[str(path)] = noise(height, width, len(written))
            save(written[str(path)], path)
    return written


def one(tmp_path: Path, size: int | None = None) -> np.ndarray:
    """The image of the class `it`, [height, width, 3], beside a class of other images."""
    fill(tmp_path / "other", {"": 2})
    data = read_data(str(tmp_path), size=size, test_share=0.5)
    part = data.train
    return part[part.labels.tolist().index(data.classes.index("it"))].permute(1, 2, 0).numpy()


def test_classes_are_folders_and_a_share_of_each_is_for_testing(tmp_path):
    written = fill(tmp_path, {"owl": 10, "jay": 20})
    data = read_data(str(tmp_path))
    assert data.classes == ("jay", "owl")
    assert data.name == tmp_path.name
    assert data.train.labels.bincount().tolist() == [16, 8]
    assert data.test.labels.bincount().tolist() == [4, 2]
    seen = {
        image.permute(1, 2, 0).numpy().tobytes(): data.classes[label]
        for part in (data.train, data.test)
        for image, label in zip(part, part.labels, strict=True)
    }
    assert seen == {array.tobytes(): Path(path).parent.name for path, array in written.items()}


@pytest.mark.parametrize("test", ["test", "val"])
def test_train_and_test_folders_are_the_parts(test, tmp_path):
    fill(tmp_path, {"train/owl": 3, "train/jay": 2, f"{test}/jay": 1, f"{test}/wren": 2})
    data = read_data(str(tmp_path))
    assert data.classes == ("jay", "owl", "wren")
    assert data.train.labels.tolist() == [0, 0, 1, 1, 1]
    assert data.test.labels.tolist() == [0, 2, 2]


def test_a_train_folder_alone_is_split(tmp_path):
    fill(tmp_path, {"train/owl": 4, "train/jay": 4})
    data = read_data(str(tmp_path), test_share=0.25)
    assert (len(data.train), len(data.test)) == (6, 2)


def test_folders_within_a_class_belong_to_it_and_hidden_ones_to_nothing(tmp_path):
    fill(tmp_path, {"owl": 2, "owl/barn": 2, "jay": 2, ".hidden": 3, "jay/.hidden": 3})
    (tmp_path / "jay" / ".DS_Store").write_bytes(b"nothing")
    (tmp_path / "jay" / "._0.png").write_bytes(b"nothing")
    (tmp_path / "jay" / "notes.txt").write_text("nothing")
    (tmp_path / "README.md").write_text("nothing")
    data = read_data(str(tmp_path), test_share=0.5)
    assert (data.train.labels.bincount() + data.test.labels.bincount()).tolist() == [2, 4]


@pytest.mark.parametrize("suffix", ["png", "PNG", "bmp", "webp", "gif", "tif"])
def test_every_lossless_kind_of_file_gives_its_pixels(suffix, tmp_path):
    array = noise(8, 8) // 128 * 255  # eight colours, as a gif can hold them
    save(array, tmp_path / "it" / f"a.{suffix}", **({"lossless": True} if suffix == "webp" else {}))
    assert np.array_equal(one(tmp_path, 8), array)


@pytest.mark.parametrize("scale", [1, 2, 4, 16])
def test_a_jpeg_is_close_to_its_pixels_also_when_it_is_decoded_small(scale, tmp_path):
    array = noise(32, 32).repeat(scale, axis=0).repeat(scale, axis=1)
    save(array, tmp_path / "it" / "a.jpeg", quality=100, subsampling=0)
    expected = np.asarray(Image.fromarray(array).resize((32, 32), Image.Resampling.BICUBIC), int)
    assert np.abs(one(tmp_path, 32) - expected).mean() < 6  # unrelated noise differs by 85


@pytest.mark.parametrize("shape", [(8, 14), (14, 8)])
def test_the_middle_of_the_longer_side_is_kept(shape, tmp_path):
    array = noise(*shape)
    save(array, tmp_path / "it" / "a.png")
    middle = array[:, 3:11] if shape[1] == 14 else array[3:11]
    assert np.array_equal(one(tmp_path, 8), middle)


def test_the_orientation_a_camera_wrote_is_respected(tmp_path):
    array = noise(8, 8)
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held so that the image needs a quarter turn clockwise
    save(array, tmp_path / "it" / "a.png", exif=exif)
    assert np.array_equal(one(tmp_path, 8), np.rot90(array, -1))


def test_other_pixels_become_rgb(tmp_path):
    grey = noise(8, 8)[..., 0]
    deep = grey.astype(np.uint16) * 257
    see_through = np.dstack([noise(8, 8), np.where(grey > 127, 255, 0).astype(np.uint8)])
    for number, (array, expected) in enumerate(
        [
            (grey, np.dstack([grey] * 3)),
            (deep, np.dstack([grey] * 3)),
            (see_through, np.where(grey[..., None] > 127, see_through[..., :3], 255)),
        ]
    ):
        folder = tmp_path / str(number)
        save(array, folder / "it" / "a.png")
        assert np.array_equal(one(folder, 8), expected)


@pytest.mark.parametrize(
    ("shapes", "size"),
    [
        ([(28, 28)] * 3, 28),
        ([(64, 48)] * 3, 48),
        ([(100, 100)] * 3, 96),
        ([(20, 30), (30, 20), (25, 25)], 32),
        ([(70, 90), (130, 140), (400, 300)], 128),
        ([(600, 800)] * 3, 224),
    ],
)
def test_without_a_size_one_is_chosen_that_suits(shapes, size, tmp_path):
    for number, shape in enumerate(shapes):
        save(noise(*shape), tmp_path / "ab"[number % 2] / f"{number}.png")
    assert read_data(str(tmp_path), test_share=0.5).train.shape == (3, size, size)


def test_images_are_decoded_when_a_batch_is_asked_for(tmp_path):
    fill(tmp_path, {"owl": 4, "jay": 4})
    data = read_data(str(tmp_path), size=6)
    for path in tmp_path.rglob("*.png"):
        path.write_bytes(b"no longer an image")
    taken = data.train.take([0, 2])
    assert (len(taken), taken.shape) == (2, (3, 6, 6))
    with pytest.raises(ValueError, match=r"jay/\d\.png is not a readable image"):
        taken[0]


def test_unreadable_images_are_named_and_left_out(tmp_path):
    written = [Path(path) for path in fill(tmp_path, {"owl": 5, "jay": 4})]
    written[0].write_bytes(b"garbage")
    written[1].write_bytes(written[1].read_bytes()[:60])
    save(np.zeros((6, 6), np.int32), written[0].with_name("wide.tif"))
    save(noise(60, 60), written[0].with_name("cut.jpg"))
    cut = written[0].with_name("cut.jpg")
    cut.write_bytes(cut.read_bytes()[:-200])
    with pytest.warns(UserWarning, match="4 of 11 images were left out") as told:
        data = read_data(str(tmp_path), size=6)
    assert "is not a readable image" in str(told[0].message)
    assert "And 1 more." in str(told[0].message)
    assert sorted(np.concatenate([data.train.columns.names, data.test.columns.names])) == sorted(
        path.relative_to(tmp_path).as_posix() for path in written[2:]
    )
    assert [part.__getitems__(range(len(part))).shape[1:] for part in (data.train, data.test)] == [(3, 6, 6)] * 2
    with pytest.warns(UserWarning, match="were left out"):
        assert len(read_any(str(tmp_path), size=6).train) == len(data.train)
    for path in tmp_path.glob("owl/*"):
        path.write_bytes(b"garbage")
    with pytest.raises(ValueError, match="none of the images of the class owl"), pytest.warns(match="left"):
        read_data(str(tmp_path), size=6)


def test_folders_without_classes_are_refused(tmp_path):
    with pytest.raises(ValueError, match="has no folders; put the images of each class"):
        read_data(str(tmp_path))
    save(noise(6, 6), tmp_path / "loose.png")
    with pytest.raises(ValueError, match="has no folders"):
        read_data(str(tmp_path))
    fill(tmp_path, {"images/owl": 2, "images/jay": 2})
    with pytest.raises(ValueError, match="has only the class folder images"):
        read_data(str(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty has no images \(.png, .jpg"):
        read_data(str(tmp_path))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("workers", [0, 2])
def test_batches_of_a_loader_equal_direct_access(workers, tmp_path):
    fill(tmp_path, {"owl": 13, "jay": 10}, height=40, width=50)
    part = read_data(str(tmp_path), size=16).train
    order = torch.randperm(len(part)).tolist()
    loader = DataLoader(
        part, batch_size=5, sampler=order, num_workers=workers, collate_fn=torch.as_tensor, timeout=60 * (workers > 0)
    )
    together = torch.cat(list(loader))
    assert together.dtype == torch.uint8
    assert torch.equal(together, torch.stack([part[index] for index in order]))
    assert torch.equal(together[:4], part.take(order[:4]).__getitems__(range(4)))


def test_a_part_can_be_sent_to_another_process(tmp_path):
    fill(tmp_path, {"owl": 3, "jay": 3})
    part = read_data(str(tmp_path)).train
    sent = pickle.loads(pickle.dumps(part))
    assert torch.equal(sent.__getitems__(range(len(part))), part.__getitems__(range(len(part))))
