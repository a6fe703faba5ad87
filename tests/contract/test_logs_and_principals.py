"""Audit log, recall traces, tombstones, people and keys, figures, and what memory check finds and mends."""

from typing import Any

import pytest

from goclaw.model.errors import Conflict
from goclaw.model.principal import RunKind
from goclaw.storage import (
    audit_log,
    chunks,
    index_meta,
    integrity,
    memories,
    namespaces,
    pending_vectors,
    principals,
    recall_traces,
    stats,
    tombstones,
    vectors,
)
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.database import Database, Unit
from goclaw.storage.index_meta import IndexIdentity
from goclaw.storage.principals import Key, Person
from goclaw.storage.recall_traces import RecallTrace
from goclaw.storage.schema import MEMORY_JOBS, MEMORY_TAGS, NAMESPACES
from goclaw.storage.statement import Statement
from tests.contract.builders import NOTES, make_chunk, make_record, namespace_id, write_record


def audit_event(at: int, **changes: Any) -> AuditEvent:
    values: dict[str, Any] = {
        "event_type": "memory_written",
        "workspace_id": "default",
        "actor_kind": "human",
        "actor_id": "human:alice",
        **changes,
    }
    return AuditEvent(at=at, **values)


def test_the_audit_log_is_read_newest_first(store: Database) -> None:
    events = [
        audit_event(1, memory_id="m1", trace_id="t1", namespace_id=3, detail={"reason": "ü"}),
        audit_event(2, event_type="memory_refused", actor_id="agent:a1", actor_kind="agent"),
        audit_event(2, memory_id="m2"),
        audit_event(3, workspace_id="elsewhere"),
    ]
    for event in events:
        store.write(lambda unit, event=event: audit_log.append(unit, event))
    with store.read() as reader:
        page = audit_log.page(reader, "default", limit=10)
        assert [(event.at, event.memory_id) for event in page] == [(2, "m2"), (2, None), (1, "m1")]
        assert page[2].detail == {"reason": "ü"}
        assert (page[2].trace_id, page[2].namespace_id) == ("t1", 3)
        first, rest = page[0], audit_log.page(reader, "default", before=(2, page[0].id), limit=10)
        assert [first, *rest] == page
        assert [event.at for event in audit_log.page(reader, "default", event_type="memory_refused", limit=9)] == [2]
        assert [event.at for event in audit_log.page(reader, "default", actor_id="agent:a1", limit=9)] == [2]
        assert [event.at for event in audit_log.page(reader, "default", memory_id="m1", limit=9)] == [1]


def make_trace(trace_id: str = "t1", **changes: Any) -> RecallTrace:
    values: dict[str, Any] = {
        "workspace_id": "default",
        "actor_id": "human:alice",
        "principal": {"user_id": "alice"},
        "mode": "automatic",
        "query": "which code word?",
        "request": {"limit": 6},
        "returned": [
            {"memory_id": "m1", "rank": 1, "text": "marmalade"},
            {"memory_id": "m2", "rank": 2, "text": "other"},
        ],
        "withheld": [{"memory_id": "m3", "why": "stale"}],
        "created_at": 5,
        **changes,
    }
    return RecallTrace(id=trace_id, **values)


def store_met_records(store: Database) -> None:
    for memory_id in ("m1", "m2", "m3"):
        write_record(store, make_record(f"content of {memory_id}", id=memory_id))


def test_a_trace_comes_back_within_its_workspace(store: Database) -> None:
    store_met_records(store)
    trace = make_trace()
    store.write(lambda unit: recall_traces.insert(unit, trace))
    with store.read() as reader:
        assert recall_traces.get(reader, "default", "t1") == trace
        assert recall_traces.get(reader, "elsewhere", "t1") is None


def test_a_forgotten_record_leaves_no_words_in_traces(store: Database) -> None:
    store_met_records(store)
    for trace in (make_trace(), make_trace("t2", returned=[], withheld=[]), make_trace("t3", workspace_id="elsewhere")):
        store.write(lambda unit, trace=trace: recall_traces.insert(unit, trace))
    assert store.write(lambda unit: recall_traces.blank(unit, "m1")) == 2
    with store.read() as reader:
        blanked = recall_traces.get(reader, "default", "t1")
        assert blanked is not None
        assert blanked.query.startswith("sha256:")
        assert [hit["text"] for hit in blanked.returned] == [None, "other"]
        assert recall_traces.get(reader, "default", "t2") == make_trace("t2", returned=[], withheld=[])
        elsewhere = recall_traces.get(reader, "elsewhere", "t3")  # it met a record of the whole organization
        assert elsewhere is not None
        assert (elsewhere.query, elsewhere.returned) == (blanked.query, blanked.returned)
    query = blanked.query
    assert store.write(lambda unit: recall_traces.blank(unit, "m3")) == 2
    with store.read() as reader:
        again = recall_traces.get(reader, "default", "t1")
        assert again is not None
        assert again.query == query


def test_tombstones_belong_to_their_namespace(store: Database) -> None:
    for _ in range(2):
        store.write(lambda unit: tombstones.put(unit, "default", 3, "hash", "forgotten", 5))
    with store.read() as reader:
        assert tombstones.exists(reader, 3, "hash") is True
        assert tombstones.exists(reader, 4, "hash") is False


