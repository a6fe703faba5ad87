"""R043: kill -9 at any moment loses no acknowledged write. Ten kills, two hundred with GOCLAW_SOAK=1."""

import contextlib
import os
import random
import threading
import time
from pathlib import Path

import pytest

from goclaw.model.job import JobKind, NewJob
from goclaw.settings.settings import DatabaseSettings
from goclaw.storage import integrity, jobs, memories, namespaces
from goclaw.storage.database import Database, Unit
from goclaw.storage.open import open_database
from tests.contract.builders import NOTES, make_record, put_record
from tests.unit.storage.processes import fork, kill, wait_for_file

KILLS = 200 if os.environ.get("GOCLAW_SOAK") else 10
CLIENTS = 4


def open_store(folder: Path) -> Database:
    return open_database(DatabaseSettings(), folder)


def write_until_killed(folder: Path, journal: Path) -> None:
    """Every client writes records with a job each, and notes each id in the journal once it is acknowledged."""
    store = open_store(folder)
    handle = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def client(number: int) -> None:
        while True:
            record = make_record(f"fact of client {number}", NOTES, tags=("red", "blue"))

            def work(unit: Unit, record: object = record) -> None:
                put_record(unit, record, ["one", "two"])  # type: ignore[arg-type]
                job = NewJob(kind=JobKind.EMBED, dedupe_key=record.id, workspace_id="default")  # type: ignore[attr-defined]
                jobs.enqueue(unit, job, 0)

            store.write(work)
            os.write(handle, f"{record.id}\n".encode())

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.process
def test_r043_no_acknowledged_write_is_lost(tmp_path: Path) -> None:
    journal = tmp_path / "acknowledged"
    folder = tmp_path / "state"
    chance = random.Random(43)
    for number in range(KILLS):
        child = fork(lambda: write_until_killed(folder, journal))
        if number == 0:
            wait_for_file(journal)
        time.sleep(chance.uniform(0.0, 0.15))
        kill(child)
        check(folder, journal.read_text().splitlines())
    assert len(journal.read_text().splitlines()) > KILLS


def check(folder: Path, acknowledged: list[str]) -> None:
    with contextlib.closing(open_store(folder)) as store:
        check_records(store, acknowledged)
        assert integrity.check(store) == []


def check_records(store: Database, acknowledged: list[str]) -> None:
    with store.read() as reader:
        state = namespaces.find(reader, NOTES)
        if state is None:  # killed before the very first commit
            assert acknowledged == []
            return
        found = memories.get_many(reader, acknowledged, [state.id])
        assert set(found) == set(acknowledged)
        assert all(record.tags == ("red", "blue") for record in found.values())
        total = memories.count(reader, [state.id])
        assert jobs.pending(reader, 1) == total, "every record has its job, and no job is without its record"
