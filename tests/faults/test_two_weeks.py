"""Two weeks of three people in two rooms and alone, with kills in between: nothing taken is lost, nothing told on."""

import os
import random
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from goclaw import Principal
from goclaw.bootstrap import Engine, open_engine
from goclaw.model.clock import ManualClock
from goclaw.workspace.archive import read_archive
from goclaw.workspace.folder import WorkspaceFolder
from tests.unit.storage.processes import fork, kill, wait_for_file

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
DAYS, MESSAGES_A_DAY = 14, 24
SETTINGS = {
    "memory.search.provider": "none",
    "memory.session.max_messages": 20,
    "memory.session.keep_messages": 6,
    "memory.jobs.lease_s": 5,
}
ROOMS = {"planning": ("alice", "bob"), "ops": ("alice", "bob", "carol")}
PEOPLE = {
    name: Principal(name, channel_ids=tuple(room for room, members in ROOMS.items() if name in members))
    for name in ("alice", "bob", "carol")
}


def schedule() -> list[tuple[int, str, str | None, str]]:
    """(hour, who, room or None, words) of two weeks; the same each time."""
    chance = random.Random(5)
    said = []
    for number in range(DAYS * MESSAGES_A_DAY):
        who = chance.choice(sorted(PEOPLE))
        room = chance.choice([None, *(room for room, members in ROOMS.items() if who in members)])
        said.append((number, who, room, f"message {number} of {who} in {room or 'private'}"))
    return said


def talk(folder: Path) -> None:
    """Go on where the acknowledged messages end; a message that was taken and not acknowledged is sent again."""
    journal = folder.parent / "acknowledged"
    done = len(journal.read_text().splitlines()) if journal.exists() else 0
    clock = ManualClock(START)
    engine = open_engine(folder, SETTINGS, clock=clock, workers=1)
    for number, who, room, words in schedule()[done:]:
        clock.set(START)
        clock.advance(hours=number)
        place = {"channel": {"kind": "chat", "id": room}} if room else {}
        turns = [
            {"role": "user", "content": words, "message_id": f"m{number}"},
            {"role": "assistant", "content": f"answer {number}", "message_id": f"a{number}"},
        ]
        engine.memory.sessions.record(PEOPLE[who], room or "own", turns, **place)
        engine.memory.context(PEOPLE[who], room or "own", words)
        with journal.open("a") as file:
            file.write(f"{number}\n")
            file.flush()
            os.fsync(file.fileno())
    (folder.parent / "finished").touch()
    engine.memory.close()


def settle(engine: Engine) -> None:
    """Let the workers' leases run out and finish what they began."""
    for _ in range(3):
        engine.clock.advance(hours=1)  # type: ignore[attr-defined]
        engine.workers.run_due_jobs(30)


@pytest.mark.process
def test_two_weeks_with_kills(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    chance = random.Random(7)
    kills = 0
    while not (tmp_path / "finished").exists():
        child = fork(lambda: talk(folder))
        wait_for_file(tmp_path / "acknowledged")
        time.sleep(chance.uniform(0.15, 0.5))
        if not (tmp_path / "finished").exists():
            kills += 1
        kill(child)
    assert kills >= 3
    clock = ManualClock(START)
    clock.advance(days=DAYS + 1)
    engine = open_engine(folder, SETTINGS, clock=clock, workers=0)
    settle(engine)
    for room in (None, *ROOMS):
        for who in ROOMS.get(room, tuple(PEOPLE)) if room else tuple(PEOPLE):
            check(engine, who, room)
    assert "planning" not in {each.session_id for each in engine.memory.sessions.list(PEOPLE["carol"]).sessions}
    engine.memory.close()


def check(engine: Engine, who: str, room: str | None) -> None:
    """Every message once and in its order; the archives hold what is not given to the model any more, nothing else."""
    expected = [words for _, speaker, where, words in schedule() if where == room and (room or speaker == who)]
    transcript = engine.memory.sessions.export(PEOPLE[who], room or "own")
    assert [turn.content for turn in transcript.turns if turn.role == "user"] == expected
    assert transcript.session.first_kept > 1
    own = WorkspaceFolder(engine.loaded.paths.workspace)
    archived = []
    for archive in transcript.archives:
        found = read_archive(own, archive.file)
        assert found.is_intact
        archived += [turn.content for turn in found.turns]
    assert archived == [turn.content for turn in transcript.turns if turn.number < transcript.session.first_kept]
    context = engine.memory.context(PEOPLE[who], room or "own", "hello")
    others = [f"of {name} in private" for name in PEOPLE if name != who or room]
    assert not any(words in context.session_part + context.message_part for words in others)
