"""The PostgreSQL engine: the same units and snapshots on a server, for more than one machine.

Readers see one moment (REPEATABLE READ). Writers run at READ COMMITTED and lock the rows they count in; a group that
meets another one in a deadlock is begun again.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg

from goclaw.model.errors import GoclawError, StoreBusy, StoreError
from goclaw.storage.database import Row
from goclaw.storage.engines.group_writer import Ticket
from goclaw.storage.engines.postgres_connection import AGAIN, DIALECT, PgConnection, connect, translate
from goclaw.storage.engines.threaded_database import ThreadedDatabase
from goclaw.storage.statement import Params, Statement

_TRIES = 10


class PostgresReader:
    """A connection that reads; one snapshot from ``begin`` to ``end``."""

    def __init__(self, connection: PgConnection) -> None:
        self._connection = connection

    def all(self, statement: Statement, params: Params = ()) -> list[Row]:
        text, arrange = statement.plan(DIALECT)
        try:
            return self._connection.execute(text, params if arrange is None else arrange(params)).fetchall()
        except psycopg.Error as error:
            raise translate(error) from error

    def one(self, statement: Statement, params: Params = ()) -> Row | None:
        rows = self.all(statement, params)
        return rows[0] if rows else None

    def begin(self) -> None:
        self._command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def end(self) -> None:
        self._command("ROLLBACK")

    def _command(self, text: str) -> None:
        try:
            self._connection.execute(text.encode())
        except psycopg.Error as error:
            raise translate(error) from error

    def close(self) -> None:
        self._connection.close()


class PostgresUnit:
    """The writing connection, lent to one unit of work after the other."""

    def __init__(self, connection: PgConnection) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._failure: GoclawError | None = None
        self._must_begin_again = False

    def all(self, statement: Statement, params: Sequence[Any] = ()) -> list[Row]:
        self._attempt(statement, params)
        return self._cursor.fetchall()

    def one(self, statement: Statement, params: Sequence[Any] = ()) -> Row | None:
        rows = self.all(statement, params)
        return rows[0] if rows else None

    def run(self, statement: Statement, params: Sequence[Any] = ()) -> int:
        self._attempt(statement, params)
        return self._cursor.rowcount

    def run_many(self, statement: Statement, rows: Sequence[Sequence[Any]]) -> None:
        text, arrange = statement.plan(DIALECT)
        self._refuse_after_failure()
        try:
            self._cursor.executemany(text, rows if arrange is None else [arrange(row) for row in rows])
        except psycopg.Error as error:
            raise self._fail(error) from error

    def _attempt(self, statement: Statement, params: Sequence[Any]) -> None:
        text, arrange = statement.plan(DIALECT)
        self._refuse_after_failure()
        try:
            self._cursor.execute(text, params if arrange is None else arrange(params))
        except psycopg.Error as error:
            raise self._fail(error) from error

    def _refuse_after_failure(self) -> None:
        """A failed statement takes its savepoint down; the unit cannot go on, even if its work would."""
        if self._failure is not None:
            raise self._failure

    def _fail(self, error: psycopg.Error) -> GoclawError:
        self._must_begin_again = self._must_begin_again or isinstance(error, AGAIN)
        self._failure = translate(error)
        return self._failure

    def run_group(self, tickets: list[Ticket]) -> bool:
        """One transaction for all tickets, a savepoint for each; False where it must be begun again."""
        self._must_begin_again = False
        self._cursor.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        for ticket in tickets:
            self._run_ticket(ticket)
            if self._must_begin_again:
                self._cursor.execute("ROLLBACK")
                return False
        self._cursor.execute("COMMIT")
        return True

    def _run_ticket(self, ticket: Ticket) -> None:
        self._failure = ticket.error = None
        self._cursor.execute("SAVEPOINT unit")
        try:
            ticket.result = ticket.work(self)
            self._refuse_after_failure()
        except BaseException as error:
            ticket.error = error
            if self._must_begin_again:
                return
            self._cursor.execute("ROLLBACK TO unit")
        self._cursor.execute("RELEASE unit")


class PostgresWriter:
    """The connection that writes, opened when first needed and again after trouble."""

    def __init__(self, url: str, patience_s: float) -> None:
        self._url = url
        self._patience_s = patience_s
        self._connection: PgConnection | None = None

    def commit(self, tickets: list[Ticket]) -> None:
        if self._connection is None:
            self._connection = connect(self._url, self._patience_s)
        unit = PostgresUnit(self._connection)
        try:
            for _ in range(_TRIES):
                if unit.run_group(tickets):
                    return
        except psycopg.Error as error:
            self.close()
            raise translate(error) from error
        raise StoreBusy("Other processes keep changing the same rows.", "Try again.")  # for every ticket of the group

    def rest(self) -> float | None:
        return None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class PostgresDatabase(ThreadedDatabase):
    """A store on a PostgreSQL server (see storage/database.py)."""

    def __init__(self, url: str, *, patience_s: float) -> None:
        self._url = url
        self._patience_s = patience_s
        super().__init__(
            lambda: PostgresWriter(url, patience_s),
            lambda: PostgresReader(connect(url, patience_s)),
            read_only=False,
        )

    def checkpoint(self) -> None:
        """Nothing to do: what the server keeps for a while, and for how long, is the server's setting."""

    def find_damage(self) -> list[str]:
        """Nothing: the server watches over its own files."""
        return []

    def copy_to(self, target: Path) -> None:
        raise StoreError("A database server has backup tools of its own.", "Use pg_dump, or goclaw db export.")

    def size_bytes(self) -> int:
        connection = connect(self._url, self._patience_s)
        try:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        except psycopg.Error as error:
            raise translate(error) from error
        finally:
            connection.close()
        return int(row[0]) if row else 0
