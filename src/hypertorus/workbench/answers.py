"""Answers of people to "is this a ...?", kept beside the index: each is on disk before it counts, and none is lost."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, NamedTuple, Self

from hypertorus.workbench.database import open_database
from hypertorus.workbench.items import Items
from hypertorus.workbench.moved import are_forgotten, facts_of, prefixes, to_repeat

ANSWERS = ("yes", "no", "unsure")
_LONGEST = 1000


class Answer(NamedTuple):
    """One answer of one person, or the undoing of one."""

    number: int
    item: str
    """Key of the item."""
    question: str
    """Name of the class that was asked about."""
    answer: str
    """`yes`, `no` or `unsure`; `undone` takes back the answer that `undoes` numbers."""
    who: str
    moment: str
    """Time of the answer, ISO 8601 in UTC."""
    way: str
    """How the item was chosen, such as `best`; empty if it is not known."""
    undoes: int | None


class Answers:
    """Think of a notebook in which lines are added and none is erased: taking back an answer is a line, too.

    Every answer is written to disk before the call returns. Several processes and threads may answer at once.

    >>> import tempfile, numpy as np
    >>> from hypertorus import Index
    >>> index = Index(dim=1)
    >>> _ = index.add(np.array([[3], [7]]), names=["1.jpg", "2.jpg"])
    >>> with tempfile.TemporaryDirectory() as folder, Answers.open(f"{folder}/a.sqlite", Items.of(index)) as answers:
    ...     _ = answers.say("1.jpg", "owl", "yes", who="Ada")
    ...     _ = answers.say("2.jpg", "owl", "no", who="Ada")
    ...     _ = answers.undo("Ada")
    ...     answers.current("owl"), len(answers.history())
    ({'1.jpg': 'yes'}, 3)
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = RLock()

    @classmethod
    def beside(cls, index: str | os.PathLike[str]) -> Path:
        """Return the path of the answers to an index, next to its file or folder."""
        path = Path(os.path.normpath(index))
        return path.with_name(f"{path.name}.answers.sqlite")

    @classmethod
    def open(cls, path: str | os.PathLike[str], items: Items, *, other_model: bool = False) -> Self:
        """Return the answers in a file, which is made if there is none; answers to another index are an error.

        Answers belong to items and outlive a model: `other_model` allows codes of another model of the same items.
        """
        place = Path(path)
        facts = {} if items.folder is None else facts_of(items.folder, ())
        opened = cls(place, open_database(place, {"model": items.model or "", "items": items.kind, **facts}))
        try:
            opened._check_kind(items, other_model=other_model)
            opened._follow(items)
            opened._check_items(items)
        except BaseException:
            opened.close()
            raise
        return opened

    def _check_kind(self, items: Items, *, other_model: bool) -> None:
        facts = self.facts
        if facts.get("items") != items.kind:
            raise ValueError(
                f"{self.path} has answers on {facts.get('items')}, but this index has {items.kind}; "
                "open it with the index that it belongs to."
            )
        model = facts.get("model") or None
        if not other_model and None not in (model, items.model) and model != items.model:
            raise ValueError(
                f"{self.path} has answers on codes of another model; open it with the index that it belongs to, or "
                "take them over with other_model=True if the items are the same."
            )

    def _follow(self, items: Items) -> None:
        """Repeat answers under the longer paths that an index has which grew beyond the folder of its recordings."""
        moved = [] if items.folder is None else prefixes(self.facts, items.folder)
        repeated = to_repeat(self.history(), items, moved) if moved else []
        if items.folder is None or not repeated:
            return
        with self._writing() as connection:
            for line, key in repeated:
                self._add(connection, key, line.question, line.answer, line.who, line.moment, line.way, None)
            facts = facts_of(items.folder, moved).items()
            connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts)

    def _check_items(self, items: Items) -> None:
        some = [row[0] for row in self._rows("SELECT DISTINCT item FROM answers LIMIT 1000")]
        if some and (items.rows(some) < 0).all() and not are_forgotten(some, self.facts, items):
            raise ValueError(
                f"{self.path} has answers on {some[0]} and others, none of which is in this index; open it with the "
                "index that it belongs to."
            )

    @property
    def facts(self) -> dict[str, str]:
        """What the answers belong to: the fingerprint of the model, and the kind of the items."""
        return dict(self._rows("SELECT name, value FROM facts"))

    def say(self, item: str, question: str, answer: str, *, who: str, way: str = "") -> Answer:
        """Write an answer to disk, and return it."""
        return self.say_all([(item, answer)], question, who=who, way=way)[0]

    def say_all(self, said: Iterable[tuple[str, str]], question: str, *, who: str, way: str = "") -> list[Answer]:
        """Write the answers to one question for several items, (item, answer) each, to disk: all of them or none."""
        pairs = list(said)
        for name, text in (("question", question), ("who", who)):
            _check_text(name, text)
        for item, answer in pairs:
            if not item or not _is_unicode(item):
                raise ValueError(f"item is {item!r:.60}; pass the key of an item.")
            if answer not in ANSWERS:
                raise ValueError(f"answer is {answer!r}; choose one of {', '.join(ANSWERS)}.")
        moment = _now()
        with self._writing() as connection:
            return [self._add(connection, item, question, answer, who, moment, way, None) for item, answer in pairs]

    def undo(self, who: str) -> Answer | None:
        """Take back the last answer of this person that stands, and return it; None if there is none."""
        with self._writing() as connection:
            found = connection.execute(
                "SELECT * FROM standing WHERE who = ? ORDER BY number DESC LIMIT 1", (who,)
            ).fetchone()
            if found is None:
                return None
            last = Answer(*found)
            self._add(connection, last.item, last.question, "undone", who, _now(), last.way, last.number)
            return last

    def current(self, question: str, *, who: str | None = None) -> dict[str, str]:
        """Return the answer that stands for each item: the last one, of anybody or of one person."""
        query = "SELECT item, answer FROM standing WHERE question = ? AND who = coalesce(?, who) ORDER BY number"
        return dict(self._rows(query, (question, who)))

    def questions(self) -> dict[str, dict[str, int]]:
        """Return, for each question with an answer that stands, how many items were answered how."""
        query = "SELECT question FROM standing GROUP BY question ORDER BY min(number)"
        asked = [row[0] for row in self._rows(query)]
        counts = {}
        for question in asked:
            said = list(self.current(question).values())
            counts[question] = {answer: said.count(answer) for answer in ANSWERS}
        return counts

    def history(self) -> list[Answer]:
        """Return everything that was ever said and undone, in order."""
        return [Answer(*row) for row in self._rows("SELECT * FROM answers ORDER BY number")]

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _rows(self, query: str, values: tuple[str | None, ...] = ()) -> list[Any]:
        with self._lock, self._explained():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the one place of a writer, and commit at the end."""
        with self._lock, self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.ProgrammingError as error:
            raise ValueError(f"{self.path} was closed; open it again.") from error
        except sqlite3.Error as error:
            raise OSError(
                f"{self.path} could not be read or written ({error}) and is as before; check the disk, and try again."
            ) from error

    @staticmethod
    def _add(
        connection: sqlite3.Connection,
        item: str,
        question: str,
        answer: str,
        who: str,
        moment: str,
        way: str,
        undoes: int | None,
    ) -> Answer:
        values = (item, question, answer, who, moment, way, undoes)
        written = connection.execute(
            "INSERT INTO answers (item, question, answer, who, moment, way, undoes) VALUES (?, ?, ?, ?, ?, ?, ?)",
            values,
        )
        return Answer(int(written.lastrowid or 0), *values)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_text(name: str, text: str) -> None:
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST or not text.isprintable():
        raise ValueError(f"{name} is {text!r:.60}; pass a text of 1 to {_LONGEST} printable characters.")