def test_people(store: Database) -> None:
    alice = Person(workspace_id="default", user_id="alice", display_name="Alice", roles=("member",), created_at=1)
    assert store.write(lambda unit: principals.add_person(unit, alice)) is True
    assert store.write(lambda unit: principals.add_person(unit, alice)) is False
    assert store.write(lambda unit: principals.set_roles(unit, "default", "alice", ["member", "admin"])) is True
    assert store.write(lambda unit: principals.set_roles(unit, "elsewhere", "alice", ["admin"])) is False
    with store.read() as reader:
        (found,) = principals.list_people(reader, "default")
        assert found.roles == ("member", "admin")
        assert principals.find_person(reader, "default", "alice") == found
        assert principals.find_person(reader, "elsewhere", "alice") is None


def test_keys(store: Database) -> None:
    key = Key(
        id="k1",
        kind="agent",
        key_hash="hash-1",
        prefix="gc_ab",
        workspace_id="default",
        run_kind=RunKind.AGENT,
        created_at=1,
        user_id="alice",
        agent_id="a1",
        project_ids=("apollo",),
        channel_ids=("room",),
    )
    store.write(lambda unit: principals.add_key(unit, key))
    with pytest.raises(Conflict):
        store.write(lambda unit: principals.add_key(unit, key))
    with store.read() as reader:
        assert principals.find_key(reader, "hash-1") == key
        assert principals.find_key(reader, "hash-2") is None
        assert principals.list_keys(reader, "default") == [key]
        assert principals.list_keys(reader, "elsewhere") == []
    store.write(lambda unit: principals.note_key_use(unit, "k1", 7))
    assert store.write(lambda unit: principals.rotate_key(unit, "elsewhere", "k1", "hash-2", "gc_cd")) is False
    assert store.write(lambda unit: principals.rotate_key(unit, "default", "k1", "hash-2", "gc_cd")) is True
    assert store.write(lambda unit: principals.revoke_key(unit, "default", "k1", 9)) is True
    assert store.write(lambda unit: principals.revoke_key(unit, "default", "k1", 10)) is False
    assert store.write(lambda unit: principals.rotate_key(unit, "default", "k1", "hash-3", "gc_ef")) is False
    with store.read() as reader:
        assert principals.find_key(reader, "hash-1") is None
        found = principals.find_key(reader, "hash-2")
        assert found is not None
        assert (found.revoked_at, found.prefix) == (9, "gc_cd")


def test_figures_are_of_the_namespaces_asked_for(store: Database) -> None:
    number, _ = write_record(store, make_record(), ["one", "two"])
    other, _ = write_record(store, make_record("x", NOTES))
    with store.read() as reader:
        assert stats.counts(reader, [number]) == {
            "records": 1,
            "by_scope": {"personal": 1},
            "by_lifecycle": {"active": 1},
            "chunks": 2,
        }
        assert stats.counts(reader, [number, other])["records"] == 2
        assert stats.counts(reader, [])["records"] == 0
        assert stats.rows(reader)["memory_chunks"] == 3


def test_a_sound_store_has_no_findings(store: Database) -> None:
    write_record(store, make_record(tags=("red",)))
    assert integrity.check(store) == []
    assert integrity.mend(store) == []


def test_what_memory_check_finds_it_mends(store: Database) -> None:
    sound = make_record()
    number, slots = write_record(store, sound)
    broken = make_record("its row will be lost", tags=("red",))
    _, orphans = write_record(store, broken)

    def damage(unit: Unit) -> None:
        model = index_meta.add_building(unit, IndexIdentity("local", "minilm", "key", 3, 1, 1))
        index_meta.switch_to(unit, model, None)
        vectors.put(unit, model, [(slot, b"v") for slot in (*orphans, 999)])
        vectors.put(unit, 77, [(slots[0], b"v")])
        pending_vectors.add(unit, [*orphans, 998])
        memories.delete(unit, broken.id)
        unit.run(Statement(MEMORY_TAGS.insert()), ("lost", "red", 0))
        unit.run(Statement(NAMESPACES.update().values(last_slot=0)))
        row = ("j1", "unknown_kind", "k", None, "default", "{}", 1, "queued", 0, 1, 0, *[None] * 3, 0, *[None] * 3)
        unit.run(Statement(MEMORY_JOBS.insert()), row)

    store.write(damage)
    found = {finding.name: finding.count for finding in integrity.check(store)}
    assert found == {
        "orphan_chunks": 1,
        "orphan_tags": 1,
        "orphan_vectors": 1,
        "vectors_of_no_model": 1,
        "orphan_pending_vectors": 1,
        "jobs_of_no_kind": 1,
        "low_slot_counters": 1,
        "missing_vectors": 1,
    }
    assert integrity.mend(store) != []
    assert integrity.check(store) == []
    with store.read() as reader:
        assert pending_vectors.first(reader, 10) == slots
        assert [row.slot for row in chunks.block_rows(reader, number, -1, 1 << 62)] == slots
        assert namespaces.changed_slots(reader, number, 0) == orphans
    fresh = store.write(lambda unit: namespaces.allocate_slots(unit, number, 1))
    assert fresh > slots[0]


def test_what_cannot_be_mended_is_named(store: Database) -> None:
    record = make_record()
    write_record(store, record, texts=[])
    misplaced = make_record("elsewhere")
    write_record(store, misplaced, texts=[])
    other = namespace_id(store, NOTES)
    store.write(lambda unit: namespaces.allocate_slots(unit, other, 1))
    store.write(lambda unit: chunks.insert(unit, [make_chunk(other << 32, misplaced.id)]))
    found = {finding.name: finding for finding in integrity.check(store)}
    assert set(found) == {"misplaced_chunks", "records_without_chunks"}
    assert found["records_without_chunks"].examples == (record.id,)
    assert not any(finding.is_mendable for finding in found.values())
