"""The turnstile: one at a time, in turn, and free again when its holder dies."""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from goclaw.model.errors import StoreBusy
from goclaw.storage.engines.turnstile import Turnstile
from tests.unit.storage.processes import fork, kill, wait_for_file


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def here(database: Path) -> Iterator[Turnstile]:
    turnstile = Turnstile(database, 0.05)
    yield turnstile
    turnstile.close()


@pytest.fixture
def there(database: Path) -> Iterator[Turnstile]:
    turnstile = Turnstile(database, 20.0)
    yield turnstile
    turnstile.close()


def test_who_waits_too_long_is_told_so(here: Turnstile, there: Turnstile) -> None:
    with there, pytest.raises(StoreBusy), here:
        pass
    with here:
        pass


def test_who_comes_after_a_waiting_one_stays_behind(here: Turnstile, there: Turnstile, database: Path) -> None:
    """The holder leaves and comes back at once; with one lock it would nearly always be first again."""
    order: list[str] = []

    def waiter() -> None:
        with there:
            order.append("waiter")

    thread = threading.Thread(target=waiter)
    with here:
        thread.start()
        assert _entrance_is_taken(database)
        order.append("holder")
    thread_is_first = Turnstile(database, 20.0)
    with thread_is_first:
        order.append("holder again")
    thread.join()
    thread_is_first.close()
    assert order == ["holder", "waiter", "holder again"]


def _entrance_is_taken(database: Path) -> bool:
    handle = os.open(database.with_name(database.name + ".entrance.lock"), os.O_RDWR)
    try:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            fcntl.flock(handle, fcntl.LOCK_UN)
            time.sleep(0.002)
        return False
    finally:
        os.close(handle)


@pytest.mark.process
def test_a_dead_holder_holds_nobody_up(here: Turnstile, there: Turnstile, database: Path, tmp_path: Path) -> None:
    sign = tmp_path / "inside"

    def hold() -> None:
        with Turnstile(database, 5.0):
            sign.touch()
            time.sleep(60)

    child = fork(hold)
    wait_for_file(sign)
    with pytest.raises(StoreBusy), here:
        pass
    kill(child)
    with there, pytest.raises(StoreBusy), here:
        pass


def test_the_lock_files_are_the_users_own(here: Turnstile, database: Path) -> None:
    for ending in (".entrance.lock", ".room.lock"):
        assert database.with_name(database.name + ending).stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_hold_the_files_is_reported(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        Turnstile(tmp_path / "missing" / "store.sqlite", 1.0)
