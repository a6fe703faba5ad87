"""What governance keeps beside records: links, origins, reviews, policies, members, trace items, the audit chain."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from goclaw.model.errors import Conflict
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.provenance import SourceRef
from goclaw.model.review import ReviewStatus
from goclaw.storage import (
    audit_log,
    audit_seals,
    channels,
    integrity,
    memories,
    policies,
    principals,
    projects,
    recall_traces,
    record_links,
    record_origins,
    reviews,
    standing,
    trace_items,
)
from goclaw.storage.audit_log import DAMAGED, AuditEvent
from goclaw.storage.audit_seals import Seal, digest_of
from goclaw.storage.channels import Channel
from goclaw.storage.database import Database, Unit
from goclaw.storage.memories import RecordFilter
from goclaw.storage.policies import Policy, PolicyKind
from goclaw.storage.principals import Person
from goclaw.storage.projects import Project
from goclaw.storage.recall_traces import RecallTrace
from goclaw.storage.record_links import Relation
from goclaw.storage.record_origins import Origin
from goclaw.storage.reviews import ReviewRow
from goclaw.storage.statement import Statement
from goclaw.storage.trace_items import TraceItem
from tests.contract.builders import ALICE, NOON, NOTES, make_record, namespace_id, put_record, write_record


def links_of(store: Database, *memory_ids: str) -> dict[str, list[tuple[str, str]]]:
    with store.read() as reader:
        found = record_links.of(reader, memory_ids)
    return {memory_id: [(str(relation), to_id) for relation, to_id in links] for memory_id, links in found.items()}


def link(store: Database, from_id: str, relation: Relation, to_id: str, now: int = 1) -> None:
    store.write(lambda unit: record_links.add(unit, from_id, relation, to_id, now))


def test_links_come_oldest_first_and_once(store: Database) -> None:
    link(store, "m1", Relation.CONFLICTS_WITH, "m3", 2)
    link(store, "m1", Relation.SUPERSEDED_BY, "m2", 1)
    link(store, "m1", Relation.SUPERSEDED_BY, "m2", 9)
    assert links_of(store, "m1", "m2", "unknown") == {"m1": [("superseded_by", "m2"), ("conflicts_with", "m3")]}
    assert links_of(store) == {}


def test_links_of_many_records_at_once(store: Database) -> None:
    ids = [f"m{n:04}" for n in range(700)]
    store.write(lambda unit: [record_links.add(unit, each, Relation.DERIVED_FROM, "root", 1) for each in ids])
    assert links_of(store, *ids) == {each: [("derived_from", "root")] for each in ids}
    with store.read() as reader:
        assert sorted(record_links.pointing_to(reader, "root", Relation.DERIVED_FROM)) == ids


def test_repointing_moves_one_relation_keeps_its_time_and_closes_no_circle(store: Database) -> None:
    link(store, "m1", Relation.MERGED_INTO, "old", 1)
    link(store, "m2", Relation.MERGED_INTO, "old", 2)
    link(store, "m2", Relation.MERGED_INTO, "new", 3)  # points there already
    link(store, "new", Relation.MERGED_INTO, "old", 4)
    link(store, "m4", Relation.CONFLICTS_WITH, "old", 5)
    link(store, "m1", Relation.CONFLICTS_WITH, "m9", 0)
    moved = store.write(lambda unit: record_links.repoint(unit, Relation.MERGED_INTO, "old", "new"))
    assert sorted(moved) == ["m1", "m2"]
    assert links_of(store, "m1", "m2", "new", "m4") == {
        "m1": [("conflicts_with", "m9"), ("merged_into", "new")],
        "m2": [("merged_into", "new")],
        "m4": [("conflicts_with", "old")],
    }


def test_links_go_in_both_directions_with_their_record(store: Database) -> None:
    link(store, "m1", Relation.SUPERSEDES, "m2")
    link(store, "m2", Relation.SUPERSEDED_BY, "m1")
    link(store, "m3", Relation.SUPERSEDES, "m4")
    assert store.write(lambda unit: record_links.delete_of(unit, "m2")) == 2
    assert store.write(lambda unit: record_links.remove(unit, "m3", Relation.SUPERSEDES, "m9")) is False
    assert links_of(store, "m1", "m2", "m3") == {"m3": [("supersedes", "m4")]}
    assert store.write(lambda unit: record_links.remove(unit, "m3", Relation.SUPERSEDES, "m4")) is True
    assert links_of(store, "m3") == {}


FULL_ORIGIN = Origin(
    memory_id="m1",
    workspace_id="default",
    task_id="task-1",
    flow_id="flow-1",
    step_id="step-1",
    runtime_name="openclaw",
    runtime_version="1.2",
    models=[{"provider": "openai", "model": "gpt", "role": "writer"}],
    recall_trace_id="t1",
    client_hash="abc",
    artifacts=[{"kind": "file", "uri": "file:///ü.md"}],
    channel={"kind": "chat", "id": "c1", "thread_id": None},
)


def test_an_origin_comes_back_as_it_went_in(store: Database) -> None:
    bare = Origin(memory_id="m2", workspace_id="default", recall_trace_id="t1")
    for origin in (replace(FULL_ORIGIN, task_id="older"), FULL_ORIGIN, bare):
        store.write(lambda unit, origin=origin: record_origins.put(unit, origin))
    with store.read() as reader:
        assert record_origins.get_many(reader, ["m1", "m2", "m3"]) == {"m1": FULL_ORIGIN, "m2": bare}
        assert record_origins.get_many(reader, []) == {}
        assert record_origins.of_trace(reader, "t1") == ["m1", "m2"]
    assert store.write(lambda unit: record_origins.delete_of(unit, "m1")) == 1
    with store.read() as reader:
        assert record_origins.of_trace(reader, "t1") == ["m2"]


def make_review(review_id: str, **changes: Any) -> ReviewRow:
    values: dict[str, Any] = {
        "memory_id": "m1",
        "workspace_id": "default",
        "action": "edit",
        "actor_kind": "human",
        "actor_id": "human:rita",
        "before": {"content": "the marmalade", "lifecycle": "active"},
        "after": {"content": "the jam", "summary": "jam", "lifecycle": "active"},
        "notes": "about marmalade",
        "related_id": None,
        "created_at": 5,
        **changes,
    }
    return ReviewRow(id=review_id, **values)


def test_reviews_are_read_oldest_first_and_lose_their_words(store: Database) -> None:
    rows = [
        make_review("r2", created_at=7, related_id="m2"),
        make_review("r1"),
        make_review("r3", memory_id="m2", action=f"{reviews.PROPOSED}confirm"),
        make_review("r4", workspace_id="elsewhere", memory_id="m3"),
    ]
    for row in rows:
        store.write(lambda unit, row=row: reviews.append(unit, row))
    with store.read() as reader:
        assert reviews.of_memory(reader, "m1") == [rows[1], rows[0]]
        assert reviews.count_since(reader, "default", 6) == 1
        assert reviews.count_since(reader, "default", 5) == 3
        assert reviews.proposed_since(reader, "default", 5) == ["m2"]
    assert store.write(lambda unit: reviews.blank_texts(unit, "m1")) == 2
    with store.read() as reader:
        first, second = reviews.of_memory(reader, "m1")
        assert (first.before, first.after, first.notes) == ({"lifecycle": "active"}, {"lifecycle": "active"}, None)
        assert (second.action, second.related_id) == ("edit", "m2")
        assert reviews.of_memory(reader, "m2") == [rows[2]]


def make_policy(policy_id: str, **changes: Any) -> Policy:
    values: dict[str, Any] = {
        "workspace_id": "default",
        "kind": PolicyKind.TRUSTED_IMPORT,
        "project_id": "apollo",
        "source": "import:crm",
        "author": "human:rita",
        "reason": "our own system",
        "created_at": 1,
        "expires_at": 100,
        "revoked_at": None,
        **changes,
    }
    return Policy(id=policy_id, **values)


def test_a_policy_holds_for_its_place_source_kind_and_time_only(store: Database) -> None:
    policy = make_policy("p1")
    store.write(lambda unit: policies.add(unit, policy))
    asked = ("default", "apollo", "import:crm", PolicyKind.TRUSTED_IMPORT, 99)
    others = [("elsewhere", *asked[1:]), ("default", "", *asked[2:]), ("default", "zeus", *asked[2:])]
    others += [(*asked[:2], "import:CRM", *asked[3:]), (*asked[:3], PolicyKind.PROMOTION, 99), (*asked[:4], 100)]
    with store.read() as reader:
        assert policies.in_force(reader, *asked) == policy
        assert [policies.in_force(reader, *other) for other in others] == [None] * len(others)


def test_a_policy_for_the_workspace_does_not_reach_into_projects(store: Database) -> None:
    store.write(lambda unit: policies.add(unit, make_policy("p1", project_id="", expires_at=None)))
    with store.read() as reader:
        assert policies.in_force(reader, "default", "apollo", "import:crm", PolicyKind.TRUSTED_IMPORT, 5) is None
        found = policies.in_force(reader, "default", "", "import:crm", PolicyKind.TRUSTED_IMPORT, 1 << 60)
        assert found is not None
        assert found.expires_at is None


def test_a_policy_is_ended_once_and_by_its_own_workspace(store: Database) -> None:
    rows = [make_policy("p1"), make_policy("p2", created_at=2, kind=PolicyKind.PROMOTION), make_policy("p3")]
    for row in rows:
        store.write(lambda unit, row=row: policies.add(unit, row))
    assert store.write(lambda unit: policies.revoke(unit, "elsewhere", "p1", 9)) is False
    assert store.write(lambda unit: policies.revoke(unit, "default", "p1", 9)) is True
    assert store.write(lambda unit: policies.revoke(unit, "default", "p1", 10)) is False
    with store.read() as reader:
        assert [each.id for each in policies.page(reader, "default", now=99)] == ["p2", "p3"]
        assert policies.page(reader, "default", now=100) == []
        assert policies.page(reader, "default") == [rows[1], rows[2], replace(rows[0], revoked_at=9)]
        assert policies.page(reader, "elsewhere") == []


def test_projects_and_their_members(store: Database) -> None:
    apollo = Project(workspace_id="default", project_id="apollo", name="Apollo", created_at=1)
    assert store.write(lambda unit: projects.add(unit, apollo)) is True
    assert store.write(lambda unit: projects.add(unit, replace(apollo, name="other"))) is False
    for place in (("default", "apollo"), ("default", "zeus"), ("elsewhere", "apollo")):
        assert store.write(lambda unit, place=place: projects.add_member(unit, *place, "bob", 2)) is True
    assert store.write(lambda unit: projects.add_member(unit, "default", "apollo", "bob", 3)) is False
    store.write(lambda unit: projects.add_member(unit, "default", "apollo", "alice", 4))
    with store.read() as reader:
        assert projects.get(reader, "default", "apollo") == apollo
        assert projects.get(reader, "elsewhere", "apollo") is None
        assert projects.page(reader, "default") == [apollo]
        assert projects.members(reader, "default", "apollo") == ["alice", "bob"]
        assert projects.existing(reader, "default", ["apollo", "zeus"]) == {"apollo"}
        assert projects.existing(reader, "elsewhere", ["apollo"]) == set()
    assert store.write(lambda unit: projects.remove_member(unit, "default", "apollo", "bob")) is True
    assert store.write(lambda unit: projects.remove_member(unit, "default", "apollo", "bob")) is False
    with store.read() as reader:
        assert projects.members(reader, "default", "apollo") == ["alice"]
        assert projects.members(reader, "elsewhere", "apollo") == ["bob"]


def test_channels_and_their_members(store: Database) -> None:
    room = Channel(workspace_id="default", channel_id="room", project_id="apollo", kind="chat", created_at=1)
    assert store.write(lambda unit: channels.add(unit, room)) is True
    assert store.write(lambda unit: channels.add(unit, replace(room, project_id=""))) is False
    store.write(lambda unit: channels.add(unit, replace(room, channel_id="attic", project_id="")))
    assert store.write(lambda unit: channels.add_member(unit, "default", "room", "bob")) is True
    assert store.write(lambda unit: channels.add_member(unit, "default", "room", "bob")) is False
    store.write(lambda unit: channels.add_member(unit, "elsewhere", "hall", "bob"))
    with store.read() as reader:
        assert [channel.channel_id for channel in channels.page(reader, "default")] == ["attic", "room"]
        assert channels.page(reader, "default")[1] == room
        assert channels.managed_ids(reader, "default") == {"attic", "room"}
        assert channels.managed_ids(reader, "elsewhere") == frozenset()
        assert channels.members(reader, "default", "room") == ["bob"]
    assert store.write(lambda unit: channels.remove_member(unit, "default", "room", "bob")) is True
    assert store.write(lambda unit: channels.remove_member(unit, "default", "room", "bob")) is False


def test_the_standing_of_a_person_is_what_they_are_and_belong_to_now(store: Database) -> None:
    for workspace_id, roles in (("default", ("member", "reviewer")), ("elsewhere", ())):
        bob = Person(workspace_id=workspace_id, user_id="bob", display_name="Bob", roles=roles, created_at=1)
        store.write(lambda unit, bob=bob: principals.add_person(unit, bob))
    for place in (("default", "zeus"), ("default", "apollo"), ("elsewhere", "apollo"), ("nowhere", "hera")):
        store.write(lambda unit, place=place: projects.add_member(unit, *place, "bob", 2))
    for place in (("default", "room"), ("default", "attic"), ("elsewhere", "hall")):
        store.write(lambda unit, place=place: channels.add_member(unit, *place, "bob"))
    with store.read() as reader:
        assert standing.of_person(reader, "default", "bob") == (
            ("member", "reviewer"),
            ("apollo", "zeus"),
            ("attic", "room"),
        )
        assert standing.of_person(reader, "elsewhere", "bob") == ((), ("apollo",), ("hall",))
        assert standing.of_person(reader, "nowhere", "bob") is None
        assert standing.of_person(reader, "default", "carol") is None
    store.write(lambda unit: projects.remove_member(unit, "default", "apollo", "bob"))
    store.write(lambda unit: channels.remove_member(unit, "default", "room", "bob"))
    store.write(lambda unit: principals.set_roles(unit, "default", "bob", ()))
    with store.read() as reader:
        assert standing.of_person(reader, "default", "bob") == ((), ("zeus",), ("attic",))


def make_trace(trace_id: str, returned: Sequence[str], withheld: Sequence[str] = (), **changes: Any) -> RecallTrace:
    values: dict[str, Any] = {
        "workspace_id": "default",
        "actor_id": "agent:a1",
        "principal": {},
        "mode": "automatic",
        "query": "where is the marmalade?",
        "request": {"task_id": "t-1", "entities": ["marmalade"], "limits": {"max_items": 5}},
        "returned": [{"memory_id": each, "rank": n, "text": f"text {each}"} for n, each in enumerate(returned, 1)],
        "withheld": [{"memory_id": each, "why": "pending"} for each in withheld],
        "created_at": 5,
        **changes,
    }
    return RecallTrace(id=trace_id, **values)


def keep_traces(store: Database, *traces: RecallTrace) -> None:
    """Keep the traces, after making the records they met."""
    met = {each["memory_id"] for trace in traces for each in (*trace.returned, *trace.withheld)}

    def work(unit: Unit) -> None:
        for memory_id in sorted(met):
            put_record(unit, make_record(f"text {memory_id}", id=memory_id))
        for trace in traces:
            recall_traces.insert(unit, trace)

    store.write(work)


def trace_of(store: Database, trace_id: str) -> RecallTrace:
    with store.read() as reader:
        found = recall_traces.get(reader, "default", trace_id)
    assert found is not None
    return found


def test_a_trace_is_found_from_every_record_it_met(store: Database) -> None:
    traces = [make_trace("t1", ["m2", "m1"], ["m3"], is_private=True), make_trace("t2", ["m1"]), make_trace("t3", [])]
    keep_traces(store, *traces)
    with store.read() as reader:
        assert trace_items.of_trace(reader, "t3") == []
        assert {item.memory_id: item.rank for item in trace_items.of_trace(reader, "t1")} == {
            "m2": 1,
            "m1": 2,
            "m3": None,
        }
        assert trace_items.of_memory(reader, "m3") == [TraceItem("t1", "m3", None, "pending", None, None)]
        assert [item.trace_id for item in trace_items.of_memory(reader, "m1")] == ["t1", "t2"]
    assert [trace_of(store, trace.id) for trace in traces] == traces


def test_a_usage_report_marks_items_and_a_later_one_replaces_it(store: Database) -> None:
    keep_traces(store, make_trace("t1", ["m1", "m2", "m3"]), make_trace("t2", ["m1"]))
    store.write(lambda unit: trace_items.mark(unit, "t1", ["m1"], {"m2": "off topic"}))
    store.write(lambda unit: trace_items.mark(unit, "t1", ["m2"], {"unknown": "?"}))
    with store.read() as reader:
        assert [(item.memory_id, item.used, item.ignored_reason) for item in trace_items.of_trace(reader, "t1")] == [
            ("m1", True, None),
            ("m2", True, None),
            ("m3", None, None),
        ]
        assert [item.used for item in trace_items.of_trace(reader, "t2")] == [None]
    store.write(lambda unit: trace_items.mark(unit, "t1", [], {"m1": "too old"}))
    with store.read() as reader:
        assert trace_items.of_memory(reader, "m1")[0] == TraceItem("t1", "m1", 1, None, False, "too old")


def test_forgetting_takes_the_words_and_keeps_what_happened(store: Database) -> None:
    keep_traces(store, make_trace("t1", ["m1", "m2"]))
    store.write(lambda unit: trace_items.mark(unit, "t1", ["m2"], {"m1": "the marmalade is gone"}))
    assert store.write(lambda unit: recall_traces.blank(unit, "m1")) == 1
    blanked = trace_of(store, "t1")
    assert "marmalade" not in str(blanked)
    assert [hit["text"] for hit in blanked.returned] == [None, "text m2"]
    assert blanked.request == {"task_id": "t-1", "limits": {"max_items": 5}}
    with store.read() as reader:
        assert trace_items.of_memory(reader, "m1") == [TraceItem("t1", "m1", 1, None, False, None)]


def test_a_trace_that_comes_after_the_forgetting_brings_no_words_back(store: Database) -> None:
    write_record(store, make_record("text m2", id="m2"))
    store.write(lambda unit: recall_traces.insert(unit, make_trace("t1", ["m1", "m2"])))
    late = trace_of(store, "t1")
    assert "marmalade" not in str(late)
    assert [(hit["rank"], hit["text"]) for hit in late.returned] == [(1, None), (2, "text m2")]


def test_a_trace_written_while_its_record_is_forgotten_waits_for_it(
    store: Database, stores: Callable[[], Database]
) -> None:
    write_record(store, make_record("text m1", id="m1"))
    other = stores()
    has_forgotten, may_end = threading.Event(), threading.Event()

    def forget(unit: Unit) -> None:
        memories.delete(unit, "m1")
        recall_traces.blank(unit, "m1")
        has_forgotten.set()
        may_end.wait(0.3)  # an insert that did not wait would be done by now

    def insert() -> None:
        other.write(lambda unit: recall_traces.insert(unit, make_trace("t1", ["m1"])))
        may_end.set()

    forgetting = threading.Thread(target=lambda: store.write(forget))
    forgetting.start()
    assert has_forgotten.wait(10)
    inserting = threading.Thread(target=insert)
    inserting.start()
    forgetting.join()
    inserting.join()
    assert [hit["text"] for hit in trace_of(store, "t1").returned] == [None]


def test_pages_of_traces_go_from_newest_to_oldest(store: Database) -> None:
    traces = [make_trace(f"t{n}", [], created_at=n // 2, actor_id=f"agent:a{n % 3}") for n in range(9)]
    keep_traces(store, *traces, make_trace("x", [], workspace_id="elsewhere"))
    for actor_id in (None, "agent:a1"):
        expected = [trace for trace in reversed(traces) if actor_id in (None, trace.actor_id)]
        seen: list[RecallTrace] = []
        with store.read() as reader:
            while True:
                before = (seen[-1].created_at, seen[-1].id) if seen else None
                page = recall_traces.page(reader, "default", actor_id=actor_id, before=before, limit=2)
                if not page:
                    break
                seen += page
        assert seen == expected


def append_events(store: Database, count: int, workspace_id: str = "default", **changes: Any) -> list[str]:
    values = {"event_type": "memory_written", "actor_kind": "human", "actor_id": "human:alice", **changes}
    events = [AuditEvent(workspace_id=workspace_id, at=100 + n, **values) for n in range(count)]
    return store.write(lambda unit: audit_log.append_many(unit, events))


def seal(store: Database, first: int, event_ids: Sequence[str]) -> None:
    def work(unit: Unit) -> None:
        waiting = {event.id: event for event in audit_seals.unsealed(unit, "default", 100)}
        seals = [
            Seal("default", seq, event_id, digest_of(waiting[event_id]), f"chain {seq}")
            for seq, event_id in enumerate(event_ids, first)
        ]
        audit_seals.add_seals(unit, seals)

    store.write(work)


def test_events_wait_for_their_seal_oldest_first(store: Database) -> None:
    ids = append_events(store, 5, detail={"reason": "ü"}, trace_id="t1")
    late = append_events(store, 1)  # as old as the first one
    append_events(store, 2, "elsewhere")
    with store.read() as reader:
        assert sorted(audit_seals.waiting_workspaces(reader)) == ["default", "elsewhere"]
        assert [event.id for event in audit_seals.unsealed(reader, "default", 3)] == [ids[0], *late, ids[1]]
        assert audit_seals.count_unsealed(reader, "default") == 6
        assert audit_seals.last_seal(reader, "default") is None
        assert [event.id for event in audit_log.page(reader, "default", trace_id="t1", limit=9)] == ids[::-1]


def test_sealed_events_leave_the_list_and_stand_beside_their_seals(store: Database) -> None:
    ids = append_events(store, 5, detail={"reason": "ü\\x"})
    seal(store, 1, ids[:2])
    seal(store, 3, ids[2:4])
    store.write(lambda unit: unit.run(Statement(text(f"DELETE FROM audit_log WHERE id = '{ids[1]}'"))))
    with store.read() as reader:
        assert audit_seals.count_unsealed(reader, "default") == 1
        last = audit_seals.last_seal(reader, "default")
        assert last is not None
        assert (last.seq, last.event_id, last.chain) == (4, ids[3], "chain 4")
        pages = [audit_seals.sealed_page(reader, "default", after, 2) for after in (0, 2, 4)]
        assert [[(each.seq, event and event.id) for each, event in page] for page in pages] == [
            [(1, ids[0]), (2, None)],
            [(3, ids[2]), (4, ids[3])],
            [],
        ]
        first, event = pages[0][0]
        assert event is not None
        assert event.detail == {"reason": "ü\\x"}
        assert digest_of(event) == first.digest
        assert audit_seals.sealed_page(reader, "elsewhere", 0, 9) == []


def test_of_two_sealers_one_wins(store: Database) -> None:
    ids = append_events(store, 2)
    seal(store, 1, ids[:1])
    with pytest.raises(Conflict):
        seal(store, 1, ids[1:])
    with store.read() as reader:
        assert audit_seals.count_unsealed(reader, "default") == 1


def test_an_event_that_nobody_appended_is_known(store: Database) -> None:
    seal(store, 1, append_events(store, 1))
    append_events(store, 1)
    forged = "INSERT INTO audit_log (id, event_type, workspace_id, actor_kind, actor_id, at)"
    forged += " VALUES ('forged', 'memory_confirmed', 'default', 'human', 'human:rita', 1)"
    with store.read() as reader:
        assert audit_seals.added(reader, "default") is None
    store.write(lambda unit: unit.run(Statement(text(forged))))
    with store.read() as reader:
        assert audit_seals.added(reader, "default") == "forged"
        assert audit_seals.added(reader, "elsewhere") is None


@pytest.mark.parametrize(
    "spoilt",
    ['{"a":1E99}', '{"a": 1e+99}', '{"a":1e+99', "[]", '"a"', "", "{}", '{"a":1e+99,"a":1e+99}'],
)
def test_a_detail_that_was_written_otherwise_is_shown_as_damaged(store: Database, spoilt: str) -> None:
    (event_id,) = append_events(store, 1, detail={"a": 1e99})
    with store.read() as reader:
        assert audit_log.page(reader, "default", limit=1)[0].detail == {"a": 1e99}
    store.write(lambda unit: unit.run(Statement(text(f"UPDATE audit_log SET detail = '{spoilt}'".replace(":", "\\:")))))
    with store.read() as reader:
        (event,) = audit_log.page(reader, "default", limit=1)
    assert (event.id, event.detail) == (event_id, {DAMAGED: spoilt})


TIMES = [NOON + timedelta(hours=n) for n in range(4)]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (RecordFilter(actor_id="agent:a1"), "b"),
        (RecordFilter(created_since=TIMES[1]), "bcd"),
        (RecordFilter(created_before=TIMES[1]), "a"),
        (RecordFilter(created_since=TIMES[1], created_before=TIMES[3]), "bc"),
        (RecordFilter(lifecycles=(Lifecycle.STALE, Lifecycle.DISPUTED)), "bc"),
        (RecordFilter(lifecycles=(Lifecycle.STALE,), review_statuses=(ReviewStatus.PENDING,)), "b"),
        (RecordFilter(review_statuses=(ReviewStatus.PENDING, ReviewStatus.EVIDENCE_ONLY)), "abcd"),
        (RecordFilter(review_statuses=(ReviewStatus.CONFIRMED,)), ""),
        (RecordFilter(task_id_prefix="deploy-"), "ab"),
        (RecordFilter(task_id_prefix="Deploy-"), ""),
        (RecordFilter(task_id_prefix="deploy%"), ""),
        (RecordFilter(task_id_prefix="deploy_1"), ""),
        (RecordFilter(task_id_prefix="100%_"), "c"),
        (RecordFilter(runtime_name="openclaw"), "ac"),
        (RecordFilter(runtime_name="openclaw", task_id_prefix="deploy-"), "a"),
        (RecordFilter(source_uri='https://x/"ü"?a=%_'), "a"),
        (RecordFilter(source_uri="https://x/%"), ""),
        (RecordFilter(source_uri="https://x"), "b"),
        (RecordFilter(source_uri="HTTPS://x"), ""),
        (RecordFilter(source_uri="hidden"), ""),
    ],
)
def test_filters_of_governance(store: Database, filters: RecordFilter, expected: str) -> None:
    records = [
        make_record("a", source_refs=(SourceRef("doc", 'https://x/"ü"?a=%_'),)),
        make_record(
            "b",
            actor_id="agent:a1",
            lifecycle=Lifecycle.STALE,
            review_status=ReviewStatus.PENDING,
            source_refs=(SourceRef("doc", "first"), SourceRef("doc", "https://x", '"uri":"hidden"')),
        ),
        make_record("c", NOTES, lifecycle=Lifecycle.DISPUTED),
        make_record("d"),
    ]
    records = [replace(record, created_at=TIMES[n]) for n, record in enumerate(records)]
    numbers = sorted({write_record(store, record)[0] for record in records})
    for record, (task_id, runtime) in zip(
        records, [("deploy-1", "openclaw"), ("deploy-2", "hermes"), ("100%_done", "openclaw")], strict=False
    ):
        origin = Origin(memory_id=record.id, workspace_id="default", task_id=task_id, runtime_name=runtime)
        store.write(lambda unit, origin=origin: record_origins.put(unit, origin))
    with store.read() as reader:
        found = memories.page(reader, numbers, filters=filters, limit=10)
        assert sorted(record.content for record in found) == list(expected)
        assert memories.count(reader, numbers, filters) == len(expected)


def test_a_record_moves_to_another_namespace(store: Database) -> None:
    record = make_record(tags=("red",))
    here, _ = write_record(store, record)
    there = namespace_id(store, NOTES)
    store.write(lambda unit: memories.move(unit, record.id, there))
    with store.read() as reader:
        assert memories.get(reader, record.id, [here]) is None
        assert memories.get(reader, record.id, [there]) == replace(record, namespace=NOTES)


def test_memory_check_knows_the_tables_of_governance(store: Database) -> None:
    sound = [make_record(f"fact {n}", ALICE) for n in range(2)]
    for record in sound:
        write_record(store, record)
    kept, lost = sound[0].id, "lost"

    def work(unit: Unit) -> None:
        for from_id, to_id in ((kept, sound[1].id), (kept, lost), (lost, kept)):
            record_links.add(unit, from_id, Relation.CONFLICTS_WITH, to_id, 1)
        for memory_id in (kept, lost):
            record_origins.put(unit, Origin(memory_id=memory_id, workspace_id="default"))
            reviews.append(unit, make_review(f"r-{memory_id}", memory_id=memory_id))  # those of a forgotten one stay
        recall_traces.insert(unit, make_trace("t1", [kept], [lost]))
        trace_items.put_many(unit, [TraceItem("no-trace", kept, rank=1)])
        projects.add(unit, Project(workspace_id="default", project_id="apollo", name="", created_at=1))
        channels.add(unit, Channel(workspace_id="default", channel_id="room", project_id="", kind="", created_at=1))
        for workspace_id in ("default", "elsewhere"):
            projects.add_member(unit, workspace_id, "apollo", "bob", 1)
            channels.add_member(unit, workspace_id, "room", "bob")

    store.write(work)
    expected = {
        "orphan_links": 2,
        "orphan_origins": 1,
        "orphan_trace_items": 1,
        "members_of_no_project": 1,
        "members_of_no_channel": 1,
    }
    assert {finding.name: finding.count for finding in integrity.check(store)} == expected
    assert {finding.name for finding in integrity.mend(store)} == set(expected)
    assert integrity.check(store) == []
    assert links_of(store, kept) == {kept: [("conflicts_with", sound[1].id)]}
    with store.read() as reader:
        assert projects.members(reader, "default", "apollo") == channels.members(reader, "default", "room") == ["bob"]
        assert [item.trace_id for item in trace_items.of_memory(reader, kept)] == ["t1"]


def test_memory_check_names_hands_in_the_audit_log_and_mends_nothing(store: Database) -> None:
    first, second, third = append_events(store, 3)
    seal(store, 1, [first])
    assert integrity.check(store) == []
    store.write(lambda unit: unit.run(Statement(text(f"DELETE FROM audit_log WHERE id = '{second}'"))))
    store.write(lambda unit: unit.run(Statement(text(f"DELETE FROM unsealed_events WHERE event_id = '{third}'"))))
    assert integrity.mend(store) == []
    found = {finding.name: finding.examples for finding in integrity.check(store)}
    assert found == {"added_events": (third,), "lost_events": (f"default {second}",)}
