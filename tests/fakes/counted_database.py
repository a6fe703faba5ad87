"""A database that counts what is asked of it, for tests that hold how often and never how long."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from goclaw.storage.database import Database, Reader, Result, Row, Thing, Unit
from goclaw.storage.statement import Statement


class CountedDatabase:
    """Wraps an open database. ``counts``: snapshots, reads, units, statements of units, rows of ``run_many``."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.counts: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    @contextmanager
    def read(self) -> Iterator[Reader]:
        self.counts["snapshots"] += 1
        with self._database.read() as reader:
            yield _Counted(reader, self.counts, "reads")

    def write(self, work: Callable[[Unit], Result]) -> Result:
        return self._database.write(self._counted(work))

    def write_later(self, work: Callable[[Unit], object]) -> None:
        self._database.write_later(self._counted(work))

    def write_together_later(self, work: Callable[[Unit, Sequence[Thing]], object], thing: Thing) -> None:
        self._database.write_together_later(self._together(work), thing)

    @cache  # noqa: B019 - things are of one sort by their callable
    def _together(self, work: Callable[[Unit, Sequence[Thing]], object]) -> Callable[[Unit, Sequence[Thing]], object]:
        return lambda unit, things: self._counted(lambda counted: work(counted, things))(unit)

    def _counted(self, work: Callable[[Unit], Result]) -> Callable[[Unit], Result]:
        def counted(unit: Unit) -> Result:
            self.counts["units"] += 1
            return work(_Counted(unit, self.counts, "statements"))

        return counted


class _Counted:
    """A reader or a unit."""

    def __init__(self, inner: Any, counts: Counter[str], name: str) -> None:
        self._inner = inner
        self._counts = counts
        self._name = name

    def all(self, statement: Statement, params: Sequence[Any] = ()) -> list[Row]:
        self._counts[self._name] += 1
        rows: list[Row] = self._inner.all(statement, params)
        return rows

    def one(self, statement: Statement, params: Sequence[Any] = ()) -> Row | None:
        rows = self.all(statement, params)
        return rows[0] if rows else None

    def run(self, statement: Statement, params: Sequence[Any] = ()) -> int:
        self._counts[self._name] += 1
        done: int = self._inner.run(statement, params)
        return done

    def run_many(self, statement: Statement, rows: Sequence[Sequence[Any]]) -> None:
        self._counts[self._name] += 1
        self._counts["rows"] += len(rows)
        self._inner.run_many(statement, rows)
