"""Opening a SQLite store: a new one is made, an older one brought up to date, a newer one left untouched."""

import errno
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, StaticPool, create_engine

from goclaw.model.errors import StoreError, StoreReadOnly
from goclaw.settings.paths import make_folder
from goclaw.storage.database import UnchangedStore
from goclaw.storage.engines.sqlite import SqliteDatabase
from goclaw.storage.engines.sqlite_connection import connect, prepare_writer, translate
from goclaw.storage.engines.sqlite_units import DIALECT
from goclaw.storage.engines.turnstile import Turnstile
from goclaw.storage.schema import HEAD, creation_statements, known_revision

_NOT_WRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS}


def open_sqlite(path: Path, *, patience_s: float, upgrade: Callable[[Connection], None]) -> SqliteDatabase:
    """Open the store in the file, which is made where it is missing.

    ``upgrade`` brings an older schema to :data:`HEAD` inside the transaction of the connection it is given. Where the
    folder cannot be written, the store opens for reading.
    """
    try:
        make_folder(path.parent)
        turnstile = Turnstile(path, patience_s)
    except OSError as error:
        if error.errno not in _NOT_WRITABLE:
            raise StoreError("The state directory cannot be used.", "See whether it is a folder.") from error
        return _open_for_reading(path, patience_s)
    try:
        if _read_revision(path, "ro", patience_s) != HEAD:
            with turnstile:  # asked again inside: another process may have made or upgraded it meanwhile
                _bring_to_head(path, patience_s, upgrade)
    finally:
        turnstile.close()
    return SqliteDatabase(path, patience_s=patience_s)


def open_sqlite_unchanged(path: Path, *, patience_s: float) -> UnchangedStore | None:
    """The file for reading, whatever its schema; None where there is no store in it."""
    revision = _read_revision(path, "ro", patience_s)
    if revision is None:
        return None
    return UnchangedStore(SqliteDatabase(path, patience_s=patience_s, reader_mode="ro"), path, revision, HEAD)


def _open_for_reading(path: Path, patience_s: float) -> SqliteDatabase:
    if not path.exists():
        raise StoreReadOnly("There is no store, and the state directory cannot be written.", "Make it writable.")
    # Without a log beside it the file can only be read as one that nobody changes: nobody can, in such a folder.
    has_log = path.with_name(path.name + "-wal").exists()
    mode = "ro" if has_log else "immutable"
    if _read_revision(path, mode, patience_s) != HEAD:
        raise StoreReadOnly("The store is older and cannot be upgraded here.", "Make the state directory writable.")
    return SqliteDatabase(path, patience_s=patience_s, reader_mode=mode)


def _read_revision(path: Path, mode: str, patience_s: float) -> str | None:
    """The revision of the schema; None for a store that is still to be made.

    Reads on a connection that cannot change the file. SchemaTooNew for a revision we do not know, StoreError for a
    database that is not ours.
    """
    if not path.exists() or path.stat().st_size == 0:
        return None
    connection = connect(path, mode, patience_s)
    try:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            return None
        if "alembic_version" not in tables:
            return known_revision(None)
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise translate(error) from error
    finally:
        connection.close()
    return known_revision(row[0] if row else None)


def _bring_to_head(path: Path, patience_s: float, upgrade: Callable[[Connection], None]) -> None:
    revision = _read_revision(path, "ro", patience_s)
    if revision == HEAD:
        return
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = connect(path, "rw", patience_s)
    try:
        prepare_writer(connection)
        if revision is None:
            _create(connection)
        else:
            _upgrade(connection, upgrade)
    except sqlite3.Error as error:
        raise translate(error) from error
    finally:
        connection.close()


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in creation_statements(DIALECT):
        connection.execute(statement)
    connection.execute("COMMIT")


def _upgrade(raw: sqlite3.Connection, upgrade: Callable[[Connection], None]) -> None:
    """All steps in one transaction: a crash half-way leaves the old schema."""
    engine = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)
    with engine.connect() as connection:
        raw.execute("BEGIN IMMEDIATE")
        with connection.begin():
            upgrade(connection)
