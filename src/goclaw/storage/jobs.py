"""The job queue: work that follows a write, claimed under a lease by one worker at a time.

A job counts its claims, so one that kills its worker runs out of attempts like any other and ends among the dead.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, func, literal, or_, select

from goclaw.model.ids import new_id
from goclaw.model.job import Job, JobKind, JobState, NewJob
from goclaw.model.storable import is_storable
from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import MEMORY_JOBS
from goclaw.storage.statement import InsertOrKeep, Statement

OVERDRAWN = "every attempt ended without an answer: the worker died or was stopped"

_J = MEMORY_JOBS.c
_COLUMNS = tuple(column.name for column in MEMORY_JOBS.columns)
_QUEUED, _RUNNING = JobState.QUEUED.value, JobState.RUNNING.value


@dataclass(frozen=True, slots=True)
class Depth:
    """How much of one kind waits."""

    queued: int
    running: int
    dead: int
    oldest_run_after: int | None  # microseconds since 1970, of the queued ones


_INSERT = Statement(InsertOrKeep(MEMORY_JOBS))
_GET = Statement(select(MEMORY_JOBS).where(_J.id == bindparam("which")))


@lru_cache(maxsize=64)
def _next_claimable(kinds: int, is_running: bool) -> Statement:
    """The next job, locked where the engine locks rows: one that another worker is just taking is passed over."""
    now: BindParameter[int] = bindparam("now")
    if is_running:
        state = and_(_J.state == _RUNNING, _J.lease_until <= now)
    else:
        state = and_(_J.state == _QUEUED, _J.run_after <= now)
    return Statement(
        select(MEMORY_JOBS)
        .where(state, _J.kind.in_([bindparam(f"kind_{n}") for n in range(kinds)]))
        .order_by(_J.priority, _J.run_after, _J.id)
        .limit(1)
        .with_for_update(skip_locked=True),
        *("now", *(f"kind_{n}" for n in range(kinds))),
    )


def _change(*columns: str, is_owned: bool = False) -> Statement:
    """An update of one job; ``is_owned``: only while it runs under the caller's lease."""
    condition = _J.id == bindparam("which")
    if is_owned:
        condition = and_(condition, _J.state == _RUNNING, _J.lease_owner == bindparam("owner"))
    return Statement(
        MEMORY_JOBS.update().where(condition).values({name: bindparam(f"new_{name}") for name in columns}),
        *(f"new_{name}" for name in columns),
        *(("which", "owner") if is_owned else ("which",)),
    )


def _is_in(column: ColumnElement[str], *words: str) -> ColumnElement[bool]:
    return column.in_([literal(word) for word in words])


_START = _change("state", "queued_key", "attempts", "lease_owner", "lease_until", "started_at")
_END = _change("state", "queued_key", "lease_owner", "lease_until", "last_error", "finished_at")
_REQUEUE = _change(
    "state", "queued_key", "attempts", "run_after", "lease_owner", "lease_until", "last_error", "finished_at"
)
_EXTEND = _change("lease_until", is_owned=True)
_FINISH = _change("state", "lease_owner", "lease_until", "last_error", "finished_at", "progress", is_owned=True)
_SET_PROGRESS = _change("progress", is_owned=True)
_IS_QUEUED = Statement(select(_J.id).where(_J.queued_key == bindparam("key")))

_DEPTHS = Statement(
    select(_J.kind, _J.state, func.count(), func.min(_J.run_after))
    .where(_is_in(_J.state, _QUEUED, _RUNNING, JobState.DEAD.value))
    .group_by(_J.kind, _J.state)
)
_PENDING = Statement(
    select(func.count()).where(or_(_J.state == _RUNNING, and_(_J.state == _QUEUED, _J.run_after <= bindparam("now"))))
)
_NEXT_RUN_AFTER = Statement(select(func.min(_J.run_after)).where(_J.state == _QUEUED))
_PRUNE = Statement(
    MEMORY_JOBS.delete().where(
        _is_in(_J.state, JobState.DONE.value, JobState.FAILED.value), _J.finished_at < bindparam("moment")
    )
)
_DELETE_OF_KEY = Statement(
    MEMORY_JOBS.delete().where(_J.workspace_id == bindparam("workspace"), _J.dedupe_key == bindparam("key"))
)


