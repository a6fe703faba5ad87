"""The writing side of a SQLite store: groups of units behind the turnstile, and rest for the log."""

import contextlib
import logging
import sqlite3
import time
from pathlib import Path

from goclaw.model.errors import GoclawError, StoreBusy
from goclaw.storage.engines.group_writer import Ticket
from goclaw.storage.engines.sqlite_connection import WAL_LIMIT_BYTES, connect, prepare_writer, translate
from goclaw.storage.engines.sqlite_units import SqliteUnit
from goclaw.storage.engines.turnstile import Turnstile

REST_AGAIN_S = 5.0
_POLL_S = 0.01

_log = logging.getLogger("goclaw.storage")


class SqliteWriter:
    """The connection that writes, opened when first needed and again after trouble. Used by the writer thread."""

    def __init__(self, path: Path, patience_s: float) -> None:
        self._path = path
        self._patience_s = patience_s
        self._turnstile: Turnstile | None = None
        self._connection: sqlite3.Connection | None = None
        self._unit: SqliteUnit | None = None

    def commit(self, tickets: list[Ticket]) -> None:
        """Make the tickets' work durable; each has its result or error afterwards."""
        if self._turnstile is None:
            self._turnstile = Turnstile(self._path, self._patience_s)
        with self._turnstile:
            trouble = self._attempt(tickets)
            if trouble is None or isinstance(trouble, StoreBusy) or len(tickets) == 1:
                return
            # One unit may have taken the others down with it (a full disk does): each tries again by itself.
            for ticket in tickets:
                self._attempt([ticket])

    def _attempt(self, tickets: list[Ticket]) -> GoclawError | None:
        """One transaction; where it is lost, the error that each ticket now has at least."""
        try:
            self._ready_unit().run_group(tickets)
        except sqlite3.Error as error:
            trouble = translate(error)
            self._drop_connection()
            for ticket in tickets:
                ticket.error = ticket.error or trouble
            return trouble
        return None

    def _ready_unit(self) -> SqliteUnit:
        if self._unit is None:
            connection = connect(self._path, "rw", self._patience_s)
            self._connection = connection
            prepare_writer(connection)
            self._unit = SqliteUnit(connection)
        return self._unit

    def _drop_connection(self) -> None:
        """After trouble nothing the connection remembers is trusted; closing it rolls back."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = self._unit = None

    def rest(self) -> float | None:
        """Truncate the log while nobody writes; seconds until it wants to try again, None when done."""
        if self._turnstile is None or self._connection is None:
            return None
        try:
            with self._turnstile:
                is_done = truncate_log(self._connection)
        except (StoreBusy, sqlite3.Error):
            return REST_AGAIN_S
        if is_done:
            return None
        if log_bytes(self._path) > WAL_LIMIT_BYTES:
            _log.warning("a reader that does not end keeps the write-ahead log above its limit")
        return REST_AGAIN_S

    def close(self) -> None:
        self._drop_connection()
        if self._turnstile is not None:
            self._turnstile.close()
            self._turnstile = None


def truncate_log(connection: sqlite3.Connection) -> bool:
    """Move the whole log into the database file and cut it to nothing; False where a reader still needs it."""
    (timeout,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout = 0")  # waiting here would keep every writer waiting
    try:
        (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {timeout}")
    return not is_busy


def truncate_log_now(path: Path, patience_s: float) -> None:
    """The same at somebody's wish and on a connection of its own; StoreBusy where a reader stays too long."""
    deadline = time.monotonic() + patience_s
    turnstile = Turnstile(path, patience_s)
    connection = connect(path, "rw", patience_s)
    try:
        prepare_writer(connection)
        while True:
            with turnstile:
                if truncate_log(connection):
                    return
            if time.monotonic() >= deadline:
                raise StoreBusy("A reader still needs the log.", "Try again when it has ended.")
            time.sleep(_POLL_S)
    except sqlite3.Error as error:
        raise translate(error) from error
    finally:
        connection.close()
        turnstile.close()


def log_bytes(path: Path) -> int:
    """The size of the write-ahead log."""
    log = path.with_name(path.name + "-wal")
    try:
        return log.stat().st_size
    except FileNotFoundError:
        return 0
