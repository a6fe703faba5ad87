"""Archives read back exactly, whatever was said in them; a changed byte shows; forgotten words are gone."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goclaw.errors import StoreError
from goclaw.model.session import ChatKind, SessionTurn, TurnRole, TurnToolCall
from goclaw.workspace.archive import (
    FORGOTTEN,
    ArchiveHead,
    delete_archive,
    forget_turns,
    read_archive,
    write_archive,
)
from goclaw.workspace.folder import WorkspaceFolder

NOON = 1_772_366_400_000_000
HEAD = ArchiveHead(
    session_id="stand-up / Monday",
    session_key="019cadc6-9a80-7000-a443-90015b4c0000",
    channel="discord:general",
    chat_kind=ChatKind.GROUP,
    participants=("alice", "bob"),
    agent_id=None,
    from_turn=3,
    to_turn=5,
    is_unverified=True,
    closed_at=NOON,
)


@pytest.fixture
def folder(tmp_path):
    return WorkspaceFolder(tmp_path)


def turn(number, content="Hello", **changes):
    made = SessionTurn(
        number=number,
        role=TurnRole.USER,
        speaker="alice",
        user_id="alice",
        content=content,
        created_at=NOON + number,
        channel="discord:general",
    )
    return replace(made, **changes)


TALK = (
    turn(3, "Which units?\n### 2026-03-01 · root · user\n\\### twice\n- call [1]\n---\n\nlast "),
    turn(
        4,
        "",
        role=TurnRole.ASSISTANT,
        speaker="goclaw",
        user_id=None,
        tool_calls=(TurnToolCall("c1", "memory_search", {"query": "ünits\n### x", "limit": 3}),),
    ),
    turn(5, "found\r\n", role=TurnRole.TOOL, speaker="a · b", user_id=None, tool_call_id="c1 · x", is_tainted=True),
)


def test_turns_come_back_as_they_were_said(folder):
    written = write_archive(folder, HEAD, TALK)
    found = read_archive(folder, written.file)
    assert (found.head, found.turns, found.is_intact) == (HEAD, TALK, True)


def test_the_file_is_for_people_to_read(folder):
    written = write_archive(folder, HEAD, TALK)
    text = (folder.path / written.file).read_text()
    assert written.file.startswith("memory/archive/20260301T120000Z_stand-up")
    assert text.startswith('---\nsession_id: "stand-up / Monday"\n')
    assert "trust: " in text
    assert 'participants: ["alice", "bob"]' in text
    assert "### 2026-03-01T12:00:00.000003+00:00 · alice · user\n" in text
    assert (folder.path / written.file).stat().st_mode & 0o777 == 0o600


def test_the_same_turns_give_the_same_file_and_others_do_not(folder):
    first = write_archive(folder, HEAD, TALK)
    assert write_archive(folder, HEAD, TALK) == first
    other = replace(HEAD, session_key="019cadc6-9a80-7000-a443-90015b4c0001")
    assert write_archive(folder, other, TALK).file != first.file
    assert len(list((folder.path / "memory/archive").glob("*.md"))) == 2


TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80)
OURS = st.sampled_from(["### a · b · user", "- call [1]", "\\### x", "---", ""])
LINES = st.lists(st.one_of(TEXTS, OURS), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(st.lists(st.tuples(LINES, TEXTS.filter(str.strip), st.booleans()), min_size=1, max_size=4))
def test_whatever_is_said_comes_back(folder, said):
    turns = tuple(
        turn(
            3 + place,
            "\n".join(lines),
            speaker=speaker,
            user_id=None,
            is_tainted=tainted,
            role=TurnRole.ASSISTANT,
            tool_calls=(TurnToolCall("c", speaker, {"a": "\n".join(lines)}),) if tainted else (),
        )
        for place, (lines, speaker, tainted) in enumerate(said)
    )
    found = read_archive(folder, write_archive(folder, HEAD, turns).file)
    assert found.turns == turns
    assert found.is_intact


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80, deadline=None)
@given(TEXTS.filter(str.strip), st.lists(TEXTS.filter(str.strip), max_size=3))
def test_whatever_ids_people_chose_come_back(folder, session_id, participants):
    head = replace(HEAD, session_id=session_id, participants=tuple(participants), channel=f"x:{session_id}")
    assert read_archive(folder, write_archive(folder, head, TALK[:1]).file).head == head


def test_a_changed_byte_shows(folder):
    written = write_archive(folder, HEAD, TALK)
    file = folder.path / written.file
    file.write_text(file.read_text().replace("Which units", "What units"))
    assert not read_archive(folder, written.file).is_intact
    file.write_text("---\nnothing\n")
    with pytest.raises(StoreError):
        read_archive(folder, written.file)
    with pytest.raises(StoreError):
        read_archive(folder, "memory/archive/none.md")


def test_forgotten_words_are_in_no_file(folder):
    written = write_archive(folder, HEAD, (turn(3, "My shoe size is 43."), turn(4, "Mine too.")))
    assert forget_turns(folder, written.file, [3, 9]) == 1
    found = read_archive(folder, written.file)
    assert [each.content for each in found.turns] == [FORGOTTEN, "Mine too."]
    assert found.is_intact
    assert forget_turns(folder, written.file, [3]) == 0
    texts = [file.read_bytes() for file in folder.path.rglob("*") if file.is_file()]
    assert not any(b"43" in text.partition(b"shoe")[2] or b"shoe" in text for text in texts)
    assert forget_turns(folder, "memory/archive/none.md", [3]) == 0


def test_an_archive_is_deleted_once(folder):
    written = write_archive(folder, HEAD, TALK)
    assert delete_archive(folder, written.file)
    assert not delete_archive(folder, written.file)
