"""Durable writes: Database.write against raw SQLite doing the same rows and commits (quality.md, G5).

    python -m benchmarks.writes [--units 200] [--rounds 5] [--json FILE]

One unit stores a record with two tags, two chunks, their places on the list of pending vectors, an audit row and a
job. The ways are interleaved, round by round, each on a fresh file with the same settings; medians of units a second.
"""

import argparse
import json
import queue
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from goclaw.model.ids import new_id, sha256_hex
from goclaw.model.job import JobKind, NewJob
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.principal import ActorKind
from goclaw.model.provenance import Provenance
from goclaw.model.record import Kind, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.settings.settings import DatabaseSettings
from goclaw.storage import audit_log, chunks, jobs, memories, namespaces, pending_vectors
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.chunks import ChunkRow
from goclaw.storage.database import Database, Unit
from goclaw.storage.open import open_database
from goclaw.storage.record_rows import to_row
from goclaw.storage.schema import METADATA

CLIENTS = 8
MAX_GROUP = 256
HOME = Namespace("default", Scope.PERSONAL, "bench")
TEXT = "The nightly backup of the orders database runs at two and is kept for thirty days. " * 3
TERMS = bytes(range(150))
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
AT = 1_767_225_600_000_000

Write = Callable[[MemoryRecord], None]
RAW_SETTINGS = (
    *("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"),
    *("journal_size_limit = 67108864", "wal_autocheckpoint = 4000", "cache_size = -8192"),
)


def make_record() -> MemoryRecord:
    return MemoryRecord(
        id=new_id(),
        namespace=HOME,
        kind=Kind.NOTE,
        content=TEXT,
        content_hash=sha256_hex(TEXT),
        lifecycle=Lifecycle.ACTIVE,
        provenance=Provenance.OBSERVED,
        review_status=ReviewStatus.EVIDENCE_ONLY,
        actor_id="human:bench",
        actor_kind=ActorKind.HUMAN,
        created_at=MOMENT,
        updated_at=MOMENT,
        version=1,
        tags=("backup", "orders"),
    )


def make_chunk(record: MemoryRecord, namespace_id: int, slot: int, ordinal: int) -> ChunkRow:
    hashed = sha256_hex(TEXT)
    identity = (hashed[:32], record.id, namespace_id, ordinal)
    return ChunkRow(slot, *identity, 0, len(TEXT), TEXT, hashed, TERMS, 1, 0, None, None, AT, None)


def store_unit(database: Database, record: MemoryRecord) -> None:
    """The unit through our own tables."""

    def work(unit: Unit) -> None:
        state = namespaces.find_or_make(unit, HOME)
        memories.insert(unit, record, state.id)
        slot = namespaces.allocate_slots(unit, state.id, 2)
        chunks.insert(unit, [make_chunk(record, state.id, slot + n, n) for n in (0, 1)])
        pending_vectors.add(unit, [slot, slot + 1])
        jobs.enqueue(unit, NewJob(kind=JobKind.EMBED, dedupe_key=record.id, workspace_id="default"), AT)
        event = AuditEvent(
            event_type="memory_written", workspace_id="default", actor_kind="human", actor_id="human:bench", at=AT
        )
        audit_log.append(unit, event)

    database.write(work)


def insert_sql(table: str) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * len(METADATA.tables[table].columns))})"


SQL = {name: insert_sql(name) for name in METADATA.tables}


def run_raw(connection: sqlite3.Connection, record: MemoryRecord) -> None:
    """The same statements and rows, as bare as Python can run them."""
    run = connection.execute
    run(
        "SELECT id FROM namespaces WHERE workspace_id = ? AND scope = ? AND owner_user_id = ? AND project_id = ?"
        " AND channel_id = ?",
        ("default", "personal", "bench", "", ""),
    ).fetchone()
    run(SQL["memories"], (record.id, 1, *to_row(record)))
    connection.executemany(SQL["memory_tags"], [(record.id, tag, n) for n, tag in enumerate(record.tags)])
    run("UPDATE namespaces SET last_slot = last_slot + ? WHERE id = ?", (2, 1))
    (last,) = run("SELECT last_slot FROM namespaces WHERE id = ?", (1,)).fetchone()
    slot = (1 << 32) + last - 2
    connection.executemany(SQL["memory_chunks"], [make_chunk(record, 1, slot + n, n) for n in (0, 1)])
    connection.executemany(SQL["pending_vectors"], [(slot, None), (slot + 1, None)])
    job = (new_id(), "embed", record.id, f"embed {record.id}", "default", "{}", 60, "queued", 0, 5, 0)
    run(SQL["memory_jobs"], (*job, None, None, None, AT, None, None, None))
    run(
        SQL["audit_log"],
        (new_id(), "memory_written", "default", "human", "human:bench", None, None, None, None, AT),
    )