def enqueue(unit: Unit, job: NewJob, now: int) -> str | None:
    """Queue a job; its id, or None where the same (kind, workspace, dedupe key) is queued already."""
    job_id = new_id()
    row = (
        job_id,
        job.kind.value,
        job.dedupe_key,
        _queued_key(job.kind, job.workspace_id, job.dedupe_key),
        job.workspace_id,
        _json(job.payload),
        int(job.priority),
        _QUEUED,
        0,
        job.max_attempts,
        job.run_after,
        None,
        None,
        None,
        now,
        None,
        None,
        None,
    )
    return job_id if unit.run(_INSERT, row) else None


def claim(unit: Unit, owner: str, kinds: Sequence[JobKind], now: int, lease_until: int) -> Job | None:
    """Take the next job of these kinds: one whose worker fell silent, else the most urgent queued one that is due.

    Its attempts grow by one; a job that has used them all up goes among the dead instead.
    """
    names = tuple(kind.value for kind in kinds)
    while names:
        row = unit.one(_next_claimable(len(names), True), (now, *names))
        row = row or unit.one(_next_claimable(len(names), False), (now, *names))
        if row is None:
            return None
        job = _job(row)
        if job.attempts < job.max_attempts:
            started_at = now if job.started_at is None else job.started_at
            unit.run(_START, (_RUNNING, None, job.attempts + 1, owner, lease_until, started_at, job.id))
            return get(unit, job.id)
        _end(unit, job.id, JobState.DEAD, now, job.last_error or OVERDRAWN)
    return None


def extend_lease(unit: Unit, job_id: str, owner: str, lease_until: int) -> bool:
    """Keep a job for longer; False where it is no longer the caller's (cancelled, or taken over)."""
    return unit.run(_EXTEND, (lease_until, job_id, owner)) > 0


def set_progress(unit: Unit, job_id: str, owner: str, progress: Mapping[str, int]) -> bool:
    """Say how far a running job is; False where it is no longer the caller's."""
    return unit.run(_SET_PROGRESS, (_json(progress), job_id, owner)) > 0


def finish(unit: Unit, job_id: str, owner: str, now: int, progress: Mapping[str, int] | None = None) -> bool:
    """Mark a job done; False where it is no longer the caller's."""
    values = (JobState.DONE.value, None, None, None, now, _json(progress or {}))
    return unit.run(_FINISH, (*values, job_id, owner)) > 0


def fail(
    unit: Unit, job_id: str, owner: str, now: int, reason: str, retry_at: int | None, *, final: bool = False
) -> JobState | None:
    """Say that a job failed, for a reason without stored text; its new state, None where it is not the caller's.

    It is queued again for ``retry_at`` while it has attempts left, else it is dead. ``final``: there is nothing to
    try again and nothing to mend (the record is gone), so it ends as failed.
    """
    job = _owned(unit, job_id, owner)
    if job is None:
        return None
    if final:
        return _end(unit, job_id, JobState.FAILED, now, reason)
    if retry_at is None or job.attempts >= job.max_attempts:
        return _end(unit, job_id, JobState.DEAD, now, reason)
    return _requeue(unit, job, job.attempts, retry_at, reason, now)


def release(unit: Unit, job_id: str, owner: str, now: int) -> bool:
    """Give a job back unfinished, as a worker that stops does; the attempt does not count."""
    job = _owned(unit, job_id, owner)
    if job is None:
        return False
    _requeue(unit, job, job.attempts - 1, job.run_after, job.last_error, now)
    return True


def retry(unit: Unit, job_id: str, now: int) -> bool:
    """Queue a dead or failed job anew, with all its attempts; False where there is none."""
    job = get(unit, job_id)
    if job is None or job.state not in (JobState.DEAD, JobState.FAILED):
        return False
    _requeue(unit, job, 0, now, None, now)
    return True


def cancel(unit: Unit, job_id: str, now: int) -> bool:
    """End a queued or running job; its worker notices when it extends its lease or reports progress."""
    job = get(unit, job_id)
    if job is None or job.state not in (JobState.QUEUED, JobState.RUNNING):
        return False
    _end(unit, job_id, JobState.FAILED, now, "cancelled")
    return True


