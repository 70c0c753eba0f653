"""Plain files of others: columns are found by the names people give them, and nothing is guessed without a word."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

from hypertorus.embeddings import read_embeddings
from hypertorus.embeddings.table import read_table

ROWS = np.arange(12.0).reshape(6, 2)
LABELS = np.arange(6) % 2


@pytest.mark.parametrize("rows", ["embeddings", "vectors", "X", "features", "data", "points"])
@pytest.mark.parametrize("labels", ["labels", "y", "label", "target"])
def test_rows_and_labels_are_found_by_their_usual_names(tmp_path, rows, labels):
    np.savez(tmp_path / "a.npz", **{rows: ROWS, labels: LABELS, "notes": np.array([{"never": "unpickled"}])})
    record = read_embeddings(tmp_path / "a.npz", space="sphere")
    np.testing.assert_array_equal(record.rows, ROWS)
    assert (record.labels.tolist(), record.classes) == (LABELS.tolist(), ("0", "1"))
    assert record.kind == ("points" if rows == "points" else "raw")


def test_parts_keep_their_rows_labels_and_names(tmp_path):
    np.savez(
        tmp_path / "a.npz",
        train=ROWS[:4],
        train_labels=LABELS[:4],
        train_texts=list("abcd"),
        test=ROWS[:2],  # without labels, so the validation part is what to test on
        val=ROWS[4:],
        val_labels=LABELS[4:],
        val_texts=list("ef"),
    )
    record = read_embeddings(tmp_path / "a.npz", space="torusN")
    np.testing.assert_array_equal(record.rows, ROWS)
    assert record.parts.tolist() == ["train"] * 4 + ["test"] * 2
    assert (record.labels.tolist(), record.names.tolist()) == (LABELS.tolist(), list("abcdef"))
    np.save(tmp_path / "labels.npy", LABELS)
    with pytest.raises(ValueError, match="has labels for each of its parts"):
        read_embeddings(tmp_path / "a.npz", space="torusN", labels=tmp_path / "labels.npy")


def test_all_columns_of_a_table_are_read_from_every_format(tmp_path):
    columns = {
        "label": np.array(["owl", "jay"] * 3),
        "path": np.array([f"{row // 2}_{row}.ogg" for row in range(6)]),
        "split": np.array(["train"] * 4 + ["validation"] * 2),
    }
    lines = ["a,b,label,path,split,start"]
    lines += [f"{a},{b},{','.join(rest)},1.5" for (a, b), *rest in zip(ROWS, *columns.values(), strict=True)]
    (tmp_path / "t.csv").write_text("\ufeff" + "\n".join(lines))
    starts = np.full(6, 1.5)
    np.savez(tmp_path / "t.npz", embedding=ROWS, start=starts, **columns)
    pq.write_table(pa.table({"vector": list(ROWS), "start": starts, **columns}), tmp_path / "t.parquet")
    for suffix in ("csv", "npz", "parquet"):
        record = read_embeddings(tmp_path / f"t.{suffix}", space="torusN")
        np.testing.assert_array_equal(record.rows, ROWS)
        assert record.label_names.tolist() == ["owl", "jay"] * 3
        assert record.groups.tolist() == [0, 0, 1, 1, 2, 2]
        assert record.parts.tolist() == ["train"] * 4 + ["test"] * 2
        assert record.starts.tolist() == starts.tolist()


def test_y_is_a_number_beside_x_and_a_label_elsewhere(tmp_path):
    for header, shape in (("x,y", (2, 2)), ("a,y", (2, 1))):
        (tmp_path / "t.csv").write_text(f"{header}\n1,2\n3,4\n")
        assert read_table(tmp_path / "t.csv").rows.shape == shape


def test_a_name_is_an_array_or_a_prefix(tmp_path):
    np.savez(tmp_path / "a.npz", one=ROWS, two=-ROWS, big_data=2 * ROWS, labels=LABELS)
    assert read_table(f"{tmp_path}/a.npz:two").rows.whole().tolist() == (-ROWS).tolist()
    assert read_table(f"{tmp_path}/a.npz:big").rows.whole().tolist() == (2 * ROWS).tolist()
    save_file({"one": ROWS, "two": -ROWS}, tmp_path / "a.safetensors")
    assert read_table(f"{tmp_path}/a.safetensors:two").rows.whole().tolist() == (-ROWS).tolist()


def test_a_label_file_serves_rows_of_any_file(tmp_path):
    np.save(tmp_path / "labels.npy", LABELS)
    (tmp_path / "labels.txt").write_text("\n".join(map(str, LABELS)))
    np.save(tmp_path / "a.npy", ROWS)
    np.savez(tmp_path / "a.npz", embeddings=ROWS, labels=LABELS * 0)
    (tmp_path / "a.csv").write_text("x,z\n" + "\n".join(f"{x},{y}" for x, y in ROWS))
    for name in ("a.npy", "a.npz", "a.csv"):
        for labels in ("labels.npy", "labels.txt"):
            record = read_embeddings(tmp_path / name, space="torusN", labels=tmp_path / labels)
            assert (record.rows.tolist(), record.labels.tolist()) == (ROWS.tolist(), LABELS.tolist())


def test_bytes_are_codes_and_other_integers_are_numbers(tmp_path):
    np.save(tmp_path / "codes.npy", ROWS.astype(np.uint8))
    np.save(tmp_path / "counts.npy", ROWS.astype(np.int64))
    codes = read_embeddings(tmp_path / "codes.npy", space="torusN")
    assert (codes.kind, codes.bits, codes.dim) == ("codes", 8, 4)
    counts = read_embeddings(tmp_path / "counts.npy", space="torusN")
    assert (counts.kind, counts.dim, counts.rows.dtype) == ("raw", 2, np.float64)


def test_what_cannot_be_read_is_one_sentence(tmp_path):
    np.save(tmp_path / "a.npy", ROWS)
    np.save(tmp_path / "nan.npy", np.where(ROWS == 5, np.nan, ROWS))
    (tmp_path / "short.csv").write_text("a,b\n1,2\n3\n")
    with (tmp_path / "b.npy").open("wb") as file:
        np.savez(file, embeddings=ROWS)
    pq.write_table(pa.table({"vector": [[1.0, 2.0], [3.0]]}), tmp_path / "ragged.parquet")
    pq.write_table(pa.table({"vector": [[1.0, 2.0], None]}), tmp_path / "holes.parquet")
    for name, sentence in {
        "a.npy": "does not name the space of its rows; pass --space",
        "nan.npy": "has a NaN or an infinity in row 2",
        "short.csv": "line 3 has 1 cells, and there are 2 columns",
        "b.npy": "holds several arrays; rename it to .npz",
        "ragged.parquet": "the column vector holds lists of different lengths",
        "holes.parquet": "the column vector has 1 empty cells",
        "a.txt": "has the suffix '.txt'; pass .npy, .npz, .csv, .safetensors, .parquet,",
        "none.npy": "there is no file",
    }.items():
        space = None if name == "a.npy" else "torusN"
        with pytest.raises((ValueError, TypeError, OSError), match=sentence) as raised:
            read_embeddings(tmp_path / name, space=space)
        assert "\n" not in str(raised.value)
