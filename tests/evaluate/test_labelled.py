import numpy as np
import pytest

from hypertorus.evaluate.labelled import Labelled, Split, read_groups, read_labelled
from hypertorus.files.tensors import tensor_bytes

ROWS = np.arange(12.0).reshape(6, 2)
LABELS = np.arange(6) % 2


def test_rows_and_labels_of_one_part_stay_together(tmp_path):
    np.savez(
        tmp_path / "a.npz",
        train=ROWS,
        train_labels=LABELS,
        test=ROWS[:2],
        val=ROWS[2:],
        val_labels=LABELS[2:],
    )
    found = read_labelled(tmp_path / "a.npz")
    assert isinstance(found, Split)
    assert found.test.tolist() == ROWS[2:].tolist()
    assert found.test_labels.tolist() == LABELS[2:].tolist()
    with pytest.raises(ValueError, match="has labels for each of its parts"):
        read_labelled(tmp_path / "a.npz", tmp_path / "labels.npy")


def test_only_the_arrays_that_are_needed_are_read(tmp_path):
    np.savez(tmp_path / "a.npz", embeddings=ROWS, labels=LABELS, notes=np.array([{"never": "unpickled"}]))
    found = read_labelled(tmp_path / "a.npz")
    assert isinstance(found, Labelled)
    assert found.rows.tolist() == ROWS.tolist()


def test_what_embed_writes_is_read(tmp_path):
    points = ROWS.astype(np.float32)
    (tmp_path / "a.safetensors").write_bytes(b"".join(tensor_bytes({"points": points, "labels": LABELS}, {})))
    found = read_labelled(tmp_path / "a.safetensors")
    assert isinstance(found, Labelled)
    assert found.rows.tolist() == ROWS.tolist()
    assert found.labels.tolist() == LABELS.tolist()
    (tmp_path / "codes.safetensors").write_bytes(b"".join(tensor_bytes({"codes": LABELS, "labels": LABELS}, {})))
    with pytest.raises(ValueError, match="has no points; write it with: hypertorus embed MODEL DATA --float"):
        read_labelled(tmp_path / "codes.safetensors")
    (tmp_path / "cut.safetensors").write_bytes((tmp_path / "a.safetensors").read_bytes()[:20])
    with pytest.raises(ValueError, match="cut short"):
        read_labelled(tmp_path / "cut.safetensors")


def test_a_label_file_serves_rows_of_any_file(tmp_path):
    np.save(tmp_path / "labels.npy", LABELS)
    np.save(tmp_path / "a.npy", ROWS)
    np.savez(tmp_path / "a.npz", embeddings=ROWS)
    (tmp_path / "a.csv").write_text("x,y\n" + "\n".join(f"{x},{y}" for x, y in ROWS))
    for name in ("a.npy", "a.npz", "a.csv"):
        found = read_labelled(tmp_path / name, tmp_path / "labels.npy")
        assert found.rows.tolist() == ROWS.tolist()
        assert found.labels.tolist() == LABELS.tolist()


def test_an_npz_in_the_place_of_an_npy_is_refused(tmp_path):
    with (tmp_path / "a.npy").open("wb") as file:
        np.savez(file, embeddings=ROWS)
    with pytest.raises(ValueError, match=r"a\.npy is not a readable \.npy file"):
        read_labelled(tmp_path / "a.npy", tmp_path / "a.npy")


def test_groups_are_an_array_a_file_or_the_recordings_of_paths(tmp_path):
    paths = np.array(
        ["great_tit/XC1_0.ogg", "great_tit/XC1_1.ogg", "great_tit/XC2.ogg", "wren/XC1_0.ogg", "a\\b_2_0.ogg"]
    )
    np.savez(tmp_path / "a.npz", path=paths, site=np.arange(5))
    np.save(tmp_path / "groups.npy", np.arange(5) // 2)
    recordings = ["great_tit/XC1", "great_tit/XC1", "great_tit/XC2.ogg", "wren/XC1", "a/b_2"]
    assert read_groups(tmp_path / "a.npz", "path").tolist() == recordings
    assert read_groups(tmp_path / "a.npz:torusN", "site").tolist() == [0, 1, 2, 3, 4]
    assert read_groups(tmp_path / "a.npz", str(tmp_path / "groups.npy")).tolist() == [0, 0, 1, 1, 2]
    for file in ("a.npz", "a.csv"):
        with pytest.raises(ValueError, match=r"groups is 'bird', which .* has no array of; pass an \.npy file"):
            read_groups(tmp_path / file, "bird")
