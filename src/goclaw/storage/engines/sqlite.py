"""The SQLite engine: one writer thread behind a turnstile, readers on pooled connections of their own."""

import atexit
import contextlib
import os
import sqlite3
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from goclaw.model.errors import StoreError, StoreReadOnly
from goclaw.storage.database import Reader, Unit
from goclaw.storage.engines.group_writer import GroupWriter
from goclaw.storage.engines.sqlite_connection import connect, prepare_reader, translate
from goclaw.storage.engines.sqlite_units import SqliteReader
from goclaw.storage.engines.sqlite_writer import SqliteWriter, log_bytes, truncate_log_now

Result = TypeVar("Result")

_MAX_IDLE_READERS = 32

_open_stores: "weakref.WeakSet[SqliteDatabase]" = weakref.WeakSet()
# A child must neither use nor close what its parent has open: closing would touch the parent's locks.
_left_to_parent: list[Any] = []


class SqliteDatabase:
    """A SQLite store (see storage/database.py). ``reader_mode`` is how its file can be read: rw, ro or immutable."""

    def __init__(self, path: Path, *, patience_s: float, reader_mode: str = "rw") -> None:
        self._path = path
        self._patience_s = patience_s
        self._reader_mode = reader_mode
        self.read_only = reader_mode != "rw"
        self._is_closed = False
        self._start()
        _open_stores.add(self)
        atexit.register(self.close)

    def _start(self) -> None:
        self._idle_readers: deque[SqliteReader] = deque()
        self._writer = SqliteWriter(self._path, self._patience_s)
        self._groups = GroupWriter(self._writer.commit, self._writer.rest)

    def start_afresh_in_child(self) -> None:
        """After a fork: leave the parent's connections, locks and thread alone and begin with none."""
        _left_to_parent.append((self._idle_readers, self._writer, self._groups))
        self._start()

    def write(self, work: Callable[[Unit], Result]) -> Result:
        self._refuse_if_read_only()
        return self._groups.write(work)

    def write_later(self, work: Callable[[Unit], None]) -> None:
        self._refuse_if_read_only()
        self._groups.write_later(work)

    def flush_later(self) -> None:
        if not self.read_only:
            self._groups.flush_later()

    def _refuse_if_read_only(self) -> None:
        if self.read_only:
            raise StoreReadOnly("The store is open for reading only.", "Make the state directory writable.")

    @contextlib.contextmanager
    def read(self) -> Iterator[Reader]:
        reader = self._take_reader()
        try:
            reader.begin()
            yield reader
        finally:
            self._give_back(reader)

    def _take_reader(self) -> SqliteReader:
        if self._is_closed:
            raise StoreError("The store is closed.", "Open it again.")
        try:
            return self._idle_readers.pop()
        except IndexError:
            connection = connect(self._path, self._reader_mode, self._patience_s)
            prepare_reader(connection)
            return SqliteReader(connection)

    def _give_back(self, reader: SqliteReader) -> None:
        reader.end()
        if self._is_closed or len(self._idle_readers) >= _MAX_IDLE_READERS:
            reader.close()
        else:
            self._idle_readers.append(reader)

    def checkpoint(self) -> None:
        self._refuse_if_read_only()
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

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        atexit.unregister(self.close)
        _open_stores.discard(self)
        self._groups.close()
        while self._idle_readers:
            self._idle_readers.pop().close()
        self._writer.close()


def _start_afresh_in_child() -> None:
    for store in list(_open_stores):
        store.start_afresh_in_child()


os.register_at_fork(after_in_child=_start_afresh_in_child)
