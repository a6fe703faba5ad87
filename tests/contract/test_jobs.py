"""The job queue: claimed by one worker at a time, counted by claims, never queued twice."""

import threading
from collections.abc import Callable
from dataclasses import replace

from goclaw.model.job import Job, JobKind, JobState, NewJob, Priority
from goclaw.storage import cron_runs, jobs
from goclaw.storage.database import Database
from goclaw.storage.jobs import Depth

EMBED = NewJob(kind=JobKind.EMBED, dedupe_key="m1", workspace_id="default", payload={"n": 1}, priority=Priority.EMBED)
REINDEX = NewJob(kind=JobKind.REINDEX, dedupe_key="all", workspace_id="default", priority=Priority.BULK)
KINDS = (JobKind.EMBED, JobKind.REINDEX)


def enqueue(store: Database, job: NewJob, now: int = 0) -> str | None:
    return store.write(lambda unit: jobs.enqueue(unit, job, now))


def claim(store: Database, owner: str = "w1", now: int = 100, lease_until: int = 200) -> Job | None:
    return store.write(lambda unit: jobs.claim(unit, owner, KINDS, now, lease_until))


def job_of(store: Database, job_id: str) -> Job:
    with store.read() as reader:
        found = jobs.get(reader, job_id)
    assert found is not None
    return found


def enqueued(store: Database, job: NewJob) -> str:
    job_id = enqueue(store, job)
    assert job_id is not None
    return job_id


def test_a_job_from_queue_to_done(store: Database) -> None:
    job_id = enqueued(store, EMBED)
    claimed = claim(store)
    assert claimed == Job(
        id=job_id,
        kind=JobKind.EMBED,
        dedupe_key="m1",
        workspace_id="default",
        payload={"n": 1},
        priority=Priority.EMBED,
        state=JobState.RUNNING,
        attempts=1,
        max_attempts=5,
        run_after=0,
        lease_owner="w1",
        lease_until=200,
        last_error=None,
        created_at=0,
        started_at=100,
        finished_at=None,
        progress={},
    )
    assert store.write(lambda unit: jobs.set_progress(unit, job_id, "w1", {"done": 1})) is True
    assert store.write(lambda unit: jobs.extend_lease(unit, job_id, "w1", 300)) is True
    assert job_of(store, job_id).lease_until == 300
    assert store.write(lambda unit: jobs.finish(unit, job_id, "w1", 150, {"done": 2})) is True
    done = job_of(store, job_id)
    assert (done.state, done.finished_at, done.lease_owner, done.progress) == (JobState.DONE, 150, None, {"done": 2})
    assert claim(store) is None


def test_the_same_job_is_queued_once(store: Database) -> None:
    assert enqueue(store, EMBED) is not None
    assert enqueue(store, EMBED) is None
    assert enqueue(store, replace(EMBED, workspace_id="elsewhere")) is not None
    assert enqueue(store, replace(EMBED, dedupe_key="m2")) is not None
    assert enqueue(store, replace(EMBED, kind=JobKind.REINDEX)) is not None


def test_while_a_job_runs_the_same_can_be_queued_again(store: Database) -> None:
    enqueued(store, EMBED)
    assert claim(store) is not None
    assert enqueue(store, EMBED) is not None
    assert enqueue(store, EMBED) is None


def test_the_most_urgent_due_job_of_the_right_kind_comes_first(store: Database) -> None:
    bulk = enqueued(store, REINDEX)
    later = enqueued(store, replace(EMBED, dedupe_key="later", run_after=500))
    second = enqueued(store, replace(EMBED, dedupe_key="second", run_after=50))
    first = enqueued(store, replace(EMBED, dedupe_key="first", run_after=10))
    only_reindex = store.write(lambda unit: jobs.claim(unit, "w", [JobKind.REINDEX], 100, 200))
    assert only_reindex is not None
    assert only_reindex.id == bulk
    claimed = [job.id for job in (claim(store), claim(store)) if job is not None]
    assert claimed == [first, second]
    assert claim(store) is None
    last = claim(store, now=500, lease_until=600)
    assert last is None or last.id in (later, first, second, bulk)


def test_nothing_is_claimed_without_kinds(store: Database) -> None:
    enqueued(store, EMBED)
    assert store.write(lambda unit: jobs.claim(unit, "w", [], 100, 200)) is None


