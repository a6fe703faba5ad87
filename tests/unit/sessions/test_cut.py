"""Where a conversation is cut: never between a call and its answers, never to nothing."""

from hypothesis import given
from hypothesis import strategies as st

from goclaw.model.session import ChatKind, Session, SessionTurn, TurnRole
from goclaw.sessions.cut import first_to_keep, is_trim_due, largest_chars
from goclaw.settings.settings import SessionSettings

SETTINGS = SessionSettings(max_messages=10, keep_messages=4)
WINDOW = 1_000  # tokens: 3,000 characters at the default share


def turn(number, role=TurnRole.USER, chars=10):
    return SessionTurn(number=number, role=role, speaker="x", user_id=None, content="x" * chars, created_at=number)


def turns_of(roles, chars=10):
    letters = {"u": TurnRole.USER, "a": TurnRole.ASSISTANT, "t": TurnRole.TOOL}
    return [turn(number, letters[letter], chars) for number, letter in enumerate(roles, start=1)]


def length(each):
    return len(each.content)


def session(turns, kept_chars=0, first_kept=1):
    return Session(
        key="k",
        session_id="s",
        workspace_id="default",
        home="person:alice",
        agent_id=None,
        chat_kind=ChatKind.DIRECT,
        run_kind="person",
        channel_kind=None,
        channel_id=None,
        thread_id=None,
        participants=("alice",),
        is_unverified=False,
        turns=turns,
        first_kept=first_kept,
        kept_chars=kept_chars,
        extracted_to=0,
        summary=None,
        created_at=0,
        updated_at=0,
    )


def test_it_is_due_by_count_or_by_length():
    assert not is_trim_due(session(10), SETTINGS, WINDOW)
    assert is_trim_due(session(11), SETTINGS, WINDOW)
    assert not is_trim_due(session(30, first_kept=21), SETTINGS, WINDOW)
    assert not is_trim_due(session(5, kept_chars=3_000), SETTINGS, WINDOW)
    assert is_trim_due(session(5, kept_chars=3_001), SETTINGS, WINDOW)
    assert not is_trim_due(session(2, kept_chars=9_999), SETTINGS, WINDOW)  # there is nothing it could leave out


def test_the_newest_messages_stay():
    assert first_to_keep(turns_of("uauauauauau"), SETTINGS, WINDOW, length) == 8


def test_a_call_and_its_answers_stay_together():
    assert first_to_keep(turns_of("uauaauatttta"), SETTINGS, WINDOW, length) == 7  # the call, not one of its answers
    assert first_to_keep(turns_of("attttttua"), SETTINGS, WINDOW, length) == 8  # one long call: all of it goes


def test_less_is_kept_where_the_newest_are_long():
    kept = first_to_keep(turns_of("uauauauaua", chars=700), SETTINGS, WINDOW, length)
    assert kept == 9  # two of 700 fit into half of 3,000 characters


def test_there_may_be_nothing_to_cut():
    assert first_to_keep(turns_of("ua"), SETTINGS, WINDOW, length) is None
    assert first_to_keep(turns_of("attt"), SETTINGS, WINDOW, length) is None


@given(st.text(alphabet="uat", min_size=1, max_size=40), st.integers(1, 900), st.integers(1, 12))
def test_the_kept_part_never_opens_on_an_answer(roles, chars, keep):
    settings = SessionSettings(max_messages=10, keep_messages=keep)
    turns = turns_of(roles, chars)
    first = first_to_keep(turns, settings, WINDOW, length)
    if first is not None:
        assert 1 < first <= len(turns)
        assert turns[first - 1].role is not TurnRole.TOOL


def test_the_window_is_counted_in_characters():
    assert largest_chars(SETTINGS, 1_000) == 3_000
