"""Records in and out of their table, always through a set of namespaces."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.provenance import Provenance, SourceRef
from goclaw.model.record import Kind, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.storage import memories
from goclaw.storage.database import Database
from goclaw.storage.memories import RecordFilter
from tests.contract.builders import NOON, NOTES, make_record, namespace_id, write_record

APOLLO = Namespace("default", Scope.AGENT_NOTES, "", "apollo")


def full_record() -> MemoryRecord:
    return make_record(
        "Alice likes Ünïcödé 🐘 and 'quotes' %s ? \\",
        kind=Kind.PREFERENCE,
        domain="infrastructure",
        summary="likes",
        provenance=Provenance.USER_CONFIRMED,
        review_status=ReviewStatus.RESTRICTED,
        restricted_from=ReviewStatus.PENDING,
        confidence=0.1 + 0.2,
        flags=("unsourced", "tainted"),
        tags=("zeta", "alpha", "critical"),
        metadata={"superseded_by": None, "n": [1, 2.5, "ü"]},
        source_refs=(SourceRef("issue", "https://example.org/1", "Title", "2026-03-01"), SourceRef("log")),
        external_ref="D1:3",
        session_id="s1",
        turn=3,
        speaker="Alice",
        occurred_at=NOON.replace(microsecond=123_456),
        agent_id="a1",
        on_behalf_of="alice",
        last_confirmed_at=NOON,
        last_seen_at=NOON + timedelta(days=1),
        stale_after=NOON + timedelta(days=90),
        expires_at=NOON + timedelta(days=400),
        version=7,
    )


SEPARATORS = make_record("a\u2028b\u2029c\u000bd\u0085e\r\nf\ttrailing ")  # R096: no sign splits or trims a text


@pytest.mark.parametrize("record", [full_record(), make_record(), SEPARATORS], ids=["full", "plain", "separators"])
def test_a_record_comes_back_as_it_went_in(store: Database, record: MemoryRecord) -> None:
    number, _ = write_record(store, record)
    with store.read() as reader:
        assert memories.get(reader, record.id, [number]) == record


def test_no_record_is_read_through_another_namespace(store: Database) -> None:
    record = make_record()
    number, _ = write_record(store, record)
    other = namespace_id(store, NOTES)
    with store.read() as reader:
        assert memories.get(reader, record.id, [other]) is None
        assert memories.get(reader, record.id, []) is None
        assert memories.get_many(reader, [record.id], [other, number]) == {record.id: record}
        assert memories.page(reader, [other], limit=10) == []
        assert memories.page(reader, [], limit=10) == []
        assert memories.count(reader, [other]) == memories.count(reader, []) == 0


def test_many_records_at_once(store: Database) -> None:
    records = [make_record(f"fact {n}", tags=(f"tag-{n}",)) for n in range(700)]
    number = store_all(store, records)
    wanted = [record.id for record in records]
    with store.read() as reader:
        assert memories.get_many(reader, [*wanted, "unknown"], [number]) == {record.id: record for record in records}


def store_all(store: Database, records: list[MemoryRecord]) -> int:
    number = namespace_id(store, records[0].namespace)

    def work(unit: object) -> None:
        for record in records:
            memories.insert(unit, record, number)  # type: ignore[arg-type]

    store.write(work)
    return number


def test_the_same_text_is_found_in_its_namespace_and_kind(store: Database) -> None:
    older = make_record("Deploy on Fridays", created_at=NOON)
    newer = make_record("Deploy on Fridays", created_at=NOON + timedelta(seconds=1), lifecycle=Lifecycle.REJECTED)
    number, _ = write_record(store, older)
    write_record(store, newer)
    write_record(store, make_record("Deploy on Fridays", kind=Kind.FACT))
    other, _ = write_record(store, make_record("Deploy on Fridays", NOTES))
    with store.read() as reader:
        assert memories.find_same(reader, number, Kind.NOTE, older.content_hash) == newer
        assert memories.find_same(reader, other, Kind.FACT, older.content_hash) is None
        assert memories.find_same(reader, number, Kind.NOTE, "0" * 64) is None


def test_pages_go_from_newest_to_oldest_without_gaps_or_doubles(store: Database) -> None:
    # three records of the same moment: the id decides
    moments = [NOON + timedelta(seconds=n // 3) for n in range(20)]
    records = [make_record(f"fact {n}", created_at=moment) for n, moment in enumerate(moments)]
    number = store_all(store, records)
    expected = sorted(records, key=lambda record: (record.created_at, record.id), reverse=True)
    seen: list[MemoryRecord] = []
    with store.read() as reader:
        while True:
            before = (seen[-1].created_at, seen[-1].id) if seen else None
            page = memories.page(reader, [number], before=before, limit=3)
            if not page:
                break
            seen += page
    assert seen == expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (RecordFilter(), {"a", "b", "c"}),
        (RecordFilter(scope=Scope.PERSONAL), {"a", "b"}),
        (RecordFilter(kind=Kind.FACT), {"b"}),
        (RecordFilter(lifecycle=Lifecycle.STALE), {"b"}),
        (RecordFilter(review_status=ReviewStatus.PENDING), {"a"}),
        (RecordFilter(tag="red"), {"a", "c"}),
        (RecordFilter(tag="re%"), set()),
        (RecordFilter(session_id="s1"), {"a"}),
        (RecordFilter(external_ref="D1:1"), {"c"}),
        (RecordFilter(project_id="apollo"), {"c"}),
        (RecordFilter(tag="red", scope=Scope.AGENT_NOTES, kind=Kind.NOTE, project_id="apollo"), {"c"}),
        (RecordFilter(tag="red", session_id="s2"), set()),
    ],
)
def test_filters(store: Database, filters: RecordFilter, expected: set[str]) -> None:
    records = [
        make_record("a", tags=("red",), review_status=ReviewStatus.PENDING, session_id="s1"),
        make_record("b", kind=Kind.FACT, lifecycle=Lifecycle.STALE, tags=("blue", "green")),
        make_record("c", APOLLO, tags=("green", "red"), external_ref="D1:1"),
    ]
    numbers = sorted({write_record(store, record)[0] for record in records})
    with store.read() as reader:
        found = memories.page(reader, numbers, filters=filters, limit=10)
        assert {record.content for record in found} == expected
        assert memories.count(reader, numbers, filters) == len(expected)


def test_replace_writes_all_that_can_change(store: Database) -> None:
    record = full_record()
    number, _ = write_record(store, record)
    bare = make_record("new", id=record.id, version=8, tags=("fresh",))
    assert store.write(lambda unit: memories.replace(unit, bare, 7)) is True
    with store.read() as reader:
        assert memories.get(reader, record.id, [number]) == bare


def test_replace_of_another_version_changes_nothing(store: Database) -> None:
    record = make_record(tags=("one",))
    number, _ = write_record(store, record)
    changed = replace(record, content="other", tags=("two",), version=2)
    assert store.write(lambda unit: memories.replace(unit, changed, 5)) is False
    assert store.write(lambda unit: memories.replace(unit, replace(changed, id="unknown"), 1)) is False
    with store.read() as reader:
        assert memories.get(reader, record.id, [number]) == record


def test_of_eight_that_change_one_version_one_wins(store: Database) -> None:
    record = make_record()
    number, _ = write_record(store, record)
    wins: list[int] = []

    def client(which: int) -> None:
        changed = replace(record, content=f"by {which}", version=2)
        if store.write(lambda unit: memories.replace(unit, changed, 1)):
            wins.append(which)

    threads = [threading.Thread(target=client, args=(which,)) for which in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wins) == 1
    with store.read() as reader:
        found = memories.get(reader, record.id, [number])
        assert found is not None
        assert found.content == f"by {wins[0]}"


def test_r033_deleted_records_take_no_place_on_a_page(store: Database) -> None:
    """R033: of 20 records 15 are deleted; a page of 10 holds all 5 that live, and the count says 5."""
    records = [make_record(f"shared term {n}", created_at=NOON + timedelta(seconds=n)) for n in range(20)]
    number = store_all(store, records)
    for record in records[5:]:
        store.write(lambda unit, which=record.id: memories.delete(unit, which))
    with store.read() as reader:
        assert memories.page(reader, [number], limit=10) == records[4::-1]
        assert memories.count(reader, [number]) == 5


def test_delete_takes_the_tags_along(store: Database) -> None:
    record = make_record(tags=("red",))
    number, _ = write_record(store, record)
    assert store.write(lambda unit: memories.delete(unit, record.id)) is True
    assert store.write(lambda unit: memories.delete(unit, record.id)) is False
    again = replace(record, tags=())
    write_record(store, again, texts=[])
    with store.read() as reader:
        assert memories.get(reader, record.id, [number]) == again
