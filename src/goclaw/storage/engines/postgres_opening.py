"""Opening a PostgreSQL store: a new one is made, an older one brought up to date, a newer one left untouched."""

from collections.abc import Callable

import psycopg
from sqlalchemy import Connection, StaticPool, create_engine

from goclaw.storage.engines.postgres import PostgresDatabase
from goclaw.storage.engines.postgres_connection import DIALECT, PgConnection, connect, translate
from goclaw.storage.schema import HEAD, creation_statements, known_revision

# Whoever makes or upgrades the schema holds this lock; any number, as long as it is always the same.
_SCHEMA_LOCK = 0x60_C1_A3


def open_postgres(url: str, *, patience_s: float, upgrade: Callable[[Connection], None]) -> PostgresDatabase:
    """Open the store at the address; ``upgrade`` as in open_sqlite."""
    connection = connect(url, patience_s)
    try:
        if _read_revision(connection) != HEAD:
            _bring_to_head(connection, upgrade)
    except psycopg.Error as error:
        raise translate(error) from error
    finally:
        connection.close()
    return PostgresDatabase(url, patience_s=patience_s)


def _read_revision(connection: PgConnection) -> str | None:
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    names = {name for (name,) in connection.execute(tables).fetchall()}
    if not names:
        return None
    if "alembic_version" not in names:
        return known_revision(None)
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return known_revision(row[0] if row else None)


def _bring_to_head(connection: PgConnection, upgrade: Callable[[Connection], None]) -> None:
    """Under a lock that ends with the transaction; asked again inside, because another process may have been faster."""
    engine = create_engine("postgresql+psycopg://", creator=lambda: connection, poolclass=StaticPool)
    connection.autocommit = False
    with engine.connect() as alembic_connection, alembic_connection.begin():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SCHEMA_LOCK,))
        revision = _read_revision(connection)
        if revision is None:
            for statement in creation_statements(DIALECT):
                connection.execute(statement.encode())
        elif revision != HEAD:
            upgrade(alembic_connection)