def prune(unit: Unit, finished_before: int) -> int:
    """Delete done and failed jobs that ended before the moment; how many."""
    return unit.run(_PRUNE, (finished_before,))


def delete_of_key(unit: Unit, workspace_id: str, dedupe_key: str) -> int:
    """Delete every job with this key, whatever its state (a forgotten record leaves none); how many."""
    return unit.run(_DELETE_OF_KEY, (workspace_id, dedupe_key))


def get(reader: Reader, job_id: str) -> Job | None:
    """The job, or None."""
    row = reader.one(_GET, (job_id,)) if is_storable(job_id) else None
    return None if row is None else _job(row)


def page(
    reader: Reader,
    workspace_id: str | None = None,
    state: JobState | None = None,
    kind: JobKind | None = None,
    limit: int = 100,
) -> list[Job]:
    """Jobs, newest first; None stands for all."""
    wanted = {"workspace_id": workspace_id, "state": state, "kind": kind}
    chosen = {name: str(value) for name, value in wanted.items() if value is not None}
    return [_job(row) for row in reader.all(_page(tuple(chosen)), (*chosen.values(), limit))]


@lru_cache(maxsize=8)
def _page(columns: tuple[str, ...]) -> Statement:
    conditions: list[ColumnElement[bool]] = [_J[name] == bindparam(name) for name in columns]
    newest_first = select(MEMORY_JOBS).where(*conditions).order_by(_J.created_at.desc(), _J.id.desc())
    return Statement(newest_first.limit(bindparam("at_most")), *columns, "at_most")


def depths(reader: Reader) -> dict[str, Depth]:
    """How much waits, by kind; kinds of which nothing is queued, running or dead are missing."""
    numbers: dict[str, dict[str, int]] = {}
    oldest: dict[str, int] = {}
    for kind, state, number, first in reader.all(_DEPTHS):
        numbers.setdefault(kind, {})[state] = number
        if state == _QUEUED:
            oldest[kind] = first
    return {
        kind: Depth(found.get(_QUEUED, 0), found.get(_RUNNING, 0), found.get(JobState.DEAD.value, 0), oldest.get(kind))
        for kind, found in numbers.items()
    }


def pending(reader: Reader, now: int) -> int:
    """Jobs that run or could run now."""
    row = reader.one(_PENDING, (now,))
    return int(row[0]) if row else 0


def next_run_after(reader: Reader) -> int | None:
    """When the first queued job becomes due; None with an empty queue."""
    row = reader.one(_NEXT_RUN_AFTER)
    return row[0] if row else None


def _owned(unit: Unit, job_id: str, owner: str) -> Job | None:
    job = get(unit, job_id)
    return job if job is not None and job.state is JobState.RUNNING and job.lease_owner == owner else None


def _end(unit: Unit, job_id: str, state: JobState, now: int, reason: str | None) -> JobState:
    unit.run(_END, (state.value, None, None, None, reason, now, job_id))
    return state


def _requeue(unit: Unit, job: Job, attempts: int, run_after: int, reason: str | None, now: int) -> JobState:
    """Back into the queue, unless the same was queued meanwhile: then that one does the work."""
    key = _queued_key(job.kind, job.workspace_id, job.dedupe_key)
    if unit.one(_IS_QUEUED, (key,)) is not None:
        return _end(unit, job.id, JobState.FAILED, now, "the same is queued again")
    unit.run(_REQUEUE, (_QUEUED, key, attempts, run_after, None, None, reason, None, job.id))
    return JobState.QUEUED


def _queued_key(kind: JobKind, workspace_id: str, dedupe_key: str) -> str:
    return json.dumps((kind.value, workspace_id, dedupe_key), ensure_ascii=False)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))


def _job(row: Row) -> Job:
    values = dict(zip(_COLUMNS, row, strict=True))
    del values["queued_key"]
    values["kind"] = JobKind(values["kind"])
    values["state"] = JobState(values["state"])
    values["payload"] = json.loads(values["payload"])
    values["progress"] = json.loads(values["progress"]) if values["progress"] else {}
    return Job(**values)
