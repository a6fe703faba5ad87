"""The database as everybody above sees it: units of work, and snapshots to read from.

Engines fulfil these protocols; nothing above knows which one is there. Errors are those of model/errors: StoreBusy,
StoreFull, StoreReadOnly, StoreDamaged, SchemaTooNew, StoreError, and Conflict where a row with the same key exists;
never a driver's own.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from goclaw.storage.statement import Statement

Result = TypeVar("Result")
Thing = TypeVar("Thing")
Row = tuple[Any, ...]


class Reader(Protocol):
    """One snapshot: all its answers are of the same moment."""

    def all(self, statement: Statement, params: Sequence[Any] = ()) -> list[Row]:
        """Every row."""
        ...

    def one(self, statement: Statement, params: Sequence[Any] = ()) -> Row | None:
        """The first row, or None."""
        ...


class Unit(Reader, Protocol):
    """One unit of work: all of it becomes durable, or nothing. A statement that fails fails the whole unit."""

    def run(self, statement: Statement, params: Sequence[Any] = ()) -> int:
        """Execute; the number of rows inserted, changed or deleted."""
        ...

    def run_many(self, statement: Statement, rows: Sequence[Sequence[Any]]) -> None:
        """Execute once per row."""
        ...


class Database(Protocol):
    """A store that is open. Usable from any number of threads, and after a fork."""

    read_only: bool  # the state directory cannot be written: reads work, writes raise StoreReadOnly

    def write(self, work: Callable[[Unit], Result]) -> Result:
        """Run one unit of work and return its result once it is durable.

        ``work`` runs on the writer's thread, together with other units in one commit, each behind its own savepoint;
        what it raises reaches this caller only. It may be started again from the beginning, so it touches the unit and
        nothing else, and it must not call ``write``.
        """
        ...

    def write_later(self, work: Callable[[Unit], object]) -> None:
        """Hand over a unit nobody waits for: it goes with the next commit, at the latest after 200 ms.

        A crash may lose it. Where it fails, a warning is logged.
        """
        ...

    def write_together_later(self, work: Callable[[Unit, Sequence[Thing]], object], thing: Thing) -> None:
        """As :meth:`write_later`, for things of which many come: those that follow each other share one unit.

        ``work`` is given all of them, in their order. Where that fails, each gets a unit of its own.
        """
        ...

    def flush_later(self) -> None:
        """Return when everything handed over for later so far is durable."""
        ...

    def read(self) -> AbstractContextManager[Reader]:
        """A snapshot that holds what was durable before, including all own writes. May be nested."""
        ...

    def checkpoint(self) -> None:
        """Move everything out of the log, so that deleted text is gone from every file the engine can reach."""
        ...

    def find_damage(self) -> list[str]:
        """What the engine finds wrong with its own files, in its own words; empty where all is well."""
        ...

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy while others go on working. StoreError where the engine has tools of its own."""
        ...

    def size_bytes(self) -> int:
        """What the store takes on disk, its log included."""
        ...

    def close(self) -> None:
        """Write out what is queued and let go of everything. Calling it twice does no harm."""
        ...


@dataclass(frozen=True, slots=True)
class UnchangedStore:
    """A store opened for reading before anything brought it up to date."""

    database: Database
    file: Path
    revision: str  # of its schema
    head: str  # the revision this goclaw brings it to
