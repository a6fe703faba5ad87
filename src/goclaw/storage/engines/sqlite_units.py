"""What runs on a SQLite connection: snapshots for readers, units of work for the writer."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from goclaw.model.errors import GoclawError
from goclaw.storage.database import Row
from goclaw.storage.engines.group_writer import Ticket
from goclaw.storage.engines.sqlite_connection import translate
from goclaw.storage.statement import Statement

DIALECT = SQLiteDialect_pysqlite(paramstyle="qmark")
_NAME = DIALECT.name


class SqliteReader:
    """A connection that reads; one snapshot from ``begin`` to ``end``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def all(self, statement: Statement, params: Sequence[Any] = ()) -> list[Row]:
        text, arrange = statement.plans.get(_NAME) or statement.plan(DIALECT)
        try:
            return self._execute(text, params if arrange is None else arrange(params)).fetchall()
        except sqlite3.Error as error:
            raise translate(error) from error

    def one(self, statement: Statement, params: Sequence[Any] = ()) -> Row | None:
        # fetched to the end: a statement left half-way would keep the snapshot open
        rows = self.all(statement, params)
        return rows[0] if rows else None

    def begin(self) -> None:
        self._command("BEGIN")

    def end(self) -> None:
        self._command("ROLLBACK")

    def _command(self, text: str) -> None:
        try:
            self._execute(text)
        except sqlite3.Error as error:
            raise translate(error) from error

    def close(self) -> None:
        self._connection.close()


class SqliteUnit:
    """The writing connection, lent to one unit of work after the other."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._failure: GoclawError | None = None

    def all(self, statement: Statement, params: Sequence[Any] = ()) -> list[Row]:
        text, arrange = statement.plans.get(_NAME) or statement.plan(DIALECT)
        self._refuse_after_failure()
        try:
            return self._execute(text, params if arrange is None else arrange(params)).fetchall()
        except sqlite3.Error as error:
            raise self._fail(error) from error

    def one(self, statement: Statement, params: Sequence[Any] = ()) -> Row | None:
        rows = self.all(statement, params)
        return rows[0] if rows else None

    def run(self, statement: Statement, params: Sequence[Any] = ()) -> int:
        text, arrange = statement.plans.get(_NAME) or statement.plan(DIALECT)
        self._refuse_after_failure()
        try:
            return self._execute(text, params if arrange is None else arrange(params)).rowcount
        except sqlite3.Error as error:
            raise self._fail(error) from error

    def run_many(self, statement: Statement, rows: Sequence[Sequence[Any]]) -> None:
        text, arrange = statement.plans.get(_NAME) or statement.plan(DIALECT)
        self._refuse_after_failure()
        try:
            self._connection.executemany(text, rows if arrange is None else [arrange(row) for row in rows])
        except sqlite3.Error as error:
            raise self._fail(error) from error

    def _refuse_after_failure(self) -> None:
        """A full disk ends the whole transaction: a unit that went on would commit statement by statement."""
        if self._failure is not None:
            raise self._failure

    def _fail(self, error: sqlite3.Error) -> GoclawError:
        self._failure = translate(error)
        return self._failure

    def run_group(self, tickets: list[Ticket]) -> None:
        """One transaction for all tickets; raises sqlite3.Error where all of it is lost.

        Several get a savepoint each. One alone needs none, and is a third cheaper for it.
        """
        self._execute("BEGIN IMMEDIATE")
        if len(tickets) == 1:
            is_done = self._run_ticket(tickets[0])
            self._execute("COMMIT" if is_done else "ROLLBACK")
            return
        for ticket in tickets:
            self._execute("SAVEPOINT unit")
            if not self._run_ticket(ticket):
                self._execute("ROLLBACK TO unit")
            self._execute("RELEASE unit")
        self._execute("COMMIT")

    def _run_ticket(self, ticket: Ticket) -> bool:
        """Leave the result of its work in the ticket, or its error and False."""
        self._failure = ticket.error = None
        try:
            ticket.result = ticket.work(self)
            self._refuse_after_failure()
        except BaseException as error:
            ticket.error = error
            if not self._connection.in_transaction:
                raise sqlite3.OperationalError("the transaction is gone") from error
            return False
        return True
