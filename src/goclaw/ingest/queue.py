"""Queue: what administrators see and ask of the job queue, and the wait until everything written is indexed."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from goclaw.ingest.worker import WorkerPool
from goclaw.model.clock import Clock
from goclaw.model.errors import AccessDenied, Conflict, NotFound
from goclaw.model.job import Job, JobKind, JobState, NewJob, Priority
from goclaw.model.principal import Principal
from goclaw.storage import jobs
from goclaw.storage.database import Database

INDEXING = (JobKind.EMBED, JobKind.REINDEX)
POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class JobQueue:
    """The job queue of a store, for people."""

    database: Database
    clock: Clock
    workers: WorkerPool
    has_workers: bool  # of this process

    def page(
        self, principal: Principal, *, state: JobState | None = None, kind: JobKind | None = None, limit: int = 50
    ) -> Sequence[Job]:
        """Jobs of the store, newest first. For administrators."""
        _require_administrator(principal)
        with self.database.read() as reader:
            return jobs.page(reader, state=state, kind=kind, limit=limit)

    def get(self, principal: Principal, job_id: str) -> Job:
        """One job. For administrators."""
        _require_administrator(principal)
        with self.database.read() as reader:
            job = jobs.get(reader, job_id)
        if job is None:
            raise NotFound("There is no such job.")
        return job

    def retry(self, principal: Principal, job_id: str) -> Job:
        """Put a dead or failed job back into the queue, with fresh attempts. For administrators."""
        job = self.get(principal, job_id)
        if job.state not in (JobState.DEAD, JobState.FAILED):
            raise Conflict(f"A job that is {job.state} is not retried.", "Only dead and failed jobs are.")
        self.database.write(lambda unit: jobs.retry(unit, job_id, self.clock.now()))
        self.workers.wake()
        return self.get(principal, job_id)

    def reindex(self, principal: Principal) -> str:
        """Queue a rebuild of everything search runs on; the job's id. For administrators."""
        _require_administrator(principal)
        job = NewJob(kind=JobKind.REINDEX, dedupe_key="all", workspace_id="", priority=Priority.BULK, max_attempts=5)
        job_id = self.database.write(lambda unit: jobs.enqueue(unit, job, self.clock.now()))
        if job_id is None:
            raise Conflict("A rebuild is queued already.", "See `goclaw memory jobs`.")
        self.workers.wake()
        return job_id

    def rescan(self, principal: Principal) -> str:
        """Queue a look of today's detectors at all the workspace has stored; the job's id. For administrators."""
        _require_administrator(principal)
        job = NewJob(kind=JobKind.RESCAN, dedupe_key="all", workspace_id=principal.workspace_id)
        job_id = self.database.write(lambda unit: jobs.enqueue(unit, job, self.clock.now()))
        if job_id is None:
            raise Conflict("A rescan is queued already.", "See `goclaw memory jobs`.")
        self.workers.wake()
        return job_id

    def wait_until_indexed(self, timeout_s: float) -> bool:
        """True when no indexing work is left; False when the time is over first.

        Without workers in this process it works the queue itself. The job of a worker that was killed is taken over
        when its lease (``memory.jobs.lease_s``) is over, not before.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            if not self.has_workers:
                self.workers.run_due_jobs(max(0.0, deadline - time.monotonic()))
            with self.database.read() as reader:
                depths = jobs.depths(reader)
            if not any(depths[kind].queued + depths[kind].running for kind in INDEXING if kind in depths):
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_S)

    def depths(self) -> dict[str, Any]:
        """For each kind of job: queued, running, dead, and the age of the oldest queued one in seconds."""
        now = self.clock.now()
        with self.database.read() as reader:
            found = jobs.depths(reader)
        return {
            kind: {
                "queued": depth.queued,
                "running": depth.running,
                "dead": depth.dead,
                "oldest_s": max(0, now - depth.oldest_run_after) // 1_000_000 if depth.oldest_run_after else 0,
            }
            for kind, depth in found.items()
        }


def _require_administrator(principal: Principal) -> None:
    if not principal.may_administer:
        raise AccessDenied("Jobs are for administrators.", "Ask one, or use a key of theirs.")
