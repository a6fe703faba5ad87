"""Worker: threads that take jobs from the queue, one at a time, under a lease, and never lose one.

A job counts its claims, so one that kills its worker ends in the dead letters like one that only fails. A worker that
falls silent loses its lease and the job is taken over; handlers are idempotent.
"""

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from goclaw.model.clock import SECOND, Clock
from goclaw.model.errors import GoclawError, ProviderError
from goclaw.model.ids import new_id
from goclaw.model.job import Job, JobKind
from goclaw.settings.log import log_for
from goclaw.storage import jobs
from goclaw.storage.database import Database, Unit

log = log_for(__name__)

FIRST_BACKOFF_S = 1.0
MAX_BACKOFF_S = 900.0
JITTER = 0.2
IDLE_POLL_S = 1.0  # how often a worker looks for what another process queued
STOP_PATIENCE_S = 10.0


class Lost(Exception):
    """The job was cancelled or taken over by another worker; there is nothing left to do here."""


class Stopped(Exception):
    """The worker is asked to stop; the job goes back to the queue as it was."""


@dataclass
class JobRun:
    """What a handler sees of its job: the payload, a way to report progress, and whether to stop."""

    job: Job
    owner: str  # the worker that holds the lease
    database: Database
    is_stopping: Callable[[], bool]
    progress: dict[str, int] = field(default_factory=dict)

    def report(self, **counts: int) -> None:
        """Write down how far the job is (done, skipped, failed, total), and stop here if asked to."""
        self.progress.update(counts)
        is_ours = self.database.write(lambda unit: jobs.set_progress(unit, self.job.id, self.owner, self.progress))
        if not is_ours:
            raise Lost
        self.stop_if_asked()

    def stop_if_asked(self) -> None:
        """Raise Stopped where the process is closing; call it between pieces of work."""
        if self.is_stopping():
            raise Stopped


Handler = Callable[[JobRun], None]


class WorkerPool:
    """The workers of one process."""

    def __init__(self, database: Database, clock: Clock, handlers: Mapping[JobKind, Handler], lease_s: int) -> None:
        self._database = database
        self._clock = clock
        self._handlers = handlers
        self._lease_us = lease_s * SECOND
        self._heartbeat_s = lease_s / 3
        self._stopping = threading.Event()
        self._work_waits = threading.Condition()
        self._wakes = 0
        self._running: dict[str, str] = {}  # job id -> the worker that runs it
        self._threads: list[threading.Thread] = []

    def start(self, workers: int) -> None:
        """Start the threads; none for 0."""
        for number in range(workers):
            self._start_thread(self._work, f"goclaw-worker-{number}")
        if workers:
            self._start_thread(self._keep_leases, "goclaw-leases")

    def wake(self) -> None:
        """Tell an idle worker that something was queued."""
        with self._work_waits:
            self._wakes += 1
            self._work_waits.notify()

    def stop(self) -> None:
        """Ask all workers to stop, and wait until they have put their jobs back."""
        self._stopping.set()
        with self._work_waits:
            self._work_waits.notify_all()
        for thread in self._threads:
            thread.join(STOP_PATIENCE_S)
        self._threads.clear()

    def run_due_jobs(self, deadline_s: float) -> None:
        """Work in the caller's thread until nothing is due or the time (seconds from now) is over."""
        end = time.monotonic() + deadline_s
        owner = f"inline-{new_id()}"
        while time.monotonic() < end and self._run_next(owner):
            pass

    def _start_thread(self, target: Callable[[], None], name: str) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        owner = f"{threading.current_thread().name}-{new_id()}"
        while not self._stopping.is_set():
            seen = self._wakes
            try:
                if self._run_next(owner):
                    continue
            except Exception as error:  # a loop that ends is never noticed
                log.warning("queue_unreachable", error=type(error).__name__)
            with self._work_waits:
                if self._wakes == seen and not self._stopping.is_set():
                    self._work_waits.wait(IDLE_POLL_S)

    def _run_next(self, owner: str) -> bool:
        """Run one due job; False when there is none."""
        now = self._clock.now()
        with self._database.read() as reader:
            if not jobs.pending(reader, now):  # a look costs no write lock
                return False
        lease_until = now + self._lease_us
        kinds = tuple(self._handlers)
        job = self._database.write(lambda unit: jobs.claim(unit, owner, kinds, now, lease_until))
        if job is None:
            return False
        self._running[job.id] = owner
        try:
            self._run(job, owner)
        finally:
            self._running.pop(job.id, None)
        return True

    def _run(self, job: Job, owner: str) -> None:
        run = JobRun(job, owner, self._database, self._stopping.is_set)
        try:
            self._handlers[job.kind](run)
        except Stopped:
            self._database.write(lambda unit: jobs.release(unit, job.id, owner, self._clock.now()))
        except Lost:
            log.info("job_lost", job_id=job.id, kind=job.kind)
        except Exception as error:
            self._fail(job, owner, error)
        else:
            self._database.write(lambda unit: jobs.finish(unit, job.id, owner, self._clock.now(), run.progress))

    def _fail(self, job: Job, owner: str, error: Exception) -> None:
        """Plan the next try, or give up where it cannot help; the reason names no content."""
        reason = error.message if isinstance(error, GoclawError) else type(error).__name__
        is_final = isinstance(error, ProviderError) and error.final
        retry_at = None
        if not is_final and job.attempts < job.max_attempts:
            retry_at = self._clock.now() + round(backoff_s(job.attempts, error) * SECOND)
        log.warning("job_failed", job_id=job.id, kind=job.kind, attempts=job.attempts, error=type(error).__name__)
        now = self._clock.now()
        self._database.write(lambda unit: jobs.fail(unit, job.id, owner, now, reason, retry_at))

    def _keep_leases(self) -> None:
        while not self._stopping.wait(self._heartbeat_s):
            lease_until = self._clock.now() + self._lease_us
            for job_id, owner in list(self._running.items()):
                try:
                    self._database.write(partial(_extend, job_id=job_id, owner=owner, lease_until=lease_until))
                except Exception as error:  # a loop that ends is never noticed
                    log.warning("lease_not_extended", job_id=job_id, error=type(error).__name__)


def _extend(unit: Unit, *, job_id: str, owner: str, lease_until: int) -> None:
    jobs.extend_lease(unit, job_id, owner, lease_until)


def backoff_s(attempts: int, error: Exception | None = None) -> float:
    """Seconds until the next try: doubling, with jitter, at most a quarter of an hour; never before Retry-After."""
    doubled: float = min(FIRST_BACKOFF_S * 2 ** max(attempts - 1, 0), MAX_BACKOFF_S)
    jittered = doubled * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - spreads load, guards nothing
    asked = error.retry_after_s if isinstance(error, ProviderError) and error.retry_after_s else 0.0
    return max(jittered, asked)
