"""A key is bound to its request before the write, and only for a while."""

import pytest

from goclaw.bootstrap import Engine
from goclaw.gateway.idempotency import IdempotentWrites
from goclaw.ingest.upkeep import UPKEEP
from goclaw.model.clock import ManualClock
from goclaw.model.errors import Conflict, StoreBusy
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.storage import jobs

ALICE = Principal("alice")


@pytest.fixture
def writes(engine: Engine) -> IdempotentWrites:
    return IdempotentWrites(engine.database, engine.clock, engine.memory)


def write(engine: Engine, text: str) -> MemoryRecord:
    return engine.memory.write(ALICE, text, scope="personal")


def test_another_request_is_refused_while_the_first_is_on_its_way(engine: Engine, writes: IdempotentWrites) -> None:
    def first() -> MemoryRecord:
        with pytest.raises(Conflict):
            writes.once(ALICE, "K", "second body", lambda: write(engine, "second"))
        return write(engine, "first")

    assert writes.once(ALICE, "K", "first body", first).content == "first"
    assert [record.content for record in engine.memory.list(ALICE).records] == ["first"]


def test_a_write_that_broke_off_is_done_by_the_next_try(engine: Engine, writes: IdempotentWrites) -> None:
    def breaks_off() -> MemoryRecord:
        write(engine, "tea")
        raise StoreBusy("The answer was lost.")

    with pytest.raises(StoreBusy):
        writes.once(ALICE, "K", "body", breaks_off)
    again = writes.once(ALICE, "K", "body", lambda: write(engine, "tea"))
    assert writes.once(ALICE, "K", "body", lambda: pytest.fail("it was answered")).id == again.id
    assert len(engine.memory.list(ALICE).records) == 1


def test_after_a_week_a_key_is_free_again(engine: Engine, writes: IdempotentWrites, clock: ManualClock) -> None:
    def keep_up() -> None:
        engine.database.write(lambda unit: jobs.enqueue(unit, UPKEEP, clock.now()))
        engine.workers.run_due_jobs(10)

    writes.once(ALICE, "K", "first body", lambda: write(engine, "first"))
    clock.advance(days=6)
    keep_up()
    with pytest.raises(Conflict):
        writes.once(ALICE, "K", "second body", lambda: write(engine, "second"))
    clock.advance(days=2)
    keep_up()
    assert writes.once(ALICE, "K", "second body", lambda: write(engine, "second")).content == "second"
