"""Rows of older revisions are led along: what they mean today is found through today's tables, on every engine."""

import itertools
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Connection, StaticPool, create_engine, text

from goclaw.governance.audit_chain import seal_all, verify
from goclaw.settings.settings import DatabaseSettings
from goclaw.storage import audit_log, audit_seals, idempotency_keys, integrity, recall_traces, trace_items
from goclaw.storage.database import Database, Unit
from goclaw.storage.idempotency_keys import Claim
from goclaw.storage.migrations.upgrade import upgrade_to
from goclaw.storage.open import open_database
from goclaw.storage.recall_traces import RecallTrace
from goclaw.storage.schema import HEAD, REVISIONS
from goclaw.storage.trace_items import TraceItem
from tests.contract.builders import make_record, put_record

TRACES = 1_001  # one more than the migration takes at once
KEEP_KEY = "INSERT INTO idempotency_keys VALUES ('default', 'human:alice', :key, 'hash', :memory_id, 1)"
KEEP_EVENT = text(
    "INSERT INTO audit_log (id, event_type, workspace_id, actor_kind, actor_id, at)"
    " VALUES (:id, 'memory_written', :workspace, 'human', 'human:alice', :at)"
)
KEEP_TRACE = text(
    "INSERT INTO recall_traces VALUES"
    " (:id, 'default', 'human:alice', '{}', 'automatic', 'marmalade?', '{}', :returned, :withheld, 5)"
)
_names = (f"old_store_{number}" for number in itertools.count())

Connect = Callable[[], Connection]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[DatabaseSettings, Connect]:
    """Settings that name a database without any table, and how to get at it without goclaw."""
    if request.param == "sqlite":
        return DatabaseSettings(driver="sqlite"), lambda: _connect_to_sqlite(tmp_path / "gc_state.sqlite")
    server: str = request.getfixturevalue("postgres_server")
    name = next(_names)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = server.replace("/postgres?", f"/{name}?")
    return DatabaseSettings(driver="postgres", url=url), lambda: _connect_to_postgres(url)


def _connect_to_sqlite(file: Path) -> Connection:
    raw = sqlite3.connect(file, isolation_level=None)
    connection = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool).connect()
    raw.execute("BEGIN")  # nobody else would, and each row would be a transaction of its own
    return connection


def _connect_to_postgres(url: str) -> Connection:
    raw = psycopg.connect(url)
    return create_engine("postgresql+psycopg://", creator=lambda: raw, poolclass=StaticPool).connect()


@contextmanager
def old_store(connect: Connect, revision: str) -> Iterator[Connection]:
    """A connection to a store as that revision made it."""
    connection = connect()
    try:
        with connection.begin():
            upgrade_to(connection, revision)
            yield connection
    finally:
        connection.close()
        connection.engine.dispose()


def _keep_rows(connection: Connection) -> None:
    """What the first revisions wrote down of recalls, deeds and answered requests."""
    met = {"returned": [{"memory_id": "m1", "text": "marmalade"}, {"memory_id": "m2", "text": "jam"}]}
    met["withheld"] = [{"memory_id": "m3", "why": "stale"}, {"memory_id": "m2", "why": "pending"}]
    rows = [{"id": f"t{n:04}", "returned": "[]", "withheld": "[]"} for n in range(TRACES - 1)]
    connection.execute(KEEP_TRACE, [*rows, {"id": "t9999", **{key: json.dumps(value) for key, value in met.items()}}])
    events = [{"id": f"e{n}", "workspace": "default" if n else "elsewhere", "at": n} for n in range(3)]
    connection.execute(KEEP_EVENT, events)
    connection.execute(text(KEEP_KEY), [{"key": "answered", "memory_id": "m1"}, {"key": "open", "memory_id": ""}])


@pytest.fixture(params=[revision for revision in REVISIONS if revision < "0003"])
def upgraded(
    request: pytest.FixtureRequest, place: tuple[DatabaseSettings, Connect], tmp_path: Path
) -> Iterator[Database]:
    settings, connect = place
    with old_store(connect, request.param) as connection:
        _keep_rows(connection)
    store = open_database(settings, tmp_path)
    yield store
    store.close()


def test_old_traces_are_found_from_the_records_they_met(upgraded: Database) -> None:
    with upgraded.read() as reader:
        assert trace_items.of_trace(reader, "t0000") == []
        items = [item for memory_id in ("m1", "m2", "m3") for item in trace_items.of_memory(reader, memory_id)]
        trace = recall_traces.get(reader, "default", "t9999")
    assert items == [
        TraceItem("t9999", "m1", 1, None, None, None),
        TraceItem("t9999", "m2", 2, None, None, None),
        TraceItem("t9999", "m3", None, "stale", None, None),
    ]
    assert trace is not None
    assert trace.is_private is False


def test_forgetting_reaches_old_traces(upgraded: Database) -> None:
    assert upgraded.write(lambda unit: recall_traces.blank(unit, "m1")) == 1
    with upgraded.read() as reader:
        trace = recall_traces.get(reader, "default", "t9999")
    assert trace is not None
    assert "marmalade" not in str(trace)


def test_old_events_are_sealed_like_new_ones(upgraded: Database) -> None:
    with upgraded.read() as reader:
        assert [event.id for event in audit_seals.unsealed(reader, "default", 9)] == ["e1", "e2"]
        assert audit_seals.count_unsealed(reader, "elsewhere") == 1
    assert seal_all(upgraded) == 3
    with upgraded.read() as reader:
        found = verify(reader, "default")
        assert (found.sealed, found.unsealed, found.problem) == (2, 0, None)
        assert len(audit_log.page(reader, "default", limit=9)) == 2


def test_old_keys_still_know_their_answers(upgraded: Database) -> None:
    with upgraded.read() as reader:
        assert idempotency_keys.find(reader, "default", "human:alice", "answered") == Claim("hash", ("m1",))
        assert idempotency_keys.find(reader, "default", "human:alice", "open") == Claim("hash", None)


def test_an_upgraded_store_is_sound_and_takes_new_rows(upgraded: Database) -> None:
    trace = RecallTrace(
        id="tnew",
        workspace_id="default",
        actor_id="human:alice",
        principal={},
        mode="explicit",
        query="new",
        request={},
        returned=[{"memory_id": "m1", "rank": 1, "text": "marmalade"}],
        withheld=[],
        created_at=9,
        is_private=True,
    )

    def work(unit: Unit) -> None:
        put_record(unit, make_record("marmalade", id="m1"))
        recall_traces.insert(unit, trace)

    upgraded.write(work)
    with upgraded.read() as reader:
        assert recall_traces.get(reader, "default", "tnew") == trace
    assert integrity.check(upgraded) == []


@pytest.mark.parametrize("revision", REVISIONS[:-1])
def test_every_revision_leads_to_todays_columns(
    place: tuple[DatabaseSettings, Connect], tmp_path: Path, revision: str
) -> None:
    settings, connect = place
    with old_store(connect, revision):
        pass
    open_database(settings, tmp_path).close()
    connection = connect()
    stamped = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    connection.close()
    connection.engine.dispose()
    assert stamped == HEAD
    store = open_database(settings, tmp_path)
    assert integrity.check(store) == []
    store.close()
