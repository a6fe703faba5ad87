"""A conversation that grew too long: what is cut, where it lies, what stands in its place, and that nothing is lost."""

import pytest

from goclaw import Principal
from goclaw.errors import ProviderError
from goclaw.model.job import JobKind, JobState
from goclaw.storage import session_archives, session_turns, sessions

ALICE = Principal("alice", channel_ids=("general",))
BOB = Principal("bob", channel_ids=("general",))
ADMIN = Principal("root", roles=("admin",))
ROOM = {"kind": "discord", "id": "general"}
SETTINGS = {
    "memory.search.provider": "none",
    "memory.session.max_messages": 10,
    "memory.session.keep_messages": 4,
}


def talk(memory, count, session_id="s1", who=ALICE, **place):
    """``count`` messages of a person, each with an answer."""
    for number in range(count):
        said = [
            {"role": "user", "content": f"Question {number} about the harbour"},
            {"role": "assistant", "content": f"Answer {number}"},
        ]
        memory.sessions.record(who, session_id, said, **place)


def run_jobs(engine, seconds=20):
    engine.workers.run_due_jobs(seconds)


@pytest.fixture
def store(open_store):
    return open_store(SETTINGS)


def archives_of(engine, who=ALICE, session_id="s1"):
    return engine.memory.sessions.export(who, session_id).archives


def test_trimming_keeps_every_word_and_moves_the_pointer(store):
    talk(store.memory, 8)
    before = store.memory.sessions.turns(ALICE, "s1")
    run_jobs(store)
    session = store.memory.sessions.get(ALICE, "s1")
    assert (session.turns, session.first_kept) == (16, 13)
    assert store.memory.sessions.turns(ALICE, "s1") == before
    assert session.kept_chars == sum(len(turn.content) for turn in before[12:])
    (archive,) = archives_of(store)
    assert (archive.from_turn, archive.to_turn) == (1, 12)
    file = store.loaded.paths.workspace / archive.file
    text = file.read_text()
    assert "memory/archive/" in archive.file
    assert all(f"Question {number} about" in text for number in range(6))
    assert "Question 6 about" not in text


def test_without_a_model_a_stub_stands_in_place_of_the_summary(store):
    talk(store.memory, 8)
    run_jobs(store)
    summary = store.memory.sessions.get(ALICE, "s1").summary
    assert summary.startswith("12 messages from 2026-03-02 to 2026-03-02 are archived and not summarised.")
    assert "Question 5 about the harbour" in summary
    assert summary in store.memory.context(ALICE, "s1", "hello").session_part
    assert store.memory.list(ALICE).records == ()  # a stub is nobody's memory


def test_a_second_trimming_follows_the_first(store):
    talk(store.memory, 8)
    run_jobs(store)
    talk(store.memory, 8)
    run_jobs(store)
    ranges = [(archive.from_turn, archive.to_turn) for archive in archives_of(store)]
    assert ranges == [(1, 12), (13, 28)]
    assert store.memory.sessions.get(ALICE, "s1").first_kept == 29


def test_secrets_are_not_archived(store):
    secret = "AKIA" + "Q7X2M9T4K8W3N6ZB"  # made up, and put together here
    store.memory.sessions.record(ALICE, "s1", [{"role": "user", "content": f"My key is {secret}, keep it."}])
    talk(store.memory, 8)
    run_jobs(store)
    for archive in archives_of(store):
        assert secret not in (store.loaded.paths.workspace / archive.file).read_text()
    assert secret not in (store.memory.sessions.get(ALICE, "s1").summary or "")
    assert secret in store.memory.sessions.turns(ALICE, "s1")[0].content  # the transcript is hers as she said it


def test_a_room_is_archived_with_its_speakers(store):
    for _ in range(4):
        talk(store.memory, 1, "standup", ALICE, channel=ROOM)
        talk(store.memory, 1, "standup", BOB, channel=ROOM)
    run_jobs(store)
    (archive,) = archives_of(store, BOB, "standup")
    text = (store.loaded.paths.workspace / archive.file).read_text()
    assert " · alice · user" in text
    assert " · bob · user" in text
    assert store.memory.list(ALICE).records == store.memory.list(BOB).records == ()


def test_a_failure_before_the_pointer_leaves_the_conversation_as_it_was(store, monkeypatch):
    talk(store.memory, 8)
    before = store.memory.sessions.get(ALICE, "s1")
    monkeypatch.setattr(session_archives, "put", _broken)
    run_jobs(store)
    assert store.memory.sessions.get(ALICE, "s1") == before
    assert archives_of(store) == ()
    job = next(iter(store.memory.jobs.page(ADMIN, kind=JobKind.TRIM_SESSION)))
    assert job.state is JobState.QUEUED  # it will be tried again
    monkeypatch.undo()
    with store.database.read() as reader:
        assert sessions.get(reader, before.key).summary is None


def _broken(*arguments):
    raise ProviderError("broken")


def test_two_workers_do_not_trim_one_conversation(store):
    talk(store.memory, 8)
    session = store.memory.sessions.get(ALICE, "s1")
    now = store.clock.now()
    store.database.write(lambda unit: sessions.lock(unit, session.key, "another", now, now + 10**9))
    run_jobs(store)
    assert store.memory.sessions.get(ALICE, "s1").first_kept == 1
    assert archives_of(store) == ()


def test_what_is_said_while_it_is_trimmed_stays(store, monkeypatch):
    talk(store.memory, 8)
    real = session_turns.between

    def read_and_talk(reader, key, first=1, *more, **named):
        found = real(reader, key, first, *more, **named)
        if first == 1 and not getattr(read_and_talk, "done", False):
            read_and_talk.done = True
            talk(store.memory, 1)
        return found

    monkeypatch.setattr("goclaw.sessions.trim.session_turns.between", read_and_talk)
    run_jobs(store)
    monkeypatch.undo()
    session = store.memory.sessions.get(ALICE, "s1")
    turns = store.memory.sessions.turns(ALICE, "s1")
    assert session.turns == 18
    assert session.kept_chars == sum(len(turn.content) for turn in turns[session.first_kept - 1 :])


def test_a_job_of_a_conversation_that_is_gone_does_nothing(store):
    talk(store.memory, 8)
    (job,) = store.memory.jobs.page(ADMIN, kind=JobKind.TRIM_SESSION)
    session = store.memory.sessions.get(ALICE, "s1")
    store.database.write(lambda unit: sessions.delete(unit, session.key))
    run_jobs(store)
    assert store.memory.jobs.get(ADMIN, job.id).state is JobState.DONE
