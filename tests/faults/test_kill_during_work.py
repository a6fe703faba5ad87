"""kill -9 during every kind of work of the whole engine: what was acknowledged stands, nothing is half done.

Ten kills for each kind, a hundred with GOCLAW_SOAK=1.
"""

import contextlib
import os
import random
import time
from pathlib import Path

import pytest

from goclaw import Principal
from goclaw.bootstrap import Engine, open_engine
from goclaw.governance.audit_chain import seal_all, verify
from goclaw.model.errors import Conflict, NotFound
from goclaw.storage import chunks, integrity, pending_vectors, vectors
from tests.unit.storage.processes import fork, kill, wait_for_file

KILLS = 100 if os.environ.get("GOCLAW_SOAK") else 10
ADA = Principal("ada", roles=("admin",))
AGENT = Principal("ada", roles=("admin",), run_kind="agent", agent_id="helper")
# A killed worker holds its lease until it runs out, so the lease is short here.
SETTINGS = {"memory.search.provider": "hashing", "memory.search.model": "one", "memory.jobs.lease_s": 5}


def open_state(folder: Path, workers: int = 0, **settings: object) -> Engine:
    return open_engine(folder, SETTINGS | settings, workers=workers)


def journal_of(folder: Path) -> Path:
    return folder.parent / "acknowledged"


