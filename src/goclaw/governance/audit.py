"""Audit: who did what, one row per action, written in the action's own transaction. Rows hold ids, never text."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from goclaw.model.principal import Principal, RunKind
from goclaw.model.record import MemoryRecord
from goclaw.storage.audit_log import AuditEvent

ON_BEHALF_OF = "on_behalf_of"  # detail of an agent's row: the person it acted for


class EventType(StrEnum):
    """The actions that leave a row (governance.md 7)."""

    RECALL_REQUESTED = "recall_requested"
    MEMORY_RETURNED = "memory_returned"
    MEMORY_USED = "memory_used"
    MEMORY_IGNORED = "memory_ignored"
    MEMORY_WRITTEN = "memory_written"
    MEMORY_REFUSED = "memory_refused"
    MEMORY_CONFIRMED = "memory_confirmed"
    MEMORY_EDITED = "memory_edited"
    MEMORY_EVIDENCE_ONLY = "memory_evidence_only"
    MEMORY_RESTRICTED = "memory_restricted"
    MEMORY_STALE = "memory_stale"
    MEMORY_MERGED = "memory_merged"
    MEMORY_REJECTED = "memory_rejected"
    MEMORY_DISPUTED = "memory_disputed"
    MEMORY_SUPERSEDED = "memory_superseded"
    MEMORY_UNDONE = "memory_undone"
    MEMORY_FORGOTTEN = "memory_forgotten"
    MEMORY_EXPIRED = "memory_expired"
    POLICY_CHANGED = "policy_changed"
    ACCESS_CHANGED = "access_changed"
    EXPORTED = "exported"
    IMPORTED = "imported"


def event(
    principal: Principal,
    event_type: EventType,
    at: int,
    *,
    record: MemoryRecord | None = None,
    memory_id: str | None = None,
    trace_id: str | None = None,
    namespace_id: int | None = None,
    detail: Mapping[str, Any] | None = None,
) -> AuditEvent:
    """The row for what ``principal`` did at ``at`` (microseconds); ``detail`` holds words and numbers, no content.

    ``namespace_id`` says where the record lived, for readers of the log after it was forgotten. Agents of many people
    may share a name, so their rows say whom they acted for.
    """
    for_whom = {ON_BEHALF_OF: principal.person_id} if principal.run_kind is RunKind.AGENT else {}
    return AuditEvent(
        event_type=event_type,
        workspace_id=record.workspace_id if record else principal.workspace_id,
        actor_kind=principal.actor_kind,
        actor_id=principal.actor_id,
        memory_id=record.id if record else memory_id,
        trace_id=trace_id,
        namespace_id=namespace_id,
        detail={**(detail or {}), **for_whom},
        at=at,
    )


def is_deed_of(principal: Principal, done: AuditEvent) -> bool:
    """Whether the principal did it: an agent, only what it did for the same person."""
    is_for_same = principal.run_kind is not RunKind.AGENT or done.detail.get(ON_BEHALF_OF) == principal.person_id
    return done.actor_id == principal.actor_id and is_for_same
