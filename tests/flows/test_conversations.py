"""Conversations recorded: who speaks is decided by the principal, who may see it by its home."""

from datetime import UTC, datetime

import pytest

from goclaw import Principal
from goclaw.errors import AccessDenied, Conflict, InvalidInput, NotFound, Unauthenticated
from goclaw.model.job import JobKind
from goclaw.model.session import TurnRole

ALICE = Principal("alice", channel_ids=("general",))
BOB = Principal("bob", channel_ids=("general",))
CAROL = Principal("carol")
ADMIN = Principal("root", roles=("admin",))
SCRIBE = Principal("alice", run_kind="agent", agent_id="scribe")
HOOK = Principal(None, run_kind="webhook", agent_id="discord", channel_ids=("general",))
NOBODY = Principal(None)
ROOM = {"kind": "discord", "id": "general"}
HELLO = {"role": "user", "content": "Hello, I am here."}
ANSWER = {"role": "assistant", "content": "How can I help?"}


@pytest.fixture
def sessions(memory):
    return memory.sessions


def test_turns_are_durable_and_in_order(open_store):
    first = open_store().memory
    recorded = first.sessions.record(ALICE, "s1", [HELLO, ANSWER])
    assert (recorded.numbers, recorded.added) == ((1, 2), 2)
    first.close()
    turns = open_store().memory.sessions.turns(ALICE, "s1")
    assert [(turn.number, turn.role, turn.speaker, turn.user_id, turn.content) for turn in turns] == [
        (1, "user", "alice", "alice", HELLO["content"]),
        (2, "assistant", "assistant", None, ANSWER["content"]),
    ]
    assert {turn.recorded_by for turn in turns} == {"human:alice"}


def test_the_speaker_of_a_persons_turn_is_the_principal(sessions):
    sessions.record(ALICE, "s1", [HELLO | {"speaker": "root"}])
    assert sessions.turns(ALICE, "s1")[0].speaker == "alice"
    with pytest.raises(InvalidInput):
        sessions.record(ALICE, "s1", [HELLO | {"user_id": "root"}])


def test_what_an_agent_writes_down_says_so(sessions):
    sessions.record(SCRIBE, "s1", [HELLO, ANSWER])
    turns = sessions.turns(ALICE, "s1")
    assert [turn.recorded_by for turn in turns] == ["agent:scribe"] * 2
    assert turns[1].speaker == "scribe"


def test_a_conversation_is_its_persons_alone(sessions):
    sessions.record(ALICE, "s1", [HELLO])
    for stranger in (BOB, ADMIN, HOOK, NOBODY, Principal("alice", workspace_id="other")):
        with pytest.raises(NotFound):
            sessions.get(stranger, "s1")
        with pytest.raises(NotFound):
            sessions.export(stranger, "s1")
        assert sessions.list(stranger).sessions == ()


def test_the_same_name_is_another_conversation_for_another_person(sessions):
    sessions.record(ALICE, "s1", [HELLO])
    sessions.record(BOB, "s1", [HELLO, ANSWER])
    assert sessions.get(ALICE, "s1").turns == 1
    assert sessions.get(BOB, "s1").turns == 2


def test_a_room_is_shared_by_those_who_are_in_it(sessions):
    sessions.record(ALICE, "standup", [HELLO], channel=ROOM)
    sessions.record(BOB, "standup", [HELLO | {"content": "Me too."}], channel=ROOM)
    room = sessions.get(ALICE, "standup")
    assert room.participants == ("alice", "bob")
    assert [turn.speaker for turn in sessions.turns(BOB, "standup")] == ["alice", "bob"]
    assert room.sole_person is None
    for stranger in (CAROL, ADMIN):
        with pytest.raises(NotFound):
            sessions.get(stranger, "standup")
        with pytest.raises(AccessDenied):
            sessions.record(stranger, "standup", [HELLO], channel=ROOM)


def test_a_direct_channel_stays_ones_own(sessions):
    sessions.record(CAROL, "dm", [HELLO], channel={"kind": "discord", "id": "dm-7"}, chat_kind="dm")
    found = sessions.get(CAROL, "dm")
    assert (found.sole_person, found.channel_id) == ("carol", "dm-7")


def test_nobody_says_nothing(sessions):
    with pytest.raises(Unauthenticated):
        sessions.record(NOBODY, "s1", [HELLO])


def test_a_message_is_taken_once(sessions):
    sessions.record(ALICE, "s1", [HELLO | {"message_id": "m1"}])
    again = sessions.record(ALICE, "s1", [HELLO | {"message_id": "m1"}, ANSWER])
    assert (again.numbers, again.added) == ((1, 2), 1)
    with pytest.raises(Conflict):
        sessions.record(ALICE, "s1", [{"role": "user", "content": "Other words.", "message_id": "m1"}])
    assert sessions.get(ALICE, "s1").turns == 2


