"""Stores of every age open: older ones are led to today's schema, newer ones are left alone."""

import hashlib
import os
import signal
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import StaticPool, create_engine

from goclaw.model.errors import SchemaTooNew
from goclaw.model.job import JobKind, NewJob
from goclaw.settings.settings import DatabaseSettings
from goclaw.storage import integrity, jobs, memories, namespaces
from goclaw.storage.database import Database, Unit
from goclaw.storage.engines import sqlite_opening
from goclaw.storage.migrations.upgrade import scripts, upgrade_to
from goclaw.storage.open import open_database
from goclaw.storage.schema import HEAD, REVISIONS
from tests.contract.builders import ALICE, make_record, put_record
from tests.unit.storage.processes import fork, wait

RECORDS = 1_000


def open_store(folder: Path) -> Database:
    return open_database(DatabaseSettings(), folder)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "gc_state.sqlite"


def make_store_of_0001(file: Path, records: int = 0) -> None:
    """A store as the first revision made it: its tables from the migration, its rows without what came later."""
    raw = sqlite3.connect(file, isolation_level=None)
    raw.execute("PRAGMA page_size = 8192")
    raw.execute("PRAGMA journal_mode = WAL")
    engine = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)
    with engine.connect() as connection, connection.begin():
        upgrade_to(connection, "0001")
    raw.close()
    if records:
        _fill(file, records)


def _fill(file: Path, records: int) -> None:
    """Rows of today's making; a later column is there only while they are made, and goes with what it held."""
    _alter_chunks(file, "ADD COLUMN structure BLOB")
    database = sqlite_opening.SqliteDatabase(file, patience_s=5.0)

    def work(unit: Unit) -> None:
        for number in range(records):
            put_record(unit, make_record(f"old fact {number}", id=f"m{number:04}", tags=("old",)))

    database.write(work)
    database.close()
    _alter_chunks(file, "DROP COLUMN structure")
    raw = sqlite3.connect(file)
    raw.execute(
        "INSERT INTO memory_jobs (id, kind, dedupe_key, workspace_id, payload, priority, state, attempts,"
        " max_attempts, run_after, created_at) VALUES ('j1', 'embed', 'm', 'default', '{}', 20, 'dead', 5, 5, 0, 0)"
    )
    raw.commit()
    raw.close()


def _alter_chunks(file: Path, change: str) -> None:
    raw = sqlite3.connect(file)
    raw.execute(f"ALTER TABLE memory_chunks {change}")
    raw.close()


def shape(file: Path) -> dict[str, object]:
    """Columns of every table and columns of every index, as the database sees them."""
    raw = sqlite3.connect(file)
    found: dict[str, object] = {}
    for kind, name, table in raw.execute(
        "SELECT type, name, tbl_name FROM sqlite_master WHERE tbl_name != 'alembic_version'"
    ).fetchall():
        pragma = "table_xinfo" if kind == "table" else "index_xinfo"
        found[f"{kind} {table} {name}"] = raw.execute(f"PRAGMA {pragma}({name})").fetchall()
    raw.close()
    return found


@pytest.fixture
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fresh")
    open_store(folder).close()
    return folder / "gc_state.sqlite"


def revision_of(file: Path) -> str:
    raw = sqlite3.connect(file)
    (revision,) = raw.execute("SELECT version_num FROM alembic_version").fetchone()
    raw.close()
    return str(revision)


def test_the_steps_are_those_the_schema_names() -> None:
    steps = [script.revision for script in scripts().walk_revisions()]
    assert tuple(reversed(steps)) == REVISIONS
    assert scripts().get_current_head() == HEAD


def test_a_fresh_store_is_of_todays_revision(fresh: Path) -> None:
    assert revision_of(fresh) == HEAD


def test_an_upgraded_store_has_the_shape_of_a_fresh_one(file: Path, tmp_path: Path, fresh: Path) -> None:
    make_store_of_0001(file)
    assert shape(file) != shape(fresh)
    open_store(tmp_path).close()
    assert revision_of(file) == HEAD
    assert shape(file) == shape(fresh)


