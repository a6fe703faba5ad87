"""The group writer: one thread that commits many units of work at once, so that one fsync serves many callers.

It knows queues and threads, and no database: the engine gives it two functions, one that commits a group of tickets
and one that does maintenance when nobody has written for a while.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

from goclaw.model.errors import StoreError
from goclaw.storage.database import Unit

Result = TypeVar("Result")
Thing = TypeVar("Thing")
Together = Callable[[Unit, Sequence[Thing]], object]  # a unit of work for any number of things of one sort

MAX_GROUP = 256
LATER_S = 0.2  # how long a unit that nobody waits for may wait for company
REST_S = 1.0
PAUSE_S = 30.0  # how long a fork waits for a group that does not end
MAX_LATER = 10_000  # beyond it whoever hands over another one waits: queues are bounded

_log = logging.getLogger("goclaw.storage")


class Ticket:
    """One unit of work on its way, and what became of it."""

    __slots__ = ("_settled", "error", "result", "work")

    def __init__(self, work: Callable[[Unit], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self._settled = threading.Lock()
        self._settled.acquire()

    def settle(self) -> None:
        """Let the caller go on; called once."""
        self._settled.release()

    def wait(self) -> Any:
        self._settled.acquire()
        if self.error is not None:
            raise self.error
        return self.result

    def takes_in(self, other: "Ticket") -> bool:
        """Whether it does the other's work as well from now on."""
        return False

    def taken_apart(self) -> Sequence["Ticket"]:
        """What is worth a second attempt after a failure, in its place; nothing for a unit of one piece."""
        return ()


class LaterTicket(Ticket):
    """A unit that nobody waits for; its failure is logged."""

    __slots__ = ()

    def settle(self) -> None:
        if self.error is not None:
            _log.warning("a unit that nobody waited for was lost: %s", self.error)


class TogetherTicket(LaterTicket):
    """A unit for things that came one by one. Where it fails each of them gets a unit of its own: one that cannot be
    written takes no other with it."""

    __slots__ = ("things", "together")

    def __init__(self, together: Together[Any], things: list[Any]) -> None:
        super().__init__(lambda unit: together(unit, things))
        self.together = together
        self.things = things

    def takes_in(self, other: Ticket) -> bool:
        is_alike = isinstance(other, TogetherTicket) and other.together == self.together
        if is_alike:
            self.things += cast(TogetherTicket, other).things
        return is_alike

    def taken_apart(self) -> Sequence[Ticket]:
        if self.error is None or len(self.things) == 1:
            return ()
        self.error = None
        return [TogetherTicket(self.together, [thing]) for thing in self.things]


class GroupWriter:
    """Queues and the thread that empties them. The thread starts with the first unit."""

    def __init__(self, commit: Callable[[list[Ticket]], None], rest: Callable[[], float | None]) -> None:
        """``commit`` makes a group durable and leaves result or error in each ticket. ``rest`` is called when nothing
        came in for REST_S, and then again after as many seconds as it answers (None: not before the next write)."""
        self._commit = commit
        self._rest = rest
        self._rest_at: float | None = None
        self._queue: SimpleQueue[Ticket | None] = SimpleQueue()  # None only wakes the thread
        self._later: deque[Ticket] = deque()
        self._later_at: float | None = None
        self._gate = threading.Lock()  # what lies behind it: starting, stopping, the first of _later
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._working = threading.Lock()  # held by the thread while it uses the database
        self._is_paused = False

    def write(self, work: Callable[[Unit], Result]) -> Result:
        ticket = Ticket(work)
        self._submit(ticket)
        return cast(Result, ticket.wait())

    def write_later(self, work: Callable[[Unit], object]) -> None:
        self._hand_over(LaterTicket(work))

    def write_together_later(self, together: Together[Thing], thing: Thing) -> None:
        self._hand_over(TogetherTicket(together, [thing]))

    def flush_later(self) -> None:
        if self._later or self._thread is not None:
            ticket = Ticket(lambda unit: None)  # the queue keeps its order, so all that came before is durable
            self._submit_later(ticket, time.monotonic())
            ticket.wait()

    def close(self) -> None:
        with self._gate:
            self._is_closed = True
            thread, self._thread = self._thread, None
            self._queue.put(None)
        if thread is not None:
            thread.join()

    def pause(self) -> None:
        """Return when the thread uses the database no more; it waits until :meth:`go_on`."""
        if threading.current_thread() is not self._thread:
            self._is_paused = self._working.acquire(timeout=PAUSE_S)

    def go_on(self) -> None:
        if self._is_paused:
            self._is_paused = False
            self._working.release()

    def _submit(self, ticket: Ticket) -> None:
        with self._gate:
            self._make_ready()
            self._queue.put(ticket)

    def _hand_over(self, ticket: LaterTicket) -> None:
        if len(self._later) >= MAX_LATER:
            self.flush_later()
        self._submit_later(ticket, time.monotonic() + LATER_S)

    def _submit_later(self, ticket: Ticket, at: float) -> None:
        with self._gate:
            self._make_ready()
            self._later.append(ticket)
            if self._later_at is None or at < self._later_at:
                self._later_at = at
                self._queue.put(None)

    def _make_ready(self) -> None:
        if self._is_closed:
            raise StoreError("The store is closed.", "Open it again.")
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="goclaw-writer", daemon=True)
            self._thread.start()
        elif threading.current_thread() is self._thread:
            raise RuntimeError("a unit of work must not write by itself: it would wait for its own end")

    def _run(self) -> None:
        while True:
            group = self._next_group()
            if group:
                with self._working:
                    self._commit_safely(group)
                self._rest_at = time.monotonic() + REST_S
            elif self._is_closed and self._queue.empty() and not self._later:
                return
            elif self._rest_at is not None and time.monotonic() >= self._rest_at:
                with self._working:
                    pause = self._rest()
                self._rest_at = None if pause is None else time.monotonic() + pause

    def _next_group(self) -> list[Ticket]:
        """Wait for work; empty when it was only time to look around."""
        group: list[Ticket] = []
        try:
            ticket = self._queue.get(timeout=self._patience())
            while True:
                if ticket is not None:
                    group.append(ticket)
                    if len(group) == MAX_GROUP:
                        return group
                ticket = self._queue.get_nowait()
        except Empty:
            pass
        if self._later and (group or self._is_closed or self._is_due(self._later_at)):
            self._take_later(group)
        return group

    def _take_later(self, group: list[Ticket]) -> None:
        with self._gate:
            for _ in range(min(len(self._later), MAX_GROUP - len(group))):
                ticket = self._later.popleft()
                if not (group and group[-1].takes_in(ticket)):
                    group.append(ticket)
            self._later_at = time.monotonic() if self._later else None

    def _patience(self) -> float | None:
        if self._is_closed:
            return 0.0
        moments = [moment for moment in (self._later_at, self._rest_at) if moment is not None]
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def _is_due(self, moment: float | None) -> bool:
        return moment is not None and time.monotonic() >= moment

    def _commit_safely(self, group: list[Ticket]) -> None:
        self._attempt(group)
        apart = [one for ticket in group for one in ticket.taken_apart()]
        if apart:
            self._attempt(apart)
        for ticket in (*apart, *group):  # a flush comes back when all is settled that came before it
            ticket.settle()

    def _attempt(self, group: list[Ticket]) -> None:
        """The thread outlives whatever happens: a caller must never wait for a dead one."""
        try:
            self._commit(group)
        except BaseException as error:
            for ticket in group:
                ticket.error = ticket.error or error
