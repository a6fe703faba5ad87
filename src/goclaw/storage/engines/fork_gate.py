"""The fork gate: nothing of a database is in use at the moment its process forks.

A database library keeps notes in memory of the locks its process holds. A child that inherits such notes believes in
locks that are its parent's, and waits for ever. So a fork waits until everybody is out, and finds every connection
closed; parent and child then open their own.
"""

import os
import threading
import time
import weakref
from typing import Protocol

PATIENCE_S = 5.0  # then the fork goes on all the same: who is still inside may be the one who forks
_POLL_S = 0.001


class Forkable(Protocol):
    """What has to be prepared for a fork."""

    def before_fork(self) -> None: ...

    def after_fork_in_parent(self) -> None: ...

    def after_fork_in_child(self) -> None: ...


class ForkGate:
    """Counts who is inside. Entering and leaving cost less than a microsecond."""

    def __init__(self) -> None:
        self._inside: set[object] = set()
        self._is_open = threading.Event()
        self._is_open.set()

    def enter(self, who: object) -> None:
        """Wait until no fork is going on, then be inside; ``who`` is any object of the caller's own."""
        while True:
            self._inside.add(who)  # first be seen, then look: the one who shuts does it the other way round
            if self._is_open.is_set():
                return
            self._inside.discard(who)
            self._is_open.wait()

    def leave(self, who: object) -> None:
        self._inside.discard(who)

    def shut(self) -> None:
        """Let nobody in and wait, for a while, until everybody is out."""
        self._is_open.clear()
        deadline = time.monotonic() + PATIENCE_S
        while self._inside and time.monotonic() < deadline:
            time.sleep(_POLL_S)

    def open(self) -> None:
        self._is_open.set()


_forking = threading.Lock()  # one fork at a time
_forkables: "weakref.WeakSet[Forkable]" = weakref.WeakSet()


def watch(forkable: Forkable) -> None:
    """Prepare the object for every fork until :func:`unwatch`, or its end."""
    _forkables.add(forkable)


def unwatch(forkable: Forkable) -> None:
    _forkables.discard(forkable)


def _before() -> None:
    _forking.acquire()
    for each in list(_forkables):
        each.before_fork()


def _after_in_parent() -> None:
    for each in list(_forkables):
        each.after_fork_in_parent()
    _forking.release()


def _after_in_child() -> None:
    for each in list(_forkables):
        each.after_fork_in_child()
    _forking.release()


os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
