"""The file of answers: an SQLite database in write-ahead mode, to which rows are added and from which none is taken."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

APPLICATION = 0x48544157
"""What tells a file of answers from other SQLite databases."""
VERSION = 1
_MAGIC = b"SQLite format 3\0"
_PATIENCE = 30.0
_TABLES = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    """CREATE TABLE answers (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        item TEXT NOT NULL,
        question TEXT NOT NULL,
        answer TEXT NOT NULL CHECK (answer IN ('yes', 'no', 'unsure', 'undone')),
        who TEXT NOT NULL,
        moment TEXT NOT NULL,
        way TEXT NOT NULL,
        undoes INTEGER UNIQUE REFERENCES answers (number),
        CHECK ((answer = 'undone') = (undoes IS NOT NULL))
    ) STRICT""",
    """CREATE VIEW standing AS SELECT * FROM answers
        WHERE undoes IS NULL AND number NOT IN (SELECT undoes FROM answers WHERE undoes IS NOT NULL)""",
    "CREATE INDEX by_question ON answers (question, number)",
    "CREATE TRIGGER kept BEFORE DELETE ON answers BEGIN SELECT RAISE(ABORT, 'answers are never deleted'); END",
    "CREATE TRIGGER unchanged BEFORE UPDATE ON answers BEGIN SELECT RAISE(ABORT, 'answers are never changed'); END",
)


def open_database(path: Path, facts: Mapping[str, str]) -> sqlite3.Connection:
    """Return a connection to the file of answers at this path, which is made with these facts if there is none.

    A file that is damaged, or is something else, is an error in one sentence, and is left as it is.
    """
    _check_magic(path)
    try:
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise OSError(
            f"{path} cannot be opened ({error}); check that its folder exists and may be written to."
        ) from error
    try:
        _check_whole(connection, path)
        _create(connection, path, facts)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise OSError(f"{path} is held by another program for longer than {_PATIENCE:.0f} s; close it.") from error
        raise OSError(
            f"{path} cannot be written to ({error}); check its permissions and the room on its disk."
        ) from error
    except sqlite3.DatabaseError as error:
        connection.close()
        raise _damaged(path) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _check_magic(path: Path) -> None:
    """Raise an error if there is a file that is no database; an empty one is what a kill leaves at the very first."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder; answers are one file, so choose another place.")
    if not path.exists():
        return
    with path.open("rb") as file:
        begin = file.read(len(_MAGIC))
    if begin and begin != _MAGIC:
        raise _damaged(path)


def _check_whole(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise _damaged(path)


def _create(connection: sqlite3.Connection, path: Path, facts: Mapping[str, str]) -> None:
    """Make the tables in an empty file, or check that they are those of answers."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in _TABLES:
                connection.execute(statement)
            connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        _check_format(connection, path)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise ValueError(f"{path} is a database of another program; choose another place for the answers.")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise ValueError(
            f"{path} has format version {version}, and this hypertorus reads {VERSION}; update hypertorus."
        )


def _damaged(path: Path) -> ValueError:
    return ValueError(
        f"{path} is damaged, or is not a file of answers; put back a copy of it, or move it away to begin anew."
    )
