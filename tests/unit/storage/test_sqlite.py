"""The SQLite engine: its settings, its errors, its log, and what it does in a folder that cannot be written."""

import logging
import os
import resource
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from goclaw.model.errors import StoreBusy, StoreDamaged, StoreError, StoreFull, StoreReadOnly
from goclaw.settings.settings import DatabaseSettings
from goclaw.storage import integrity
from goclaw.storage.backup import make_backup, newest_backup
from goclaw.storage.database import Database
from goclaw.storage.engines import group_writer, sqlite_writer
from goclaw.storage.engines.sqlite_connection import connect
from goclaw.storage.open import open_database
from goclaw.storage.schema import DB_META
from goclaw.storage.statement import InsertOrReplace, Statement
from tests.unit.storage.processes import fork, wait

PUT = Statement(InsertOrReplace(DB_META))
COUNT = Statement(select(func.count()).select_from(DB_META))
VALUES = Statement(select(DB_META.c.key).order_by(DB_META.c.key))
NOBODY = 65534


def open_store(folder: Path, patience_s: float = 30.0) -> Database:
    return open_database(DatabaseSettings(), folder, patience_s=patience_s)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Database]:
    database = open_store(tmp_path)
    yield database
    database.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "gc_state.sqlite"


def put(store: Database, key: str, value: str = "x") -> None:
    store.write(lambda unit: unit.run(PUT, (key, value)))


def count(store: Database) -> int:
    with store.read() as reader:
        row = reader.one(COUNT)
    assert row is not None
    return int(row[0])


def poll(condition: Callable[[], bool], deadline_s: float = 20.0) -> bool:
    deadline = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_the_file_has_the_settings_that_last(store: Database, file: Path) -> None:
    put(store, "a")
    raw = sqlite3.connect(file)
    assert raw.execute("PRAGMA page_size").fetchone() == (8192,)
    assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    raw.close()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_path_of_the_settings_lies_in_the_state_directory(tmp_path: Path) -> None:
    open_database(DatabaseSettings(path="inner/own.sqlite"), tmp_path).close()
    assert (tmp_path / "inner" / "own.sqlite").exists()


def test_every_writing_connection_syncs_fully_and_overwrites_what_it_deletes(store: Database) -> None:
    pragmas: list[object] = []

    def look(unit: object) -> None:
        connection = unit._connection  # type: ignore[attr-defined]
        for name in ("synchronous", "secure_delete", "journal_size_limit"):
            pragmas.append(connection.execute(f"PRAGMA {name}").fetchone()[0])

    store.write(look)
    assert pragmas == [2, 1, 64 * 1024 * 1024]


def test_deleted_text_is_in_no_file_after_a_checkpoint(store: Database, tmp_path: Path) -> None:
    put(store, "secret", "marmalade-fake" * 50)
    store.write(lambda unit: unit.run(Statement(DB_META.delete())))
    store.checkpoint()
    for path in tmp_path.iterdir():
        assert b"marmalade-fake" not in path.read_bytes(), path.name


