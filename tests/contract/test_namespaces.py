"""Namespaces: found by their five parts, counted without gaps, and telling readers what changed."""

import threading
from collections.abc import Callable

import pytest

from goclaw.model.namespace import ORGANIZATION, Namespace
from goclaw.model.scope import Scope
from goclaw.storage import namespaces
from goclaw.storage.database import Database
from tests.contract.builders import ALICE, NOTES, namespace_id


def test_a_namespace_is_made_once(store: Database) -> None:
    first = namespace_id(store, ALICE)
    assert namespace_id(store, ALICE) == first
    other = namespace_id(store, NOTES)
    assert other > first
    with store.read() as reader:
        found = namespaces.find(reader, ALICE)
        assert found is not None
        assert (found.id, found.namespace, found.last_slot, found.changes) == (first, ALICE, 0, 0)
        assert namespaces.find(reader, Namespace("default", Scope.PERSONAL, "bob")) is None
        assert {state.namespace for state in namespaces.by_ids(reader, [first, other, 999])} == {ALICE, NOTES}


def test_eight_threads_that_want_one_namespace_get_the_same(store: Database, stores: Callable[[], Database]) -> None:
    databases = [store, stores()]
    ids: set[int] = set()
    threads = [
        threading.Thread(target=lambda n=n: ids.add(namespace_id(databases[n % 2], ALICE)))  # type: ignore[misc]
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 1


CANDIDATES = (
    ALICE,
    Namespace("default", Scope.PERSONAL, "bob"),
    NOTES,
    Namespace("default", Scope.AGENT_CONFIG),
    Namespace("default", Scope.AGENT_NOTES, "", "apollo"),
    Namespace("default", Scope.AGENT_NOTES, "", "gemini"),
    Namespace("default", Scope.AGENT_NOTES, "", "apollo", "room"),
    Namespace("default", Scope.AGENT_NOTES, "", "", "lounge"),
    Namespace("elsewhere", Scope.AGENT_NOTES),
    Namespace(ORGANIZATION, Scope.AGENT_NOTES),
)


@pytest.mark.parametrize(
    ("owner", "projects", "channels", "expected"),
    [
        ("alice", ["apollo"], None, {0, 2, 3, 4, 6, 7, 9}),
        ("alice", ["apollo"], [], {0, 2, 3, 4, 6, 9}),
        ("alice", ["apollo"], ["lounge"], {0, 2, 3, 4, 6, 7, 9}),
        ("alice", [], ["room", "lounge", "third"], {0, 2, 3, 7, 9}),
        (None, [], [], {2, 3, 9}),
        ("bob", ["apollo", "gemini", "unknown"], [], {1, 2, 3, 4, 5, 6, 9}),
    ],
)
def test_candidates_are_what_a_principal_might_read(
    store: Database, owner: str | None, projects: list[str], channels: list[str] | None, expected: set[int]
) -> None:
    for namespace in CANDIDATES:
        namespace_id(store, namespace)
    with store.read() as reader:
        found = namespaces.candidates(reader, "default", owner, projects, channels)
    assert {state.namespace for state in found} == {CANDIDATES[number] for number in expected}
    assert len(found) == len(expected)


def test_r059_names_that_begin_alike_are_different_places(store: Database) -> None:
    """R059: no prefix, no wildcard and no path sign in a project's name opens another project."""
    projects = ["alpha", "alpha2", "alpha/beta", "alpha:beta", "al%", "al_ha", "ALPHA"]
    for project in projects:
        namespace_id(store, Namespace("default", Scope.AGENT_NOTES, "", project))
    with store.read() as reader:
        for project in projects:
            found = namespaces.candidates(reader, "default", None, [project], [])
            assert [state.namespace.project_id for state in found] == [project]


def test_slots_follow_each_other_and_carry_their_namespace(store: Database) -> None:
    alice, notes = namespace_id(store, ALICE), namespace_id(store, NOTES)

    def take(namespace: int, count: int) -> int:
        return store.write(lambda unit: namespaces.allocate_slots(unit, namespace, count))

    assert [take(alice, 2), take(alice, 1), take(notes, 3), take(alice, 1)] == [
        (alice << 32) | 0,
        (alice << 32) | 2,
        (notes << 32) | 0,
        (alice << 32) | 3,
    ]
    with store.read() as reader:
        state = namespaces.find(reader, ALICE)
        assert state is not None
        assert state.last_slot == 4


def test_eight_threads_take_slots_without_gaps_or_doubles(store: Database, stores: Callable[[], Database]) -> None:
    databases = [store, stores()]
    number = namespace_id(store, ALICE)
    taken: list[int] = []

    def client(which: int) -> None:
        for turn in range(20):
            count = 1 + turn % 3
            first = databases[which % 2].write(lambda unit, count=count: namespaces.allocate_slots(unit, number, count))
            taken.extend(range(first, first + count))

    threads = [threading.Thread(target=client, args=(which,)) for which in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [(number << 32) | n for n in range(len(taken))]


def test_a_failed_unit_takes_no_slot(store: Database) -> None:
    number = namespace_id(store, ALICE)
    with pytest.raises(ZeroDivisionError):
        store.write(lambda unit: namespaces.allocate_slots(unit, number, 5) // 0)
    assert store.write(lambda unit: namespaces.allocate_slots(unit, number, 1)) == number << 32


def test_changes_are_told_in_order(store: Database) -> None:
    number = namespace_id(store, ALICE)
    store.write(lambda unit: namespaces.note_changes(unit, number, [7, 9]))
    store.write(lambda unit: namespaces.note_changes(unit, number, [7]))
    store.write(lambda unit: namespaces.note_changes(unit, number, []))
    with store.read() as reader:
        assert namespaces.changed_slots(reader, number, 0) == [7, 9, 7]
        assert namespaces.changed_slots(reader, number, 2) == [7]
        assert namespaces.changed_slots(reader, number, 3) == []
        state = namespaces.find(reader, ALICE)
        assert state is not None
        assert state.changes == 3


def test_a_reader_far_behind_is_told_to_load_anew(store: Database) -> None:
    number = namespace_id(store, ALICE)
    kept = namespaces.KEPT_CHANGES
    store.write(lambda unit: namespaces.note_changes(unit, number, list(range(kept))))
    with store.read() as reader:
        assert len(namespaces.changed_slots(reader, number, 0) or ()) == kept
    store.write(lambda unit: namespaces.note_changes(unit, number, [1, 2]))
    with store.read() as reader:
        assert namespaces.changed_slots(reader, number, 1) is None
        assert len(namespaces.changed_slots(reader, number, 2) or ()) == kept
