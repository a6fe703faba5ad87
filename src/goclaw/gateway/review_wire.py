"""Review wire: the review queue, one record with its history, recall traces and audit rows as JSON."""

from collections.abc import Iterable
from typing import Any

from goclaw.gateway.agent_memory_wire import OWN_FAMILY, managed_memory, warnings_json
from goclaw.lifecycle.inspection import Inspection
from goclaw.lifecycle.queue_entry import QueueEntry
from goclaw.lifecycle.review_queue import QueuePage
from goclaw.model.clock import from_us
from goclaw.recall.audit_reader import AuditPage
from goclaw.recall.trace_report import ReportedItem, TraceReport
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.policies import Policy
from goclaw.storage.reviews import ReviewRow


def queue_json(page: QueuePage, warnings: tuple[str, ...] = ()) -> dict[str, Any]:
    """One page of the review queue."""
    return {
        "memories": [_entry(entry) for entry in page.entries],
        "count": len(page.entries),
        "next_cursor": page.next_cursor,
        "owner": page.owner,
    } | warnings_json(warnings)


def inspection_json(inspection: Inspection) -> dict[str, Any]:
    """One record with everything that hangs on it."""
    memory = managed_memory(inspection.record, inspection.use_policy, inspection.origin)
    memory |= {
        "relations": [{"relation": link.relation, "to": link.to_id} for link in inspection.links],
        "review_actions": [review_json(row) for row in inspection.reviews],
        "conflicts": [{"memory_id": each.id, "content": each.content} for each in inspection.conflicts],
    }
    return {"memory": memory}


def trace_json(report: TraceReport) -> dict[str, Any]:
    """One recall explained."""
    trace = report.trace
    request = dict(trace.request)
    return {
        "schema_version": f"{OWN_FAMILY}.recall_trace.v1",
        "trace": {
            "request_id": trace.id,
            "workspace_id": trace.workspace_id,
            "project_id": request.get("project_id"),
            "task_id": request.get("task_id"),
            "runtime_name": (request.get("runtime") or {}).get("name"),
            "actor_id": trace.actor_id,
            "mode": trace.mode,
            "query": report.query,
            "request_payload": request | {"query": report.query},
            "requires_confirmation": any(
                (item.snapshot.get("use_policy") or {}).get("requires_user_confirmation") for item in report.items
            ),
            "created_at": _us(trace.created_at),
        },
        "items": [_item(item) for item in report.items],
        "writebacks": [
            {"memory_id": each.memory_id, "later_events": events_json(each.later_events)} for each in report.writebacks
        ],
    }


def audit_json(page: AuditPage) -> dict[str, Any]:
    """One page of the audit log."""
    return {"events": events_json(page.events), "next_cursor": page.next_cursor}


def trust_json(policy: Policy) -> dict[str, Any]:
    """One row of trust: a trusted import or a promotion."""
    return {
        "id": policy.id,
        "kind": policy.kind,
        "source": policy.source,
        "project_id": policy.project_id or None,
        "author": policy.author,
        "reason": policy.reason,
        "created_at": _us(policy.created_at),
        "expires_at": _us(policy.expires_at),
        "revoked_at": _us(policy.revoked_at),
    }


def _entry(entry: QueueEntry) -> dict[str, Any]:
    return managed_memory(entry.record, entry.record.use_policy) | {
        "reason": entry.reason,
        "priority": entry.priority,
        "age_days": entry.age_days,
        "conflicts_with": list(entry.conflicts_with),
        "proposals": [review_json(row) for row in entry.proposals],
    }


def review_json(row: ReviewRow) -> dict[str, Any]:
    """A decision or a proposal."""
    return {
        "id": row.id,
        "action": row.action,
        "actor_id": row.actor_id,
        "before": dict(row.before),
        "after": dict(row.after),
        "notes": row.notes,
        "related_memory_id": row.related_id,
        "created_at": _us(row.created_at),
    }


def _item(item: ReportedItem) -> dict[str, Any]:
    return {
        "memory_id": item.memory_id,
        "rank": item.rank,
        "returned": item.rank is not None,
        "used": item.used,
        "ignored_reason": item.ignored_reason,
        "withheld_reason": item.withheld_reason,
        "score": item.snapshot.get("score"),
        "score_parts": item.snapshot.get("score_parts"),
        "text_snapshot": item.snapshot.get("text"),
        "use_policy_snapshot": item.snapshot.get("use_policy"),
        "later_events": events_json(item.later_events),
    }


def events_json(events: Iterable[AuditEvent]) -> list[dict[str, Any]]:
    """Rows of the audit log."""
    return [
        {
            "id": each.id,
            "event_type": each.event_type,
            "memory_id": each.memory_id,
            "trace_id": each.trace_id,
            "actor_kind": each.actor_kind,
            "actor_id": each.actor_id,
            "payload": dict(each.detail),
            "at": _us(each.at),
        }
        for each in events
    ]


def _us(moment: int | None) -> str | None:
    return None if moment is None else from_us(moment).isoformat()
