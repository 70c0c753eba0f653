from pathlib import Path

import pytest

from hypertorus.files.whole_folder import whole_folder


def fill(folder: Path, text: str) -> None:
    with whole_folder(folder) as fresh:
        (fresh / "note.txt").write_text(text)


def test_a_folder_is_replaced_whole(tmp_path):
    fill(tmp_path / "notes", "old")
    fill(tmp_path / "notes", "new")
    assert (tmp_path / "notes" / "note.txt").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_name(tmp_path, monkeypatch):
    fill(tmp_path / "notes", "old")
    rename = Path.rename

    def fail_for_the_new_one(self, target):
        if (self / "note.txt").read_text() == "new":
            raise PermissionError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_the_new_one)
    with pytest.raises(PermissionError):
        fill(tmp_path / "notes", "new")
    assert (tmp_path / "notes" / "note.txt").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]
