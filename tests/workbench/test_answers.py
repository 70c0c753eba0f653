"""No answer is lost: to kills, other processes, undoing, damage, or another index."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

from hypertorus.search import Index
from hypertorus.workbench import Answers, Items


def test_an_answer_is_on_disk_before_the_call_returns(place):
    _, items, _, path = place
    code = f"""
import os, signal
from pathlib import Path
from hypertorus.workbench.answers import Answers
from hypertorus.workbench.items import Items
import numpy as np
items = Items(np.arange(100), {items.model!r}, "names", [str(n) for n in range(100)], np.arange(100))
answers = Answers.open({str(path)!r}, items)
for number in range(7):
    answers.say(str(number), "owl", "yes", who="Ada")
    print(number, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    said = done.stdout.split()
    names = [str(number) for number in range(100)]
    with Answers.open(path, Items(np.arange(100), items.model, "names", names, np.arange(100))) as answers:
        assert list(answers.current("owl")) == said == [str(number) for number in range(7)]


def answer_many(path, who, count):
    items = Items(np.arange(10), None, "ids")
    with Answers.open(path, items) as answers:
        for number in range(count):
            answers.say(f"#{number % 10}", "owl", "yes", who=who)


def test_processes_and_threads_answer_at_once(tmp_path):
    path = tmp_path / "a.sqlite"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=answer_many, args=(path, f"p{number}", 20)) for number in range(2)]
    for process in processes:
        process.start()
    with Answers.open(path, Items(np.arange(10), None, "ids")) as answers:
        said = [("#1", "no")] * 10
        threads = [
            threading.Thread(target=answers.say_all, args=(said, "jay"), kwargs={"who": "thread"}) for _ in "123"
        ]
        for thread in threads:
            thread.start()
        for worker in (*threads, *processes):
            worker.join()
        assert [process.exitcode for process in processes] == [0, 0]
        history = answers.history()
        assert [one.number for one in history] == list(range(1, 71))
        assert sorted(one.who for one in history) == ["p0"] * 20 + ["p1"] * 20 + ["thread"] * 30


def test_a_file_may_be_made_by_several_at_once(tmp_path):
    items, together, errors = Items(np.arange(10), None, "ids"), threading.Barrier(6), []

    def begin(number):
        together.wait()
        try:
            with Answers.open(tmp_path / "a.sqlite", items) as answers:
                answers.say("#1", "owl", "yes", who=f"person {number}")
        except (OSError, ValueError) as error:
            errors.append(error)

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with Answers.open(tmp_path / "a.sqlite", items) as answers:
        assert len({one.who for one in answers.history()}) == 6


def test_undoing_takes_back_the_last_of_a_person_and_keeps_all(place, answers):
    keys = [place[1].key(row) for row in range(3)]
    answers.say(keys[0], "owl", "yes", who="Ada", way="best")
    answers.say(keys[1], "owl", "no", who="Ada")
    answers.say(keys[1], "owl", "yes", who="Bea")
    assert answers.current("owl") == {keys[0]: "yes", keys[1]: "yes"}
    assert answers.current("owl", who="Ada") == {keys[0]: "yes", keys[1]: "no"}
    assert answers.undo("Ada").answer == "no"
    assert answers.undo("Bea").item == keys[1]
    assert answers.current("owl") == {keys[0]: "yes"}
    assert answers.undo("Bea") is None
    assert answers.undo("Ada").way == "best"
    assert answers.undo("Ada") is None
    assert answers.current("owl") == {}
    assert answers.questions() == {}
    history = answers.history()
    assert [(one.answer, one.undoes) for one in history][3:] == [("undone", 2), ("undone", 3), ("undone", 1)]
    assert all(one.moment.endswith("+00:00") for one in history)


def test_the_last_answer_to_an_item_counts(place, answers):
    key = place[1].key(0)
    answers.say(key, "owl", "yes", who="Ada")
    answers.say(key, "owl", "unsure", who="Ada")
    answers.say(key, "jay", "no", who="Ada")
    assert answers.questions() == {
        "owl": {"yes": 0, "no": 0, "unsure": 1},
        "jay": {"yes": 0, "no": 1, "unsure": 0},
    }
    answers.undo("Ada")
    answers.undo("Ada")
    assert answers.current("owl") == {key: "yes"}


def test_nothing_is_deleted_or_changed_even_by_hand(place, answers):
    answers.say(place[1].key(0), "owl", "yes", who="Ada")
    other = sqlite3.connect(place[3])
    for statement in ("DELETE FROM answers", "UPDATE answers SET answer = 'no'"):
        with pytest.raises(sqlite3.IntegrityError, match="answers are never"):
            other.execute(statement)
    other.close()


def test_several_answers_are_written_together_or_not_at_all(place, answers):
    keys = [place[1].key(row) for row in range(2)]
    with pytest.raises(ValueError, match="answer is 'maybe'; choose one of yes, no, unsure"):
        answers.say_all([(keys[0], "yes"), (keys[1], "maybe")], "owl", who="Ada")
    assert answers.history() == []
    assert [one.item for one in answers.say_all([(key, "no") for key in keys], "owl", who="Ada")] == keys


@pytest.mark.parametrize(("field", "value"), [("item", ""), ("question", " "), ("who", ""), ("question", "a\nb")])
def test_empty_and_unprintable_texts_are_refused(answers, field, value):
    given = {"item": "x", "question": "owl", "who": "Ada", field: value}
    with pytest.raises(ValueError, match=f"{field} is "):
        answers.say(given["item"], given["question"], "yes", who=given["who"])