def test_a_foreign_lock_is_store_busy_and_never_a_drivers_error(tmp_path: Path, file: Path) -> None:
    store = open_store(tmp_path, patience_s=0.05)
    foreign = sqlite3.connect(file, isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        put(store, "a")
    foreign.execute("ROLLBACK")
    foreign.close()
    put(store, "b")
    assert count(store) == 1
    store.close()


def test_a_checkpoint_does_not_wait_for_a_reader_for_ever(tmp_path: Path) -> None:
    store = open_store(tmp_path, patience_s=0.1)
    put(store, "a")
    with store.read() as reader:
        reader.one(COUNT)
        put(store, "b")
        with pytest.raises(StoreBusy):
            store.checkpoint()
    store.checkpoint()
    store.close()


def test_r040_the_log_shrinks_when_a_long_reader_ends(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """R040 (reduced): a warning while a snapshot keeps the log, and an empty log soon after it is let go."""
    monkeypatch.setattr(group_writer, "REST_S", 0.01)
    monkeypatch.setattr(sqlite_writer, "REST_AGAIN_S", 0.02)
    monkeypatch.setattr(sqlite_writer, "WAL_LIMIT_BYTES", 100_000)
    store = open_store(tmp_path)
    log = file.with_name(file.name + "-wal")
    with caplog.at_level(logging.WARNING), store.read() as reader:
        reader.one(COUNT)
        for number in range(40):
            put(store, f"{number}", "x" * 4000)
        assert log.stat().st_size > 100_000
        assert poll(lambda: "above its limit" in caplog.text)
    assert poll(lambda: log.stat().st_size == 0)
    assert count(store) == 40
    store.close()


def test_an_idle_store_truncates_its_log(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_writer, "REST_S", 0.01)
    store = open_store(tmp_path)
    put(store, "a")
    assert poll(lambda: file.with_name(file.name + "-wal").stat().st_size == 0)
    store.close()


@pytest.mark.process
def test_r044_a_full_disk_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    """R044 (storage): StoreFull for who does not fit; everything acknowledged is there, and writing goes on later."""

    def work() -> None:
        store = open_store(tmp_path)
        put(store, "first")
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
        acknowledged = ["first"]
        keys = iter(f"{number:04}" for number in range(1000))

        def write_on() -> None:
            for key in keys:
                put(store, key, "x" * 10_000)
                acknowledged.append(key)

        with pytest.raises(StoreFull):
            write_on()
        assert len(acknowledged) > 10
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        put(store, "last")
        with store.read() as reader:
            assert [key for (key,) in reader.all(VALUES)] == sorted([*acknowledged, "last"])
        assert store.find_damage() == []
        store.close()

    assert wait(fork(work)) == 0


@pytest.mark.process
def test_on_a_full_disk_a_small_unit_of_the_group_still_fits(tmp_path: Path) -> None:
    """A unit that is too large takes its group down; the others are tried again, each by itself."""

    def work() -> None:
        store = open_store(tmp_path)
        put(store, "first")
        inside, go_on = threading.Event(), threading.Event()
        outcomes: dict[str, BaseException | None] = {}

        def client(key: str, size: int) -> None:
            try:
                put(store, key, "x" * size)
                outcomes[key] = None
            except StoreError as error:
                outcomes[key] = error

        def hold(_: object) -> None:
            inside.set()
            go_on.wait(10)

        holder = threading.Thread(target=lambda: store.write(hold))
        holder.start()
        assert inside.wait(10)
        clients = [threading.Thread(target=client, args=each) for each in (("a", 10), ("big", 3_000_000), ("b", 10))]
        for thread in clients:
            thread.start()
        assert poll(lambda: store._groups._queue.qsize() == 3)  # type: ignore[attr-defined]
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
        go_on.set()
        for thread in (holder, *clients):
            thread.join()
        assert outcomes["a"] is None
        assert outcomes["b"] is None
        assert isinstance(outcomes["big"], StoreFull)
        assert count(store) == 3
        store.close()

    assert wait(fork(work)) == 0


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="gc_store_") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def as_nobody(work: Callable[[], object]) -> int:
    """Run in a child without the right to write (root may write everywhere)."""

    def child() -> None:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        work()

    return wait(fork(child))


@pytest.mark.process
@pytest.mark.parametrize("leaves_log", [False, True], ids=["closed cleanly", "with a log left behind"])
def test_r045_a_read_only_folder_is_read_and_not_written(open_folder: Path, leaves_log: bool) -> None:
    """R045: reads work, a write is StoreReadOnly, nothing crashes."""

    def fill() -> None:
        store = open_store(open_folder)
        put(store, "a")
        if leaves_log:
            os._exit(0)  # as a crash does: the log stays
        store.close()

    assert wait(fork(fill)) == 0
    for path in open_folder.iterdir():
        path.chmod(0o444)
    open_folder.chmod(0o555)

    def work() -> None:
        store = open_store(open_folder)
        assert store.read_only is True
        assert count(store) == 1
        for attempt in (
            lambda: put(store, "b"),
            lambda: store.write_later(lambda unit: None),
            lambda: store.checkpoint(),
        ):
            with pytest.raises(StoreReadOnly):
                attempt()
        store.flush_later()
        assert store.find_damage() == []
        store.close()

    assert as_nobody(work) == 0
    open_folder.chmod(0o755)


@pytest.mark.process
def test_r045_an_empty_read_only_folder_is_refused(open_folder: Path) -> None:
    open_folder.chmod(0o555)

    def work() -> None:
        with pytest.raises(StoreReadOnly):
            open_store(open_folder)

    assert as_nobody(work) == 0
    open_folder.chmod(0o755)


def test_r042_a_damaged_page_is_reported_and_the_file_set_aside_whole(
    store: Database, tmp_path: Path, file: Path
) -> None:
    """R042: the damage is named; the file keeps its bytes under another name; a backup takes its place."""
    for number in range(50):
        put(store, f"{number}", "x" * 3000)
    backup = make_backup(store, tmp_path / "backups", 1_000_000)
    store.close()
    content = bytearray(file.read_bytes())
    content[4 * 8192 + 4000 : 4 * 8192 + 4064] = b"\xff" * 64
    content[4 * 8192 : 4 * 8192 + 64] = b"\xff" * 64
    file.write_bytes(content)
    damaged = open_store(tmp_path)
    (finding,) = integrity.check(damaged)
    assert (finding.name, finding.is_mendable) == ("damaged_file", False)
    assert finding.count > 0
    damaged.close()
    before = file.read_bytes()
    aside = integrity.set_aside(file, 2_000_000)
    assert not file.exists()
    assert aside.read_bytes() == before
    assert newest_backup(tmp_path / "backups") == backup
    backup.rename(file)
    restored = open_store(tmp_path)
    assert count(restored) == 50
    assert integrity.check(restored) == []
    restored.close()


@pytest.mark.parametrize("content", [b"this is no database at all" * 400, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_file_that_is_no_database_is_damaged_and_stays_as_it_is(tmp_path: Path, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(StoreDamaged):
        open_store(tmp_path)
    assert file.read_bytes() == content


def test_somebody_elses_database_is_refused_and_stays_as_it_is(tmp_path: Path, file: Path) -> None:
    raw = sqlite3.connect(file)
    raw.execute("CREATE TABLE other (id)")
    raw.close()
    before = file.read_bytes()
    with pytest.raises(StoreError, match="not one of goclaw's"):
        open_store(tmp_path)
    assert file.read_bytes() == before


def test_a_state_directory_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(StoreError):
        open_store(tmp_path / "state")


def test_r047_backups_while_writing(store: Database, tmp_path: Path) -> None:
    """R047: each copy is sound and holds every record acknowledged before it was begun."""
    acknowledged: list[str] = []
    stop = threading.Event()

    def write_on() -> None:
        number = 0
        while not stop.is_set():
            put(store, f"{number:06}", "x" * 500)
            acknowledged.append(f"{number:06}")
            number += 1

    thread = threading.Thread(target=write_on)
    thread.start()
    assert poll(lambda: len(acknowledged) > 5)
    for number in range(10):
        known = set(acknowledged)
        copy = make_backup(store, tmp_path / "backups", number)
        raw = connect(copy, "ro", 1.0)
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert known <= {key for (key,) in raw.execute("SELECT key FROM db_meta")}
        raw.close()
        assert copy.stat().st_mode & 0o777 == 0o600
    stop.set()
    thread.join()
    assert len(list((tmp_path / "backups").glob("*.sqlite"))) == 10


def test_messages_carry_neither_paths_nor_sql(tmp_path: Path, file: Path) -> None:
    file.write_bytes(b"x" * 9000)
    with pytest.raises(StoreDamaged) as caught:
        open_store(tmp_path)
    assert str(tmp_path) not in str(caught.value)
    assert "SELECT" not in str(caught.value)
