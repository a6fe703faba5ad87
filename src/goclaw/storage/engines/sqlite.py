"""The SQLite engine: one writer thread behind a turnstile, readers on pooled connections of their own."""

import contextlib
import os
import sqlite3
from pathlib import Path

from goclaw.storage.engines.sqlite_connection import connect, prepare_reader, translate
from goclaw.storage.engines.sqlite_units import SqliteReader
from goclaw.storage.engines.sqlite_writer import SqliteWriter, log_bytes, truncate_log_now
from goclaw.storage.engines.threaded_database import ThreadedDatabase


class SqliteDatabase(ThreadedDatabase):
    """A SQLite store (see storage/database.py). ``reader_mode`` is how its file can be read: rw, ro or immutable."""

    def __init__(self, path: Path, *, patience_s: float, reader_mode: str = "rw") -> None:
        self._path = path
        self._patience_s = patience_s
        self._reader_mode = reader_mode
        super().__init__(lambda: SqliteWriter(path, patience_s), self._open_reader, read_only=reader_mode != "rw")

    def _open_reader(self) -> SqliteReader:
        connection = self._connect()
        prepare_reader(connection)
        return SqliteReader(connection)

    def checkpoint(self) -> None:
        self.refuse_if_read_only()
        with self.in_use():
            truncate_log_now(self._path, self._patience_s)

    def find_damage(self) -> list[str]:
        with self.in_use(), contextlib.closing(self._connect()) as connection:
            try:
                findings = [str(line) for (line,) in connection.execute("PRAGMA integrity_check").fetchall()]
            except sqlite3.DatabaseError as error:
                findings = [str(translate(error))]
        return [] if findings == ["ok"] else findings

    def copy_to(self, target: Path) -> None:
        """One read transaction, so writers go on. The copy appears under its name only when it is whole."""
        unfinished = target.with_name(target.name + ".unfinished")
        os.close(os.open(unfinished, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
        with (
            self.in_use(),
            contextlib.closing(self._connect()) as source,
            contextlib.closing(connect(unfinished, "rw", self._patience_s)) as copy,
        ):
            try:
                source.backup(copy)
            except sqlite3.Error as error:
                raise translate(error) from error
        os.replace(unfinished, target)

    def size_bytes(self) -> int:
        return self._path.stat().st_size + log_bytes(self._path)

    def _connect(self) -> sqlite3.Connection:
        return connect(self._path, self._reader_mode, self._patience_s)
