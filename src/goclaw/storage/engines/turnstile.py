"""The turnstile: two lock files beside the database, at which processes queue for writing.

A database lock alone is unfair: who releases it takes it again before the others wake, and they starve. With two, who
waits for the second holds the first, so the process that has just written stands behind. The kernel frees both when a
process dies, however it dies.
"""

import errno
import fcntl
import os
import time
from pathlib import Path

from goclaw.model.errors import StoreBusy

_FIRST_PAUSE_S = 0.000_1
_LONGEST_PAUSE_S = 0.001


class Turnstile:
    """One process's place at the turnstile of one database; used by one thread at a time."""

    def __init__(self, database: Path, patience_s: float) -> None:
        """Open the lock files. PermissionError or OSError where the folder cannot be written."""
        self._patience_s = patience_s
        self._entrance = _open(database, ".entrance.lock")
        try:
            self._room = _open(database, ".room.lock")
        except OSError:
            os.close(self._entrance)
            raise

    def __enter__(self) -> None:
        """Wait for the turn; StoreBusy after the patience is used up."""
        deadline = time.monotonic() + self._patience_s
        _lock(self._entrance, deadline)
        try:
            _lock(self._room, deadline)
        finally:
            fcntl.flock(self._entrance, fcntl.LOCK_UN)

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._room, fcntl.LOCK_UN)

    def close(self) -> None:
        os.close(self._entrance)
        os.close(self._room)


def _open(database: Path, ending: str) -> int:
    return os.open(database.with_name(database.name + ending), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _lock(handle: int, deadline: float) -> None:
    """Poll rather than block: a blocked flock knows no time limit. The longest pause is what a waiter can lose."""
    pause = _FIRST_PAUSE_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
        else:
            return
        if time.monotonic() >= deadline:
            raise StoreBusy(
                "Another process keeps the store busy.", "Try again, or see which goclaw processes run on it."
            )
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)
