"""Embedding queue: asks, in the unit of a write, that its new chunks get their vectors."""

from goclaw.model.job import JobKind, NewJob, Priority
from goclaw.storage import jobs
from goclaw.storage.database import Unit

MAX_ATTEMPTS = 10  # engine.md 2.6; 429 and outages wait longer each time


def ask_for_vectors(unit: Unit, now: int) -> None:
    """Queue the one job that works off the list of chunks without a vector; asked twice, it is queued once.

    The list is the store's, not one workspace's, so the job belongs to none.
    """
    jobs.enqueue(
        unit,
        NewJob(
            kind=JobKind.EMBED,
            dedupe_key="pending",
            workspace_id="",
            priority=Priority.EMBED,
            max_attempts=MAX_ATTEMPTS,
        ),
        now,
    )