def test_outside_text_taints_what_follows_until_a_person_speaks(sessions):
    call = {"id": "c1", "name": "http_request", "arguments": {"url": "https://example.org"}}
    own = {"id": "c2", "name": "memory_search", "arguments": {"query": "x"}}
    sessions.record(
        ALICE,
        "s1",
        [
            HELLO,
            {"role": "assistant", "content": "", "tool_calls": [own]},
            {"role": "tool", "content": "a record", "speaker": "memory_search", "tool_call_id": "c2"},
            ANSWER,
            HELLO,
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "content": "a page", "speaker": "http_request", "tool_call_id": "c1"},
            ANSWER,
        ],
    )
    sessions.record(ALICE, "s1", [ANSWER])
    sessions.record(ALICE, "s1", [HELLO])
    tainted = [turn.number for turn in sessions.turns(ALICE, "s1") if turn.is_tainted]
    assert tainted == [7, 8, 9]
    assert sessions.get(ALICE, "s1").is_unverified


def test_an_unknown_sender_makes_a_conversation_unverified(sessions):
    sessions.record(ALICE, "standup", [HELLO], channel=ROOM)
    assert not sessions.get(ALICE, "standup").is_unverified
    sessions.record(HOOK, "standup", [HELLO], channel=ROOM)
    room = sessions.get(ALICE, "standup")
    assert room.is_unverified
    assert room.participants == ("alice",)
    stranger = sessions.turns(ALICE, "standup")[-1]
    assert (stranger.user_id, stranger.speaker, stranger.is_tainted) == (None, "discord", True)


def test_lists_come_in_pages_last_used_first(sessions, clock):
    for number in range(5):
        sessions.record(ALICE, f"s{number}", [HELLO])
        clock.advance(seconds=1)
    sessions.record(ALICE, "s1", [ANSWER])
    seen, cursor = [], None
    while True:
        page = sessions.list(ALICE, cursor=cursor, limit=2)
        seen += [session.session_id for session in page.sessions]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == ["s1", "s4", "s3", "s2", "s0"]


def test_a_long_conversation_asks_for_trimming_once(open_store):
    engine = open_store({"memory.search.provider": "none", "memory.session.max_messages": 4})
    for _ in range(4):
        engine.memory.sessions.record(ALICE, "s1", [HELLO, ANSWER])
    page = engine.memory.jobs.page(ADMIN, kind=JobKind.TRIM_SESSION)
    assert len(page) == 1


@pytest.mark.parametrize(
    "turn",
    [
        {"role": "system", "content": "Obey."},
        {"role": "user"},
        {"content": "x"},
        {"role": "tool", "content": "x"},
        {"role": "user", "content": "x", "tool_calls": [{"id": "1", "name": "rm"}]},
        {"role": "assistant", "content": "x", "tool_calls": [{"id": "1"}]},
        {"role": "assistant", "content": "x", "tool_calls": [{"id": "1", "name": "a", "arguments": "x"}]},
        {"role": "user", "content": "a\0b"},
        {"role": "user", "content": "\ud800"},
        {"role": "user", "content": 7},
        {"role": "user", "content": "x", "occurred_at": 10**30},
        {"role": "user", "content": "x", "is_tainted": "yes"},
        {"role": "assistant", "content": "x", "tool_calls": 5},
        {"role": "assistant", "content": "x", "tool_calls": [{"id": 1, "name": "t"}]},
        {"role": "assistant", "content": "x", "tool_calls": [{"id": "1", "name": "t", "arguments": {"a": {1}}}]},
        {"role": "assistant", "content": "x", "tool_calls": [{"id": "1", "name": "t", "arguments": {"a": "\ud800"}}]},
        {"role": "assistant", "content": "x", "tool_calls": [{"id": "1", "name": "t", "arguments": {"a": 1e999}}]},
        {"role": "user", "content": "x", "message_id": "y" * 600},
        "Hello",
    ],
)
def test_what_is_no_turn_is_refused_and_nothing_is_kept(sessions, turn):
    with pytest.raises(InvalidInput):
        sessions.record(ALICE, "s1", [HELLO, turn])
    assert sessions.list(ALICE).sessions == ()


@pytest.mark.parametrize("turns", [None, 5, "Hello", {"role": "user", "content": "x"}, [], [None]])
def test_what_is_no_list_of_turns_is_refused(sessions, turns):
    with pytest.raises(InvalidInput):
        sessions.record(ALICE, "s1", turns)


@pytest.mark.parametrize("where", [{"first": 0}, {"first": "x"}, {"first": 2**70}, {"limit": 0}, {"limit": 10**9}])
def test_turns_are_asked_for_by_number(sessions, where):
    sessions.record(ALICE, "s1", [HELLO])
    with pytest.raises(InvalidInput):
        sessions.turns(ALICE, "s1", **where)


def test_a_moment_may_be_a_datetime(sessions):
    sessions.record(ALICE, "s1", [HELLO | {"occurred_at": datetime(2026, 3, 1, 12, tzinfo=UTC)}])
    assert sessions.turns(ALICE, "s1")[0].created_at == 1_772_366_400_000_000


@pytest.mark.parametrize("name", ["", "  ", "x" * 600, "a\0b", None, 7])
def test_a_conversation_has_a_name(sessions, name):
    with pytest.raises(InvalidInput):
        sessions.record(ALICE, name, [HELLO])


def test_roles_are_the_words_models_know():
    assert [str(role) for role in TurnRole] == ["user", "assistant", "tool"]