def connect_raw(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None, timeout=60, check_same_thread=False, cached_statements=512)
    for setting in RAW_SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    return connection


def commit_raw(connection: sqlite3.Connection, record: MemoryRecord) -> None:
    connection.execute("BEGIN IMMEDIATE")
    run_raw(connection, record)
    connection.execute("COMMIT")


class BareGroups:
    """A bare group-commit loop: a queue, a thread, no savepoints, no turnstile, no errors."""

    def __init__(self, file: Path) -> None:
        self._connection = connect_raw(file)
        self._queue: queue.SimpleQueue[tuple[MemoryRecord, threading.Lock] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def write(self, record: MemoryRecord) -> None:
        done = threading.Lock()
        done.acquire()
        self._queue.put((record, done))
        done.acquire()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            group = [first]
            while len(group) < MAX_GROUP and not self._queue.empty():
                following = self._queue.get()
                assert following is not None
                group.append(following)
            self._connection.execute("BEGIN IMMEDIATE")
            for record, _ in group:
                run_raw(self._connection, record)
            self._connection.execute("COMMIT")
            for _, done in group:
                done.release()

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()
        self._connection.close()


def drive(write: Sequence[Write], units: int) -> tuple[float, float]:
    """Every client writes its share; (units a second, longest wait in milliseconds)."""
    shares = [[make_record() for _ in range(units // len(write))] for _ in write]
    longest: list[float] = []

    def client(one: Write, records: list[MemoryRecord]) -> None:
        waits = []
        for record in records:
            before = time.perf_counter()
            one(record)
            waits.append(time.perf_counter() - before)
        longest.append(max(waits))

    threads = [threading.Thread(target=client, args=each) for each in zip(write, shares, strict=True)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(len(share) for share in shares) / (time.perf_counter() - start), max(longest) * 1000


def measure(way: str, folder: Path, units: int) -> tuple[float, float]:
    """One way, on a fresh store that has its namespace already."""
    with closing(open_database(DatabaseSettings(), folder)) as database:
        database.write(lambda unit: namespaces.find_or_make(unit, HOME))
        count = 1 if way.endswith("one") else CLIENTS
        if way.startswith("store"):
            return drive([lambda record: store_unit(database, record)] * count, units)
    file = folder / "gc_state.sqlite"
    if way == "groups eight":
        with closing(BareGroups(file)) as groups:
            return drive([groups.write] * count, units)
    connections = [connect_raw(file) for _ in range(count)]
    try:
        return drive([lambda record, c=c: commit_raw(c, record) for c in connections], units)
    finally:
        for connection in connections:
            connection.close()


WAYS = ("raw one", "store one", "raw eight", "groups eight", "store eight")


def run(units: int, rounds: int) -> dict[str, Any]:
    """Medians of each way, and the ratios that G5 speaks of."""
    speeds: dict[str, list[float]] = {way: [] for way in WAYS}
    waits: dict[str, list[float]] = {way: [] for way in WAYS}
    for number in range(rounds):
        for way in WAYS if number % 2 == 0 else reversed(WAYS):
            with tempfile.TemporaryDirectory(prefix="gc_bench_") as folder:
                speed, wait = measure(way, Path(folder), units)
            speeds[way].append(speed)
            waits[way].append(wait)
    speed = {way: statistics.median(values) for way, values in speeds.items()}
    wait = {way: statistics.median(values) for way, values in waits.items()}
    return {
        "units_per_s": speed,
        "longest_wait_ms": wait,
        "one client, share of raw SQLite (goal 0.5)": speed["store one"] / speed["raw one"],
        "eight clients, share of a bare group loop (goal 0.6)": speed["store eight"] / speed["groups eight"],
        "eight clients, times eight connections (goal 1.8)": speed["store eight"] / speed["raw eight"],
        "longest wait, share of eight connections' (goal 0.05)": wait["store eight"] / wait["raw eight"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--units", type=int, default=200, help="units a round and way")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    figures = run(options.units, options.rounds)
    for way in WAYS:
        print(
            f"{way:14} {figures['units_per_s'][way]:8.0f} units/s   {figures['longest_wait_ms'][way]:8.1f} ms longest"
        )
    for name, value in figures.items():
        if isinstance(value, float):
            print(f"{name}: {value:.2f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
