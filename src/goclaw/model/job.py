"""A job: work that follows a write and that nobody waits for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any


class JobKind(StrEnum):
    EMBED = "embed"  # give chunks their vectors
    REINDEX = "reindex"  # rebuild all vectors beside the old ones, then switch
    SWEEP = "sweep"  # make permanent what time did to records
    RESCAN = "rescan"  # today's detectors over stored records
    TRIM_SESSION = "session_trim"  # archive and summarise the older turns of a long conversation
    SUMMARIZE_SESSION = "session_summary"  # put a summary in the place of a stub, now that a model answers
    EXTRACT_FACTS = "extract_facts"  # learn what people said in a conversation
    INDEX_FILES = "index_files"  # renew the searchable copies of the agents' files
    UPKEEP = "upkeep"  # drop what nobody needs any more: old backups, finished jobs


class JobState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # ended without effect and will not be tried again; nothing is broken
    DEAD = "dead"  # gave up; listed until somebody retries or drops it


class Priority(IntEnum):
    """Smaller goes first (engine.md 2.6: index > embed > belief_revision > extract > graph > bulk)."""

    INDEX = 10
    EMBED = 20
    BELIEF_REVISION = 30
    EXTRACT = 40
    GRAPH = 50
    BULK = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job to be queued in the same unit as the write that asks for it."""

    kind: JobKind
    dedupe_key: str  # at most one queued job of a kind has it
    workspace_id: str
    payload: Mapping[str, Any] = field(default_factory=dict)  # ids and numbers, never text
    priority: int = Priority.BULK
    max_attempts: int = 5
    run_after: int = 0  # microseconds since 1970


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as the queue knows it. ``attempts`` counts claims, so one that kills its worker is counted too."""

    id: str
    kind: JobKind
    dedupe_key: str
    workspace_id: str
    payload: Mapping[str, Any]
    priority: int
    state: JobState
    attempts: int
    max_attempts: int
    run_after: int
    lease_owner: str | None
    lease_until: int | None
    last_error: str | None  # a reason without stored text
    created_at: int
    started_at: int | None
    finished_at: int | None
    progress: Mapping[str, int] = field(default_factory=dict)  # done, skipped, failed, total
