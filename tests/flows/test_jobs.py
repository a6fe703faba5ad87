"""The job queue: each job's effect once, whatever workers and clocks do."""

import threading
import time
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from goclaw.ingest import schedule
from goclaw.ingest.schedule import CronEntry, Scheduler
from goclaw.ingest.sweep import SWEEP
from goclaw.ingest.worker import WorkerPool
from goclaw.model.clock import SystemClock, from_us
from goclaw.model.errors import AccessDenied, Conflict, NotFound
from goclaw.model.job import JobKind, JobState, NewJob
from goclaw.storage import audit_log, jobs, memories
from tests.flows.people import ADA, ADAS_AGENT, ALICE, RITA

ZONE = ZoneInfo("UTC")


def queue(engine, number=0, **fields):
    job = NewJob(kind=JobKind.UPKEEP, dedupe_key=f"job-{number}", workspace_id="", payload={"n": number}, **fields)
    return engine.database.write(lambda unit: jobs.enqueue(unit, job, engine.clock.now()))


def pool(engine, handler, lease_s=60):
    return WorkerPool(engine.database, engine.clock, {JobKind.UPKEEP: handler}, lease_s)


def states(engine):
    with engine.database.read() as reader:
        return {job.payload["n"]: job.state for job in jobs.page(reader, limit=1000)}


def test_R083_each_effect_happens_once_with_four_workers(engine):
    seen, lock = [], threading.Lock()

    def handler(run):
        with lock:
            seen.append(run.job.payload["n"])

    for number in range(60):
        queue(engine, number)
    workers = pool(engine, handler)
    workers.start(4)
    while set(states(engine).values()) != {JobState.DONE}:
        threading.Event().wait(0.02)
    workers.stop()
    assert sorted(seen) == list(range(60))


def test_a_failing_job_waits_longer_each_time_and_ends_among_the_dead(engine, clock):
    tries = []

    def handler(run):
        tries.append(clock.now())
        raise ValueError("with a text that must not be kept")

    job_id = queue(engine, max_attempts=3)
    workers = pool(engine, handler)
    for _ in range(6):
        workers.run_due_jobs(5)
        clock.advance(seconds=5)
    assert len(tries) == 3
    job = engine.memory.jobs.get(ADA, job_id)
    assert (job.state, job.last_error) == (JobState.DEAD, "ValueError")


def test_stopping_puts_the_job_back_and_the_attempt_does_not_count(engine):
    started = threading.Event()

    def handler(run):
        started.set()
        while True:
            run.report(done=1)

    job_id = queue(engine)
    workers = pool(engine, handler)
    workers.start(1)
    assert started.wait(10)
    workers.stop()
    job = engine.memory.jobs.get(ADA, job_id)
    assert (job.state, job.attempts) == (JobState.QUEUED, 0)


def test_R082_a_job_that_silences_its_workers_is_parked(engine, clock):
    """A worker that dies leaves its lease behind; the job counts its claims and is not tried for ever."""
    job_id = queue(engine, 99, max_attempts=3)
    for number in range(5):
        queue(engine, number)

    for _ in range(3):
        claimed = engine.database.write(
            lambda unit: jobs.claim(unit, "dead worker", (JobKind.UPKEEP,), clock.now(), clock.now() + 1_000_000)
        )
        assert claimed.id == job_id
        clock.advance(seconds=2)
    pool(engine, lambda run: None).run_due_jobs(5)
    assert states(engine) == {99: JobState.DEAD} | dict.fromkeys(range(5), JobState.DONE)


def test_a_long_job_keeps_its_lease(engine):
    finished = threading.Event()
    claims = []

    def handler(run):
        claims.append(run.owner)
        finished.wait(1.2)

    job_id = queue(engine)
    workers = WorkerPool(engine.database, SystemClock(), {JobKind.UPKEEP: handler}, lease_s=1)
    workers.start(2)
    while engine.memory.jobs.get(ADA, job_id).state is not JobState.DONE:
        finished.wait(0.05)
    workers.stop()
    assert len(claims) == 1


def test_a_cancelled_job_is_let_go(engine, clock):
    done = []

    def handler(run):
        engine.database.write(lambda unit: jobs.cancel(unit, run.job.id, clock.now()))
        run.report(done=1)
        done.append("never reached")

    job_id = queue(engine)
    pool(engine, handler).run_due_jobs(5)
    assert done == []
    assert engine.memory.jobs.get(ADA, job_id).state is JobState.FAILED


def test_R084_of_three_processes_one_runs_the_cron(open_store, clock):
    engines = [open_store() for _ in range(3)]
    entry = CronEntry("sys-test", "0 3 * * *", NewJob(kind=JobKind.UPKEEP, dedupe_key="cron", workspace_id=""))
    schedulers = [
        Scheduler(engine.database, clock, (entry,), ZONE, engine.workers.wake, catch_up=timedelta(0))
        for engine in engines
    ]
    assert from_us(clock.now()).hour == 9
    clock.advance(hours=19)
    assert sorted(scheduler.tick() for scheduler in schedulers) == [0, 0, 1]
    assert [scheduler.tick() for scheduler in schedulers] == [0, 0, 0]
    clock.advance(hours=24)
    assert sum(scheduler.tick() for scheduler in schedulers) == 1


def test_a_loop_goes_on_after_what_it_did_not_expect(engine, clock, monkeypatch):
    monkeypatch.setattr(schedule, "TICK_S", 0.01)
    woken = []

    def wake():
        woken.append(clock.now())
        clock.advance(hours=1)
        raise OverflowError

    entry = CronEntry("sys-test", "* * * * *", NewJob(kind=JobKind.UPKEEP, dedupe_key="cron", workspace_id=""))
    scheduler = Scheduler(engine.database, clock, (entry,), ZONE, wake)
    scheduler.start()
    deadline = time.monotonic() + 10
    while len(woken) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    scheduler.stop()
    assert len(woken) >= 2


@pytest.mark.parametrize("who", [ALICE, RITA, ADAS_AGENT])
def test_the_queue_is_for_administrators(memory, who):
    for deed in (lambda: memory.jobs.page(who), lambda: memory.jobs.reindex(who), lambda: memory.jobs.get(who, "x")):
        with pytest.raises(AccessDenied):
            deed()


def test_what_cannot_be_retried_says_so(engine):
    with pytest.raises(NotFound):
        engine.memory.jobs.retry(ADA, "unknown")
    job_id = queue(engine)
    with pytest.raises(Conflict):
        engine.memory.jobs.retry(ADA, job_id)


def test_a_reindex_is_queued_once(memory):
    memory.jobs.reindex(ADA)
    with pytest.raises(Conflict, match="already"):
        memory.jobs.reindex(ADA)


def test_the_sweep_makes_permanent_what_time_did(engine, clock):
    record = engine.memory.write(ADAS_AGENT, "a guess about the wombat", scope="agent_notes")
    clock.advance(days=91)
    engine.database.write(lambda unit: jobs.enqueue(unit, SWEEP, clock.now()))
    engine.workers.run_due_jobs(5)
    with engine.database.read() as reader:
        stored = memories.find_same(reader, 1, record.kind, record.content_hash)
        events = [event.event_type for event in audit_log.page(reader, "default", limit=10)]
    assert stored.lifecycle == "expired"
    assert events[0] == "memory_expired"
