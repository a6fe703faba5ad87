"""Connections to PostgreSQL: how they are opened, and what their errors mean to us."""

from typing import Any

import psycopg
from psycopg import errors
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.engine import Dialect

from goclaw.model.errors import Conflict, GoclawError, StoreBusy, StoreDamaged, StoreError, StoreFull, StoreReadOnly

DIALECT: Dialect = PGDialect_psycopg(paramstyle="format")  # type: ignore[no-untyped-call]

PgConnection = psycopg.Connection[tuple[Any, ...]]

# The same work can succeed when it is begun again.
AGAIN = (errors.DeadlockDetected, errors.SerializationFailure)


def connect(url: str, patience_s: float) -> PgConnection:
    """Open a connection that begins no transaction by itself. Raises model errors."""
    try:
        connection = psycopg.connect(url.replace("postgresql+psycopg://", "postgresql://"), autocommit=True)
        connection.execute(f"SET lock_timeout = {int(patience_s * 1000)}")
    except psycopg.Error as error:
        raise translate(error) from None
    return connection


def translate(error: psycopg.Error) -> GoclawError:
    """Our error for the driver's. Its text is not carried over: it can hold values and addresses."""
    if isinstance(error, errors.UniqueViolation):
        return Conflict("A row with this key exists already.", "Read it, then decide.")
    if isinstance(error, (*AGAIN, errors.LockNotAvailable, errors.TooManyConnections, errors.CannotConnectNow)):
        return StoreBusy("The store is busy.", "Try again.")
    if isinstance(error, (errors.DiskFull, errors.OutOfMemory)):
        return StoreFull("The store cannot grow.", "Free some space on its disk; what was acknowledged is safe.")
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return StoreReadOnly("The database server takes no writes.", "Connect to its primary.")
    if isinstance(error, (errors.DataCorrupted, errors.IndexCorrupted)):
        return StoreDamaged("The database server reports damage.", "Go back to one of its backups.")
    if error.sqlstate is None and isinstance(error, psycopg.OperationalError):
        return StoreError("The database server cannot be reached.", "See database.url and whether the server runs.")
    return StoreError(f"The database refused ({error.sqlstate or type(error).__name__}).", "Please report it as a bug.")
