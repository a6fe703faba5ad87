"""The SQLite engine: one writer thread behind a turnstile, readers on pooled connections of their own."""

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
        connection = connect(self._path, self._reader_mode, self._patience_s)
        prepare_reader(connection)
        return SqliteReader(connection)

    def checkpoint(self) -> None:
        self.refuse_if_read_only()
        truncate_log_now(self._path, self._patience_s)

    def find_damage(self) -> list[str]:
        connection = connect(self._path, self._reader_mode, self._patience_s)
        try:
            findings = [str(line) for (line,) in connection.execute("PRAGMA integrity_check").fetchall()]
        except sqlite3.DatabaseError as error:
            findings = [str(translate(error))]
        finally:
            connection.close()
        return [] if findings == ["ok"] else findings

    def copy_to(self, target: Path) -> None:
        """One read transaction, so writers go on. The copy appears under its name only when it is whole."""
        target.unlink(missing_ok=True)
        unfinished = target.with_name(target.name + ".unfinished")
        os.close(os.open(unfinished, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
        source = connect(self._path, self._reader_mode, self._patience_s)
        copy = connect(unfinished, "rw", self._patience_s)
        try:
            source.backup(copy)
        except sqlite3.Error as error:
            raise translate(error) from error
        finally:
            copy.close()
            source.close()
        os.replace(unfinished, target)

    def size_bytes(self) -> int:
        return self._path.stat().st_size + log_bytes(self._path)
