"""Several processes on one store: none is turned away, none sees a driver's error, nothing is lost."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from goclaw.settings.settings import DatabaseSettings
from goclaw.storage import memories, namespaces
from goclaw.storage.database import Database
from goclaw.storage.engines import fork_gate
from goclaw.storage.open import open_database
from tests.contract.builders import NOTES, make_record, write_record
from tests.unit.storage.processes import fork, wait

pytestmark = pytest.mark.process


def open_store(folder: Path) -> Database:
    return open_database(DatabaseSettings(), folder)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Database]:
    database = open_store(tmp_path)
    yield database
    database.close()


def count(store: Database) -> int:
    with store.read() as reader:
        state = namespaces.find(reader, NOTES)
        return 0 if state is None else memories.count(reader, [state.id])


def test_r039_four_processes_write_and_read_at_once(store: Database, tmp_path: Path) -> None:
    """R039 (reduced): no process ever meets a locked database; each write is acknowledged and there once."""

    def work() -> None:
        own = open_store(tmp_path)
        for number in range(40):
            record = make_record(f"{os.getpid()} {number}", NOTES)
            namespace_id, _ = write_record(own, record)
            with own.read() as reader:
                assert memories.get(reader, record.id, [namespace_id]) == record
        own.close()

    children = [fork(work) for _ in range(4)]
    assert [wait(child) for child in children] == [0, 0, 0, 0]
    assert count(store) == 160
    assert store.find_damage() == []


def test_r046_workers_forked_from_a_process_with_an_open_store(store: Database) -> None:
    """R046: each child has connections of its own, in any of its threads; the parent's go on."""
    write_record(store, make_record("before", NOTES))

    def work() -> None:
        errors: list[BaseException] = []

        def client(number: int) -> None:
            try:
                for turn in range(3):
                    record = make_record(f"{os.getpid()} {number} {turn}", NOTES)
                    namespace_id, _ = write_record(store, record)
                    with store.read() as reader:
                        assert memories.get(reader, record.id, [namespace_id]) == record
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=client, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        store.close()

    children = [fork(work) for _ in range(4)]
    for number in range(10):
        write_record(store, make_record(f"parent {number}", NOTES))
    assert [wait(child) for child in children] == [0, 0, 0, 0]
    assert count(store) == 1 + 10 + 4 * 16 * 3
    assert store.find_damage() == []


def test_a_fork_in_the_middle_of_reads_and_writes(store: Database) -> None:
    """A fork waits for the group and the snapshots that are under way; else the child would inherit their locks."""
    stop = threading.Event()
    written: list[int] = []

    def write_on() -> None:
        while not stop.is_set():
            write_record(store, make_record("parent", NOTES))
            written.append(1)

    def read_on() -> None:
        while not stop.is_set():
            count(store)

    threads = [threading.Thread(target=work) for work in (write_on, write_on, read_on, read_on)]
    for thread in threads:
        thread.start()

    def work() -> None:
        write_record(store, make_record("child", NOTES))
        assert count(store) > 0
        store.checkpoint()
        store.close()

    children = []
    for _ in range(10):
        children.append(fork(work))
        time.sleep(0.005)
    stop.set()
    for thread in threads:
        thread.join()
    assert [wait(child) for child in children] == [0] * 10
    assert count(store) == 10 + len(written)


def test_a_fork_out_of_a_snapshot_goes_on_and_the_child_can_write(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fork_gate, "PATIENCE_S", 0.05)
    write_record(store, make_record("before", NOTES))

    def work() -> None:
        write_record(store, make_record("child", NOTES))
        store.close()

    with store.read() as reader:
        assert namespaces.find(reader, NOTES) is not None
        child = fork(work)
        assert wait(child) == 0
    assert count(store) == 2
