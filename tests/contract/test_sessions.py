"""Conversations as every engine keeps them: named within their home, turns in order, one lock, one pointer."""

from dataclasses import replace

import pytest

from goclaw.model.errors import Conflict
from goclaw.model.ids import new_id
from goclaw.model.session import ChatKind, Session, SessionTurn, TurnRole, TurnToolCall
from goclaw.storage import session_archives, session_turns, sessions
from goclaw.storage.database import Database
from goclaw.storage.session_archives import SessionArchive
from goclaw.storage.sessions import Growth


def make_session(home: str = "person:alice", session_id: str = "s1", **changes: object) -> Session:
    session = Session(
        key=new_id(),
        session_id=session_id,
        workspace_id="default",
        home=home,
        agent_id=None,
        chat_kind=ChatKind.DIRECT,
        run_kind="person",
        channel_kind=None,
        channel_id=None,
        thread_id=None,
        participants=(),
        is_unverified=False,
        turns=0,
        first_kept=1,
        kept_chars=0,
        extracted_to=0,
        summary=None,
        created_at=1,
        updated_at=1,
    )
    return replace(session, **changes)  # type: ignore[arg-type]


def make_turn(number: int, content: str = "Hello", **changes: object) -> SessionTurn:
    turn = SessionTurn(
        number=number, role=TurnRole.USER, speaker="alice", user_id="alice", content=content, created_at=number
    )
    return replace(turn, **changes)  # type: ignore[arg-type]


def keep(store: Database, *found: Session) -> None:
    for session in found:
        assert store.write(lambda unit, session=session: sessions.add(unit, session))


def test_a_name_is_unique_within_its_home_only(store: Database) -> None:
    hers, his = make_session(), make_session(home="person:bob")
    keep(store, hers, his)
    assert not store.write(lambda unit: sessions.add(unit, make_session()))
    with store.read() as reader:
        assert sessions.find(reader, "default", ("person:alice",), "s1") == hers
        assert sessions.find(reader, "default", ("channel:x", "person:bob", "person:alice"), "s1") == his
        assert sessions.find(reader, "default", ("channel:x",), "s1") is None
        assert sessions.find(reader, "default", (), "s1") is None
        assert sessions.find(reader, "other", ("person:alice",), "s1") is None


def test_pages_come_last_used_first_and_hold_no_other_home(store: Database) -> None:
    mine = [make_session(session_id=f"s{n}", updated_at=n) for n in (1, 2, 2, 3)]
    mine = [replace(session, session_id=f"s{place}") for place, session in enumerate(mine)]
    keep(store, *mine, make_session(home="person:bob", updated_at=9))
    with store.read() as reader:
        first = sessions.page(reader, "default", ("person:alice",), limit=2)
        rest = sessions.page(
            reader, "default", ("person:alice",), before=(first[-1].updated_at, first[-1].key), limit=9
        )
    assert [session.updated_at for session in (*first, *rest)] == [3, 2, 2, 1]
    assert {session.key for session in (*first, *rest)} == {session.key for session in mine}


def test_turns_come_back_as_they_were_said(store: Database) -> None:
    session = make_session()
    call = TurnToolCall("c1", "memory_search", {"query": "müsli", "limit": 3})
    said = [
        make_turn(1, "Grüße \U0001f600\n### not a heading", message_id="m1", channel="discord:7"),
        make_turn(2, "", role=TurnRole.ASSISTANT, speaker="goclaw", user_id=None, tool_calls=(call,)),
        make_turn(3, "found", role=TurnRole.TOOL, speaker="memory_search", user_id=None, tool_call_id="c1"),
        make_turn(4, "from outside", is_tainted=True, recorded_by="agent:scribe"),
    ]
    keep(store, session)
    store.write(lambda unit: session_turns.add(unit, session.key, said))
    with store.read() as reader:
        assert session_turns.between(reader, session.key) == said
        assert session_turns.between(reader, session.key, 2, 3) == said[1:3]
        assert session_turns.between(reader, session.key, 2, limit=1) == said[1:2]
        assert session_turns.of_message(reader, session.key, "m1") == said[0]
        assert session_turns.of_message(reader, session.key, "m2") is None


