"""What every engine shares: a group writer, a pool of readers, an end, and a new beginning after a fork."""

import atexit
import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from goclaw.model.errors import StoreError, StoreReadOnly
from goclaw.storage.database import Reader, Unit
from goclaw.storage.engines import fork_gate
from goclaw.storage.engines.fork_gate import ForkGate
from goclaw.storage.engines.group_writer import GroupWriter, Ticket

Result = TypeVar("Result")
Thing = TypeVar("Thing")

_MAX_IDLE_READERS = 32

# A child must neither use nor close what its parent may still have open: closing would touch the parent's locks.
_left_to_parent: list[Any] = []


class Snapshots(Reader, Protocol):
    """A connection that reads, in one snapshot from ``begin`` to ``end``."""

    def begin(self) -> None: ...

    def end(self) -> None: ...

    def close(self) -> None: ...


class Writer(Protocol):
    """The connection that writes, opened when it is needed; used by the writer thread alone."""

    def commit(self, tickets: list[Ticket]) -> None:
        """Make the work of the tickets durable; each has its result or its error afterwards."""
        ...

    def rest(self) -> float | None:
        """Maintenance while nobody writes; seconds until it wants to be called again, None: not before a write."""
        ...

    def close(self) -> None:
        """Close the connection. The next commit opens another one."""
        ...


class ThreadedDatabase:
    """The part of a Database (see storage/database.py) that is the same for every engine."""

    def __init__(
        self, make_writer: Callable[[], Writer], make_reader: Callable[[], Snapshots], *, read_only: bool
    ) -> None:
        self.read_only = read_only
        self._make_writer = make_writer
        self._make_reader = make_reader
        self._is_closed = False
        self._start()
        fork_gate.watch(self)
        atexit.register(self.close)

    def _start(self) -> None:
        self._gate = ForkGate()
        self._idle_readers: deque[Snapshots] = deque()
        self._writer = self._make_writer()
        self._groups = GroupWriter(self._writer.commit, self._writer.rest)

    def write(self, work: Callable[[Unit], Result]) -> Result:
        self.refuse_if_read_only()
        return self._groups.write(work)

    def write_later(self, work: Callable[[Unit], object]) -> None:
        self.refuse_if_read_only()
        self._groups.write_later(work)

    def write_together_later(self, work: Callable[[Unit, Sequence[Thing]], object], thing: Thing) -> None:
        self.refuse_if_read_only()
        self._groups.write_together_later(work, thing)

    def flush_later(self) -> None:
        if not self.read_only:
            self._groups.flush_later()

    def refuse_if_read_only(self) -> None:
        if self.read_only:
            raise StoreReadOnly("The store is open for reading only.", "Make the state directory writable.")

    @contextlib.contextmanager
    def read(self) -> Iterator[Reader]:
        with self.in_use():
            reader = self._take_reader()
            try:
                reader.begin()
                yield reader
            finally:
                self._give_back(reader)

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Whoever has a connection open stands inside: a fork waits for them."""
        who = object()
        self._gate.enter(who)
        try:
            yield
        finally:
            self._gate.leave(who)

    def _take_reader(self) -> Snapshots:
        if self._is_closed:
            raise StoreError("The store is closed.", "Open it again.")
        try:
            return self._idle_readers.pop()
        except IndexError:
            return self._make_reader()

    def _give_back(self, reader: Snapshots) -> None:
        try:
            reader.end()
        except StoreError:
            reader.close()  # a connection in trouble; the next reader gets another one
            return
        if self._is_closed or len(self._idle_readers) >= _MAX_IDLE_READERS:
            reader.close()
        else:
            self._idle_readers.append(reader)

    def _close_connections(self) -> None:
        while self._idle_readers:
            self._idle_readers.pop().close()
        self._writer.close()

    def before_fork(self) -> None:
        self._groups.pause()
        self._gate.shut()
        self._close_connections()

    def after_fork_in_parent(self) -> None:
        self._gate.open()
        self._groups.go_on()

    def after_fork_in_child(self) -> None:
        _left_to_parent.append((self._idle_readers, self._writer, self._groups, self._gate))
        self._start()

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        atexit.unregister(self.close)
        fork_gate.unwatch(self)
        self._groups.close()
        self._close_connections()