def test_eight_claimers_share_the_queue_without_doubles(store: Database, stores: Callable[[], Database]) -> None:
    databases = [store, stores()]
    for number in range(60):
        enqueued(store, replace(EMBED, dedupe_key=f"m{number}"))
    claimed: list[str] = []

    def worker(which: int) -> None:
        while (job := claim(databases[which % 2], owner=f"w{which}")) is not None:
            claimed.append(job.id)

    threads = [threading.Thread(target=worker, args=(which,)) for which in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # a claimer may find nothing because another one is just taking the last row; nobody may find the same twice
    assert len(claimed) == len(set(claimed))
    while (job := claim(store)) is not None:
        claimed.append(job.id)
    assert len(set(claimed)) == len(claimed) == 60


def test_a_job_whose_worker_fell_silent_is_claimed_again(store: Database) -> None:
    job_id = enqueued(store, EMBED)
    assert claim(store, "dead", now=100, lease_until=200) is not None
    assert claim(store, "w2", now=199) is None
    again = claim(store, "w2", now=200, lease_until=400)
    assert again is not None
    assert (again.id, again.attempts, again.lease_owner, again.started_at) == (job_id, 2, "w2", 100)
    for late in (
        store.write(lambda unit: jobs.finish(unit, job_id, "dead", 210)),
        store.write(lambda unit: jobs.extend_lease(unit, job_id, "dead", 900)),
        store.write(lambda unit: jobs.set_progress(unit, job_id, "dead", {})),
        store.write(lambda unit: jobs.release(unit, job_id, "dead", 210)),
    ):
        assert late is False
    assert store.write(lambda unit: jobs.fail(unit, job_id, "dead", 210, "late", 300)) is None
    assert job_of(store, job_id).lease_owner == "w2"


def test_a_job_that_kills_its_workers_ends_among_the_dead(store: Database) -> None:
    poison = enqueued(store, replace(EMBED, max_attempts=3))
    healthy = enqueued(store, replace(REINDEX, run_after=50))
    for attempt in range(3):
        now = 100 * (attempt + 1)
        job = store.write(lambda unit, now=now: jobs.claim(unit, "w", [JobKind.EMBED], now, now + 10))
        assert job is not None
        assert job.attempts == attempt + 1
    survivor = claim(store, now=500, lease_until=600)
    assert survivor is not None
    assert survivor.id == healthy
    dead = job_of(store, poison)
    assert (dead.state, dead.attempts, dead.last_error, dead.finished_at) == (JobState.DEAD, 3, jobs.OVERDRAWN, 500)


def test_a_failed_job_waits_for_its_next_attempt(store: Database) -> None:
    job_id = enqueued(store, replace(EMBED, max_attempts=2))
    claim(store)
    assert store.write(lambda unit: jobs.fail(unit, job_id, "w1", 150, "rate limited", 1_000)) is JobState.QUEUED
    failed = job_of(store, job_id)
    assert (failed.run_after, failed.attempts, failed.last_error, failed.lease_owner) == (
        1_000,
        1,
        "rate limited",
        None,
    )
    assert claim(store, now=999) is None
    assert claim(store, now=1_000, lease_until=2_000) is not None
    assert store.write(lambda unit: jobs.fail(unit, job_id, "w1", 1_500, "again", 3_000)) is JobState.DEAD
    assert job_of(store, job_id).last_error == "again"


def test_a_job_can_die_or_end_at_once(store: Database) -> None:
    first = enqueued(store, EMBED)
    claim(store)
    assert store.write(lambda unit: jobs.fail(unit, first, "w1", 150, "bad request", None)) is JobState.DEAD
    second = enqueued(store, EMBED)
    claim(store)
    gone = store.write(lambda unit: jobs.fail(unit, second, "w1", 150, "record is gone", 900, final=True))
    assert gone is JobState.FAILED


def test_a_retry_steps_aside_for_the_same_work_queued_meanwhile(store: Database) -> None:
    first = enqueued(store, EMBED)
    claim(store)
    second = enqueued(store, EMBED)
    assert store.write(lambda unit: jobs.fail(unit, first, "w1", 150, "failed", 160)) is JobState.FAILED
    assert job_of(store, second).state is JobState.QUEUED


def test_a_worker_that_stops_gives_its_job_back_uncounted(store: Database) -> None:
    job_id = enqueued(store, EMBED)
    claim(store)
    assert store.write(lambda unit: jobs.release(unit, job_id, "w1", 150)) is True
    released = job_of(store, job_id)
    assert (released.state, released.attempts) == (JobState.QUEUED, 0)
    assert claim(store) is not None


def test_dead_jobs_are_listed_and_can_be_retried(store: Database) -> None:
    job_id = enqueued(store, EMBED)
    claim(store)
    store.write(lambda unit: jobs.fail(unit, job_id, "w1", 150, "no", None))
    with store.read() as reader:
        assert [job.id for job in jobs.page(reader, state=JobState.DEAD)] == [job_id]
    assert store.write(lambda unit: jobs.retry(unit, job_id, 300)) is True
    assert store.write(lambda unit: jobs.retry(unit, job_id, 300)) is False
    assert store.write(lambda unit: jobs.retry(unit, "unknown", 300)) is False
    retried = job_of(store, job_id)
    assert (retried.state, retried.attempts, retried.run_after, retried.last_error) == (JobState.QUEUED, 0, 300, None)


def test_a_cancelled_job_is_no_longer_its_workers(store: Database) -> None:
    job_id = enqueued(store, EMBED)
    claim(store)
    assert store.write(lambda unit: jobs.cancel(unit, job_id, 160)) is True
    assert store.write(lambda unit: jobs.cancel(unit, job_id, 160)) is False
    assert store.write(lambda unit: jobs.extend_lease(unit, job_id, "w1", 900)) is False
    assert store.write(lambda unit: jobs.finish(unit, job_id, "w1", 170)) is False
    assert job_of(store, job_id).state is JobState.FAILED


def test_pages_of_jobs(store: Database) -> None:
    ids = [enqueue(store, replace(EMBED, dedupe_key=f"m{n}"), now=n) for n in range(3)]
    other = enqueue(store, replace(REINDEX, workspace_id="elsewhere"), now=9)
    with store.read() as reader:
        assert [job.id for job in jobs.page(reader)] == [other, ids[2], ids[1], ids[0]]
        assert [job.id for job in jobs.page(reader, "default", limit=2)] == [ids[2], ids[1]]
        assert [job.id for job in jobs.page(reader, kind=JobKind.REINDEX)] == [other]
        assert jobs.page(reader, "default", JobState.DEAD, JobKind.EMBED) == []


def test_depths_and_what_is_due(store: Database) -> None:
    with store.read() as reader:
        assert jobs.depths(reader) == {}
        assert jobs.next_run_after(reader) is None
        assert jobs.pending(reader, 100) == 0
    for n in range(3):
        enqueued(store, replace(EMBED, dedupe_key=f"m{n}", run_after=10 + n))
    enqueued(store, replace(REINDEX, run_after=500))
    claim(store)
    with store.read() as reader:
        assert jobs.depths(reader) == {"embed": Depth(2, 1, 0, 11), "reindex": Depth(1, 0, 0, 500)}
        assert jobs.next_run_after(reader) == 11
        assert jobs.pending(reader, 100) == 3
        assert jobs.pending(reader, 11) == 2


def test_old_and_forgotten_jobs_go(store: Database) -> None:
    job_id = enqueued(store, EMBED)
    claim(store)
    store.write(lambda unit: jobs.finish(unit, job_id, "w1", 150))
    waiting = enqueued(store, EMBED)
    assert store.write(lambda unit: jobs.prune(unit, 150)) == 0
    assert store.write(lambda unit: jobs.prune(unit, 151)) == 1
    assert store.write(lambda unit: jobs.delete_of_key(unit, "elsewhere", "m1")) == 0
    assert store.write(lambda unit: jobs.delete_of_key(unit, "default", "m1")) == 1
    with store.read() as reader:
        assert jobs.get(reader, waiting) is None


def test_of_many_schedulers_one_takes_the_run(store: Database) -> None:
    taken = [store.write(lambda unit: cron_runs.take(unit, "sys-upkeep", 1_000, 1_001)) for _ in range(3)]
    assert taken == [True, False, False]
    assert store.write(lambda unit: cron_runs.take(unit, "sys-upkeep", 2_000, 2_001)) is True
    assert store.write(lambda unit: cron_runs.prune(unit, 2_000)) == 1
