"""Trace: what was asked, what was returned and what was withheld, so that an answer can be explained afterwards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from goclaw.governance.audit import EventType, event
from goclaw.governance.secret_scan import redact
from goclaw.model.hit import Found
from goclaw.model.principal import Principal
from goclaw.model.use_policy import UsePolicy
from goclaw.recall.ask import Ask
from goclaw.storage import audit_log, recall_traces
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.database import Unit
from goclaw.storage.recall_traces import RecallTrace


def trace_of(trace_id: str, principal: Principal, ask: Ask, found: Found, now: int) -> RecallTrace:
    """The row to keep. Texts are snapshots of what the asker saw; they are blanked when a record is forgotten.

    A secret in the question is searched with and not kept: its kind stands in its place.
    """
    return RecallTrace(
        id=trace_id,
        workspace_id=principal.workspace_id,
        actor_id=principal.actor_id,
        principal={
            "user_id": principal.user_id,
            "run_kind": principal.run_kind,
            "agent_id": principal.agent_id,
            "roles": list(principal.roles),
            "project_ids": list(principal.project_ids),
            "channel_ids": list(principal.channel_ids),
        },
        mode=ask.mode,
        query=redact(ask.text),
        request={
            "limit": ask.limit,
            "include_unconfirmed": ask.include_unconfirmed,
            "include_stale": ask.include_stale,
            "include_history": ask.include_history,
        },
        returned=[
            {
                "memory_id": hit.record.id,
                "rank": rank,
                "score": round(hit.score, 6),
                "score_parts": dict(hit.score_parts),  # a copy: it is written when the caller has it already
                "text": hit.chunk_text,
                "version": hit.record.version,
                "use_policy": _flags(hit.use_policy),
            }
            for rank, hit in enumerate(found.hits, start=1)
        ],
        withheld=[{"memory_id": each.memory_id, "why": each.why} for each in found.withheld],
        created_at=now,
    )


def write_traces(unit: Unit, asked: Sequence[tuple[Principal, RecallTrace]]) -> None:
    """Store traces, each with its audit rows: one for the question, one for each memory it was answered with."""
    recall_traces.insert_many(unit, [trace for _, trace in asked])
    audit_log.append_for_each(unit, [row for principal, trace in asked for row in _events(principal, trace)])


def _events(principal: Principal, trace: RecallTrace) -> Iterator[tuple[AuditEvent, Sequence[str]]]:
    yield event(principal, EventType.RECALL_REQUESTED, trace.created_at, trace_id=trace.id), ()
    if trace.returned:
        returned = event(principal, EventType.MEMORY_RETURNED, trace.created_at, trace_id=trace.id)
        yield returned, [hit["memory_id"] for hit in trace.returned]


@cache
def _flags(policy: UsePolicy) -> Mapping[str, bool]:
    """The policy's flags by name; there are few policies, and many traces that hold them."""
    return asdict(policy)


def without_secrets(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request as it may be kept: in every text of it, at any depth, the kind of a secret in place of the secret."""
    return {redact(name): _kept(value) for name, value in request.items()}


def _kept(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return without_secrets(value)
    return [_kept(each) for each in value] if isinstance(value, list) else value
