"""Connections to a SQLite file: how they are opened, and what their errors mean to us."""

import sqlite3
from pathlib import Path
from urllib.parse import quote

from goclaw.model.errors import Conflict, GoclawError, StoreBusy, StoreDamaged, StoreError, StoreFull, StoreReadOnly

PAGE_BYTES = 8192
WAL_LIMIT_BYTES = 64 * 1024 * 1024
# Every recall writes a few dozen index entries in no order. With room for the pages they lie on, and a log long enough
# that a page changed again and again is copied into the file once, that costs a quarter less CPU.
_WRITER_CACHE_BYTES = 8 * 1024 * 1024
_COPY_LOG_AT_PAGES = 4_000  # half of the limit, and one table of the log's index
# Each connection keeps its compiled statements; more than all statements of the product.
_CACHED_STATEMENTS = 512

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
# A quota or a file size limit shows as a failed write, a full memory disk as a shared-memory file that cannot grow.
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_TRUNCATE}
_DOUBLE = {
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_ROWID,
}


def connect(path: Path, mode: str, busy_timeout_s: float) -> sqlite3.Connection:
    """Open in mode ``rwc``, ``rw``, ``ro`` or ``immutable``, without any transaction of the driver's own making.

    Raises model errors. The connection may be used by any thread, by one at a time.
    """
    way = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?{way}",
            uri=True,
            timeout=busy_timeout_s,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=_CACHED_STATEMENTS,
        )
    except sqlite3.Error as error:
        raise translate(error) from None
    return connection


def prepare_writer(connection: sqlite3.Connection) -> None:
    """Settings of the one connection that writes. Page size and WAL last in the file, the others do not."""
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")  # where savepoints keep pages: a file would cost as much again
    connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_COPY_LOG_AT_PAGES}")
    connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_BYTES // 1024}")


def prepare_reader(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = ON")


def translate(error: sqlite3.Error) -> GoclawError:
    """Our error for the driver's. Its text is not carried over: it can hold SQL and paths."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    kind = code & 0xFF
    if kind in _BUSY:
        return StoreBusy("The store is busy.", "Try again; see which other programs have the database open.")
    if code in _FULL:
        return StoreFull("The store cannot grow.", "Free some space on its disk; what was acknowledged is safe.")
    if kind == sqlite3.SQLITE_READONLY:
        return StoreReadOnly("The store cannot be written.", "Make the state directory writable.")
    if kind in _DAMAGED:
        return StoreDamaged(
            "The database file is damaged.",
            "Run `goclaw memory check`; it says what is damaged and how to go back to a backup. Delete nothing.",
        )
    if code in _DOUBLE:
        return Conflict("A row with this key exists already.", "Read it, then decide.")
    if kind == sqlite3.SQLITE_CANTOPEN:
        return StoreError("The database file cannot be opened.", "See whether the state directory exists.")
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    return StoreError(f"The database refused ({name}).", "The log of the gateway says where.")