def damage(path, how):
    content = bytearray(path.read_bytes())
    if how == "no database":
        content[:16] = b"something else.."
    elif how == "cut":
        del content[len(content) // 2 :]
    else:
        content[4096:4396] = os.urandom(300)
    path.write_bytes(content)
    return bytes(content)


@pytest.mark.parametrize("how", ["no database", "cut", "changed"])
def test_a_damaged_file_is_one_sentence_and_stays_as_it_is(place, how):
    _, items, _, path = place
    with Answers.open(path, items) as answers:
        answers.say_all([(items.key(row), "yes") for row in range(200)], "owl", who="Ada")
    before = damage(path, how)
    with pytest.raises(ValueError, match=r"is damaged, or is not a file of answers; put back a copy") as error:
        Answers.open(path, items)
    assert "\n" not in str(error.value)
    assert path.read_bytes() == before


def test_answers_of_another_index_are_refused(place, answers):
    index, items, _, path = place
    answers.say(items.key(0), "owl", "yes", who="Ada")
    other = Items(items.ids, "e" * 64, items.kind, items.names, items.files)
    with pytest.raises(ValueError, match="answers on codes of another model"):
        Answers.open(path, other)
    with Answers.open(path, other, other_model=True) as taken_over:
        assert taken_over.current("owl") == {items.key(0): "yes"}
    with pytest.raises(ValueError, match="answers on names, but this index has ids"):
        Answers.open(path, Items(items.ids, items.model, "ids"))
    strange = Index(1, model=items.model)
    strange.add(np.zeros((1, 1), int), names=["elsewhere.wav"])
    with pytest.raises(ValueError, match="none of which is in this index"):
        Answers.open(path, Items.of(strange))
    index.remove(index.ids[1:300])
    with Answers.open(path, Items.of(index)) as again:
        assert again.current("owl") == {items.key(0): "yes"}


def test_files_of_others_are_left_alone(place, tmp_path):
    foreign = tmp_path / "other.sqlite"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE birds (name TEXT)")
    connection.close()
    with pytest.raises(ValueError, match="a database of another program"):
        Answers.open(foreign, place[1])
    with pytest.raises(ValueError, match="is a folder"):
        Answers.open(tmp_path, place[1])
    with pytest.raises(OSError, match="cannot be opened"):
        Answers.open(tmp_path / "nowhere" / "a.sqlite", place[1])


def test_what_is_closed_says_so(place):
    answers = Answers.open(place[3], place[1])
    answers.close()
    with pytest.raises(ValueError, match="was closed; open it again"):
        answers.current("owl")


def test_answers_lie_beside_their_index(tmp_path):
    assert Answers.beside(tmp_path / "sounds/") == tmp_path / "sounds.answers.sqlite"


def windows(folder, *paths):
    count = len(paths)
    return Items(
        np.arange(count), "f" * 64, "windows", paths, np.arange(count), np.zeros(count), np.ones(count), folder=folder
    )


def test_answers_follow_an_index_that_grows_beyond_its_folder(tmp_path):
    """As after `hypertorus sounds add` of a folder beside the first one: paths become longer, twice."""
    path, card = tmp_path / "answers.sqlite", tmp_path / "2024" / "may" / "card"
    first = windows(card, "1.wav", "2.wav", "3.wav")
    with Answers.open(path, first) as answers:
        answers.say(first.key(0), "owl", "yes", who="Ada", way="sample")
        answers.say(first.key(1), "owl", "no", who="Ada")
        answers.say(first.key(2), "owl", "yes", who="Ada")
        answers.undo("Ada")
    second = windows(card.parent, "card/1.wav", "card/2.wav", "other/1.wav")
    with Answers.open(path, second) as answers:
        assert answers.current("owl").items() >= {second.key(0): "yes", second.key(1): "no"}.items()
        assert second.rows(answers.current("owl")).max() == 1  # nothing was said about other/1.wav
        lines = answers.history()
        assert [(line.who, line.way, line.moment) for line in lines[-2:]] == [
            ("Ada", "sample", lines[0].moment),
            *([("Ada", "", lines[1].moment)]),
        ]
        answers.say(second.key(1), "owl", "yes", who="Grace")  # a change of mind
    late = Answers.open(path, first)  # by a page that was open all the time
    late.say(first.key(2), "owl", "unsure", who="Ada")
    late.close()
    third = windows(tmp_path / "2024", "may/card/1.wav", "may/card/2.wav", "may/card/3.wav", "june/1.wav")
    for _ in range(2):
        with Answers.open(path, third) as answers:
            said = answers.current("owl")
            assert {third.key(row): said.get(third.key(row)) for row in range(4)} == {
                "may/card/1.wav#0-1": "yes",
                "may/card/2.wav#0-1": "yes",
                "may/card/3.wav#0-1": "unsure",
                "june/1.wav#0-1": None,
            }
            count = len(answers.history())
    with Answers.open(path, third) as answers:
        assert len(answers.history()) == count  # nothing is repeated twice


def test_answers_on_forgotten_recordings_do_not_close_the_page(tmp_path):
    """As after `hypertorus sounds remove` of all that was answered."""
    path, card = tmp_path / "answers.sqlite", tmp_path / "card"
    with Answers.open(path, windows(card, "1.wav", "2.wav")) as answers:
        answers.say("1.wav#0-1", "owl", "yes", who="Ada")
    with Answers.open(path, windows(card, "2.wav")) as answers:
        assert answers.current("owl") == {"1.wav#0-1": "yes"}
    for other in (windows(tmp_path / "others", "2.wav"), replace(windows(card, "1.wav"), ends=np.full(1, 3.0))):
        with pytest.raises(ValueError, match="none of which is in this index"):
            Answers.open(path, other)