def acknowledge(folder: Path, *words: str) -> None:
    handle = os.open(journal_of(folder), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(handle, (" ".join(words) + "\n").encode())
    os.close(handle)


def acknowledged(folder: Path) -> list[list[str]]:
    return [line.split() for line in journal_of(folder).read_text().splitlines()]


def write_for_ever(folder: Path) -> None:
    engine = open_state(folder, workers=1)
    number = 0
    while True:
        number += 1
        record = engine.memory.write(ADA, f"fact {os.getpid()} {number}", scope="agent_notes")
        acknowledge(folder, "written", record.id)


def review_for_ever(folder: Path) -> None:
    engine = open_state(folder)
    chance = random.Random(os.getpid())
    number = 0
    while True:
        number += 1
        record = engine.memory.write(AGENT, f"guess {os.getpid()} {number}", scope="agent_notes")
        action = chance.choice(["confirm", "reject", "mark_stale", "evidence_only"])
        engine.memory.review(ADA, record.id, action)
        acknowledge(folder, action, record.id)


def forget_for_ever(folder: Path) -> None:
    engine = open_state(folder)
    number = 0
    while True:
        number += 1
        record = engine.memory.write(ADA, f"secret {os.getpid()} {number}", scope="agent_notes")
        engine.memory.forget(ADA, record.id)
        acknowledge(folder, "forgotten", record.id)


def reindex_for_ever(folder: Path) -> None:
    """Each process brings another model, so that every start rebuilds the index."""
    engine = open_state(folder, workers=1, **{"memory.search.model": f"model-{os.getpid()}"})
    acknowledge(folder, "started", str(os.getpid()))
    while True:
        try:
            engine.memory.jobs.reindex(ADA)
        except Conflict:
            time.sleep(0.002)


def talk_for_ever(folder: Path) -> None:
    """Each turn is followed by the trimming of what is older than the last few."""
    settings = {"memory.session.max_messages": 6, "memory.session.keep_messages": 3, "memory.jobs.lease_s": 5}
    engine = open_state(folder, workers=1, **settings)
    number = 0
    while True:
        number += 1
        said = {"role": "user", "content": f"word {os.getpid()} {number}"}
        numbers = engine.memory.sessions.record(ADA, "s1", [said, {"role": "assistant", "content": "yes"}]).numbers
        acknowledge(folder, str(numbers[0]), str(os.getpid()), str(number))


def check_talk(engine: Engine, folder: Path) -> None:
    """Every turn is there, and what is not given to the model any more lies in archives without a gap."""
    transcript = engine.memory.sessions.export(ADA, "s1")
    session, turns = transcript.session, {turn.number: turn for turn in transcript.turns}
    assert sorted(turns) == list(range(1, session.turns + 1))
    for turn, pid, number in acknowledged(folder):
        assert turns[int(turn)].content == f"word {pid} {number}"
    kept = [turn for turn in transcript.turns if turn.number >= session.first_kept]
    assert session.kept_chars == sum(len(turn.content) for turn in kept)
    expected = 1
    for archive in transcript.archives:
        assert archive.from_turn == expected
        text = (engine.loaded.paths.workspace / archive.file).read_text()
        for turn in range(archive.from_turn, archive.to_turn + 1):
            assert turns[turn].content in text
        expected = archive.to_turn + 1
    assert session.first_kept == expected


def check_reviews(engine: Engine, folder: Path) -> None:
    expected = {"confirm": "confirmed", "reject": "rejected", "mark_stale": "stale", "evidence_only": "evidence_only"}
    for action, memory_id in acknowledged(folder):
        record = engine.memory.get(ADA, memory_id)
        assert record is not None
        assert record.review_status == expected[action]
        reviews = engine.memory.inspect(ADA, memory_id).reviews
        assert [row.action for row in reviews] == [action]


def check_writes(engine: Engine, folder: Path) -> None:
    for _, memory_id in acknowledged(folder):
        assert engine.memory.get(ADA, memory_id) is not None


def check_forgotten(engine: Engine, folder: Path) -> None:
    for _, memory_id in acknowledged(folder):
        assert engine.memory.get(ADA, memory_id) is None
        with pytest.raises(NotFound):
            engine.memory.inspect(ADA, memory_id)


def check_index(engine: Engine, folder: Path) -> None:
    """R081, R119: the killed rebuilds left nothing behind that the next one does not use or remove."""
    engine.memory.jobs.page(ADA)
    while not engine.memory.wait_until_indexed(0.2):
        pass
    with engine.database.read() as reader:
        total, waiting = chunks.count(reader), pending_vectors.count(reader)
        assert total == 30
        assert waiting == 0
        assert sum(vectors.count(reader, number) for number in range(1, 500)) == total


@pytest.mark.process
@pytest.mark.parametrize(
    ("work", "check"),
    [
        (write_for_ever, check_writes),
        (review_for_ever, check_reviews),
        (forget_for_ever, check_forgotten),
        (talk_for_ever, check_talk),
    ],
)
def test_what_was_acknowledged_stands(tmp_path: Path, work: object, check: object) -> None:
    folder = tmp_path / "state"
    chance = random.Random(work.__name__)  # type: ignore[attr-defined]
    for number in range(KILLS):
        child = fork(lambda: work(folder))  # type: ignore[operator]
        if number == 0:
            wait_for_file(journal_of(folder))
        time.sleep(chance.uniform(0.05, 0.25))
        kill(child)
        engine = open_state(folder)
        check(engine, folder)  # type: ignore[operator]
        # A chunk that waits for its vector is no damage: its job is queued.
        damage = [found for found in integrity.check(engine.database) if found.name != "missing_vectors"]
        assert damage == []
        seal_all(engine.database)
        with engine.database.read() as reader:
            assert verify(reader, "default").problem is None
        engine.memory.close()
    assert len(acknowledged(folder)) > KILLS


@pytest.mark.process
def test_r081_r119_killed_rebuilds_leave_no_shadow(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    engine = open_state(folder)
    for number in range(30):
        engine.memory.write(ADA, f"fact {number}", scope="agent_notes")
    engine.memory.wait_until_indexed()
    engine.memory.close()
    chance = random.Random(81)
    for _ in range(5):
        journal_of(folder).unlink(missing_ok=True)
        child = fork(lambda: reindex_for_ever(folder))
        wait_for_file(journal_of(folder))
        time.sleep(chance.uniform(0.0, 0.2))
        kill(child)
    engine = open_state(folder)
    with contextlib.suppress(Conflict):  # one of the killed ones is queued still
        engine.memory.jobs.reindex(ADA)
    check_index(engine, folder)
    engine.memory.close()
