import os
import shutil
import time
from pathlib import Path

import pytest

from hypertorus.files import whole_folder as module
from hypertorus.files.whole_folder import whole_folder

TEXT = "note.txt"


def fill(folder: Path, text: str) -> None:
    with whole_folder(folder) as fresh:
        (fresh / TEXT).write_text(text)


@pytest.fixture(params=["exchanged", "one after the other"])
def notes(request, tmp_path, monkeypatch):
    """A folder of old notes, on a system that can exchange two names in one step, and on one that cannot."""
    if request.param == "one after the other":
        monkeypatch.setattr(module, "exchange", lambda *_: False)
    fill(tmp_path / "notes", "old")
    return tmp_path / "notes"


def after_each_step(monkeypatch, act):
    """Call `act(number)` after each rename and exchange of folders; return the list of their numbers."""
    steps, rename, exchange = [], Path.rename, module.exchange

    def step(run):
        def counted(*arguments):
            answer = run(*arguments)
            steps.append(len(steps))
            act(steps[-1])
            return answer

        return counted

    monkeypatch.setattr(Path, "rename", step(rename))
    monkeypatch.setattr(module, "exchange", step(exchange))
    return steps


def test_a_folder_is_replaced_whole(notes):
    fill(notes, "new")
    assert (notes / TEXT).read_text() == "new"
    assert [path.name for path in notes.parent.iterdir()] == ["notes"]


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_name(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "exchange", lambda *_: False)
    fill(tmp_path / "notes", "old")
    rename = Path.rename

    def fail_for_the_new_one(self, target):
        if (self / TEXT).read_text() == "new":
            raise PermissionError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_the_new_one)
    with pytest.raises(PermissionError):
        fill(tmp_path / "notes", "new")
    assert (tmp_path / "notes" / TEXT).read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_ctrl_c_between_any_two_steps_leaves_the_old_folder_or_the_new(notes, monkeypatch):
    for number in range(4):
        shutil.rmtree(notes)
        fill(notes, "old")
        with monkeypatch.context() as patch:

            def interrupt(step, wanted=number):
                if step == wanted:
                    raise KeyboardInterrupt

            after_each_step(patch, interrupt)
            try:
                fill(notes, "new")
            except KeyboardInterrupt:
                assert (notes / TEXT).read_text() in ("old", "new")
            else:
                assert number > 0
        assert (notes / TEXT).read_text() in ("old", "new")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_kill_between_any_two_steps_and_hours_later_cost_nothing(notes, monkeypatch):
    for number in range(4):
        shutil.rmtree(notes)
        fill(notes, "old")
        child = os.fork()
        if child == 0:
            after_each_step(monkeypatch, lambda step, wanted=number: os._exit(9) if step == wanted else None)
            fill(notes, "new")
            os._exit(0)
        os.waitpid(child, 0)
        before = time.time() - 7200
        for path in notes.parent.rglob("*"):
            os.utime(path, (before, before))
        with pytest.raises(RuntimeError, match="this write fails"), whole_folder(notes):
            raise RuntimeError("this write fails")
        assert (notes / TEXT).read_text() in ("old", "new")


def test_a_folder_that_is_still_written_to_is_not_swept(tmp_path):
    with whole_folder(tmp_path / "notes") as fresh:
        (fresh / "part").mkdir()
        before = time.time() - 7200
        os.utime(fresh, (before, before))
        os.utime(fresh / "part", (before, before))
        (fresh / "part" / TEXT).write_text("slow")
        os.utime(fresh / "part", (before, before))
        fill(tmp_path / "notes", "quick")
        assert (fresh / "part" / TEXT).read_text() == "slow"
