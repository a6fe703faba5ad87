"""Two weeks of three people in two rooms and alone, with kills in between: nothing taken is lost, nothing told on."""

import importlib
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


STEPS = [
    "goclaw.sessions.trim.Trimmer._flush",
    "goclaw.sessions.write_archive.write_archive",
    "goclaw.workspace.archive.write_private_file",
    "goclaw.sessions.trim.Trimmer._summary",
    "goclaw.sessions.trim.Trimmer._commit",
    "goclaw.storage.session_archives.put",
]


@pytest.mark.process
@pytest.mark.parametrize("when", ["before", "behind"])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.rpartition(".")[2])
def test_a_kill_at_each_step_of_trimming_loses_nothing(tmp_path: Path, step: str, when: str) -> None:
    folder = tmp_path / "state"
    settings = SETTINGS | {"memory.jobs.lease_s": 5}
    talk_once(folder, settings)
    child = fork(lambda: trim_and_die(folder, settings, step, when))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 9  # it did come to that step
    clock = ManualClock(START)
    clock.advance(days=1)
    engine = open_engine(folder, settings, clock=clock, workers=0)
    settle(engine)
    transcript = engine.memory.sessions.export(PEOPLE["alice"], "own")
    assert [turn.content for turn in transcript.turns] == [f"word {number}" for number in range(25)]
    assert transcript.session.first_kept == 20
    (archive,) = transcript.archives
    found = read_archive(WorkspaceFolder(engine.loaded.paths.workspace), archive.file)
    assert [turn.content for turn in found.turns] == [f"word {number}" for number in range(19)]
    assert len(list((engine.loaded.paths.workspace / "memory" / "archive").glob("*.md"))) == 1
    engine.memory.close()


def talk_once(folder: Path, settings: dict[str, object]) -> None:
    engine = open_engine(folder, settings, clock=ManualClock(START), workers=0)
    turns = [{"role": "user", "content": f"word {number}"} for number in range(25)]
    engine.memory.sessions.record(PEOPLE["alice"], "own", turns)
    engine.memory.close()


def trim_and_die(folder: Path, settings: dict[str, object], step: str, when: str) -> None:
    """Trim in this process, and end it hard before or behind one step."""
    place, name = _place(step)
    real = getattr(place, name)

    def dying(*arguments: object, **named: object) -> object:
        if when == "before":
            os._exit(9)
        real(*arguments, **named)
        os._exit(9)

    setattr(place, name, dying)
    engine = open_engine(folder, settings, clock=ManualClock(START), workers=0)
    engine.workers.run_due_jobs(30)
    os._exit(0)


def _place(step: str) -> tuple[object, str]:
    """The module or class that holds a function, and its name there."""
    owner, _, name = step.rpartition(".")
    module, _, kind = owner.rpartition(".")
    if kind[0].isupper():
        return getattr(importlib.import_module(module), kind), name
    return importlib.import_module(owner), name