def check_old_store(folder: Path) -> None:
    """Everything of the old store is there, and everything new works."""
    store = open_store(folder)
    with store.read() as reader:
        state = namespaces.find(reader, ALICE)
        assert state is not None
        found = memories.page(reader, [state.id], limit=RECORDS + 1)
        assert {record.id for record in found} == {f"m{number:04}" for number in range(RECORDS)}
        assert all(record.tags == ("old",) for record in found)
        old_job = jobs.get(reader, "j1")
        assert old_job is not None
        assert old_job.progress == {}
    new_job = NewJob(kind=JobKind.EMBED, dedupe_key="new", workspace_id="default")
    assert store.write(lambda unit: jobs.enqueue(unit, new_job, 1)) is not None
    assert integrity.check(store) == []
    store.close()


def test_r051_a_store_of_the_first_revision_opens(file: Path, tmp_path: Path) -> None:
    """R051: the old records are found and memory check is clean."""
    make_store_of_0001(file, RECORDS)
    check_old_store(tmp_path)


@pytest.mark.process
def test_r050_a_migration_killed_at_any_statement_is_completed_by_the_next_start(file: Path, tmp_path: Path) -> None:
    """R050: kill -9 before each statement in turn; the store is then whole in its old shape, and opens."""
    make_store_of_0001(file, RECORDS)
    before = shape(file)
    kills = 0
    while _upgrade_and_die(tmp_path, kills) == -signal.SIGKILL:
        kills += 1
        assert revision_of(file) == "0001"
        assert shape(file) == before
    assert kills > 5
    assert revision_of(file) == HEAD
    check_old_store(tmp_path)


def _upgrade_and_die(folder: Path, statements: int) -> int:
    """Open in a child that kills itself before its next statement but ``statements``."""

    def work() -> None:
        connect = sqlite_opening.connect
        left = iter(range(statements))

        def connect_and_count(path: Path, mode: str, busy_timeout_s: float) -> sqlite3.Connection:
            connection = connect(path, mode, busy_timeout_s)
            if mode == "rw":
                connection.set_trace_callback(lambda _: None if next(left, None) is not None else die())
            return connection

        def die() -> None:
            os.kill(os.getpid(), signal.SIGKILL)

        sqlite_opening.connect = connect_and_count
        open_store(folder).close()

    return wait(fork(work))


@pytest.mark.process
def test_r050_a_new_store_killed_at_any_statement_is_made_by_the_next_start(tmp_path: Path, fresh: Path) -> None:
    kills = 0
    while _upgrade_and_die(tmp_path, kills) == -signal.SIGKILL:
        kills += 4
    assert kills > 20
    assert shape(tmp_path / "gc_state.sqlite") == shape(fresh)


def test_r052_a_store_from_the_future_is_refused_and_stays_as_it_is(file: Path, tmp_path: Path) -> None:
    """R052: the message says so and the file keeps its bytes."""
    open_store(tmp_path).close()
    raw = sqlite3.connect(file)
    raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.commit()
    raw.close()
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    with pytest.raises(SchemaTooNew, match="9999"):
        open_store(tmp_path)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before


@pytest.mark.process
@pytest.mark.parametrize("old", [False, True], ids=["new", "old"])
def test_processes_that_open_a_store_at_once_are_safe(file: Path, tmp_path: Path, fresh: Path, old: bool) -> None:
    if old:
        make_store_of_0001(file)
    reading, writing = os.pipe()

    def work() -> None:
        os.read(reading, 1)  # all start together
        store = open_store(tmp_path)
        store.write(lambda unit: namespaces.find_or_make(unit, ALICE))
        store.close()

    children = [fork(work) for _ in range(4)]
    os.write(writing, b"xxxx")
    assert [wait(child) for child in children] == [0, 0, 0, 0]
    os.close(reading)
    os.close(writing)
    assert shape(file) == shape(fresh)