def test_a_number_or_a_message_is_taken_once(store: Database) -> None:
    session = make_session()
    keep(store, session)
    store.write(lambda unit: session_turns.add(unit, session.key, [make_turn(1, message_id="m1")]))
    for again in (make_turn(1), make_turn(2, message_id="m1")):
        with pytest.raises(Conflict):
            store.write(lambda unit, again=again: session_turns.add(unit, session.key, [again]))


def test_a_blanked_turn_keeps_its_place(store: Database) -> None:
    session = make_session()
    keep(store, session)
    store.write(lambda unit: session_turns.add(unit, session.key, [make_turn(1, "my shoe size is 43"), make_turn(2)]))
    assert store.write(lambda unit: session_turns.blank(unit, session.key, 1))
    assert not store.write(lambda unit: session_turns.blank(unit, session.key, 7))
    with store.read() as reader:
        assert [turn.content for turn in session_turns.between(reader, session.key)] == [
            session_turns.FORGOTTEN,
            "Hello",
        ]


def test_growth_is_written_down(store: Database) -> None:
    session = make_session()
    keep(store, session)
    growth = Growth(turns=4, kept_chars=99, participants=("alice", "bob"), is_unverified=True, updated_at=7)
    store.write(lambda unit: sessions.grow(unit, session.key, growth))
    with store.read() as reader:
        found = sessions.get(reader, session.key)
    assert found == replace(
        session, turns=4, kept_chars=99, participants=("alice", "bob"), is_unverified=True, updated_at=7
    )


def test_one_owner_has_the_lock_until_it_is_over(store: Database) -> None:
    session = make_session()
    keep(store, session)

    def take(owner: str, now: int) -> bool:
        return store.write(lambda unit: sessions.lock(unit, session.key, owner, now, now + 10))

    assert take("a", 100)
    assert take("a", 105)  # its own, held longer
    assert not take("b", 110)
    assert take("b", 116)
    store.write(lambda unit: sessions.unlock(unit, session.key, "a"))  # not a's any more
    assert not take("a", 117)
    store.write(lambda unit: sessions.unlock(unit, session.key, "b"))
    assert take("a", 118)


def test_the_pointer_moves_once_and_under_the_lock(store: Database) -> None:
    session = make_session(turns=9, kept_chars=90)
    keep(store, session)

    def cut(owner: str) -> bool:
        return store.write(
            lambda unit: sessions.cut(unit, session, owner, first_kept=6, cut_chars=50, summary="They said hello.")
        )

    assert not cut("a")
    store.write(lambda unit: sessions.lock(unit, session.key, "a", 1, 10))
    assert cut("a")
    assert not cut("a")  # it was read before the pointer moved
    with store.read() as reader:
        found = sessions.get(reader, session.key)
    assert found is not None
    assert (found.first_kept, found.kept_chars, found.summary) == (6, 40, "They said hello.")


def test_a_late_summary_replaces_that_of_its_own_cut_only(store: Database) -> None:
    session = make_session(turns=9, first_kept=6, summary="stub")
    keep(store, session)
    assert not store.write(lambda unit: sessions.set_summary(unit, session.key, 4, "too late"))
    assert store.write(lambda unit: sessions.set_summary(unit, session.key, 6, "They agreed."))


def test_extraction_only_goes_forward(store: Database) -> None:
    session = make_session(turns=9)
    keep(store, session)
    store.write(lambda unit: sessions.note_extracted(unit, session.key, 5))
    store.write(lambda unit: sessions.note_extracted(unit, session.key, 3))
    with store.read() as reader:
        found = sessions.get(reader, session.key)
    assert found is not None
    assert found.extracted_to == 5


def test_archives_are_listed_in_order_and_replaced_by_a_second_try(store: Database) -> None:
    first = SessionArchive(
        session_key="k",
        from_turn=1,
        to_turn=5,
        file="a.md",
        body_sha256="x",
        summary="s",
        needs_summary=True,
        created_at=1,
    )
    second = replace(first, from_turn=6, to_turn=9, file="b.md", needs_summary=False)
    for archive in (second, replace(first, file="half.md"), first):
        store.write(lambda unit, archive=archive: session_archives.put(unit, archive))
    with store.read() as reader:
        assert list(session_archives.of_session(reader, "k")) == [first, second]
    store.write(lambda unit: session_archives.delete(unit, "k"))
    with store.read() as reader:
        assert list(session_archives.of_session(reader, "k")) == []
