"""Governance wire: rollbacks, reach, lists of recalls, the checklist, workflows and the audit chain as JSON."""

from typing import Any

from goclaw.gateway.wire import record_json
from goclaw.governance.audit_chain import Verification
from goclaw.lifecycle.acceptance import AcceptanceReport
from goclaw.lifecycle.rollback import Outcome, RollbackReport
from goclaw.model.clock import from_us
from goclaw.recall.impact import Impact
from goclaw.recall.trace_list import TracePage
from goclaw.storage.workflows import Workflow


def rollback_json(report: RollbackReport) -> dict[str, Any]:
    """What a rollback did, or would do."""
    return {
        "dry_run": report.is_dry_run,
        "counts": {str(outcome): report.count(outcome) for outcome in Outcome},
        "records": [
            {"outcome": step.outcome, "why": step.why, "record": record_json(step.record)} for step in report.steps
        ],
        "recalls": list(report.request_ids),
        "tasks": list(report.task_ids),
        "written_after": list(report.written_after),
        "derived": list(report.derived),
    }


def impact_json(impact: Impact) -> dict[str, Any]:
    """How far one memory has reached."""
    return {
        "memory_id": impact.memory_id,
        "recalls": [
            {
                "request_id": met.request_id,
                "at": met.at.isoformat(),
                "mode": met.mode,
                "asked_by": met.asked_by,
                "task_id": met.task_id,
                "rank": met.rank,
                "withheld_reason": met.withheld_why,
                "used": met.used,
            }
            for met in impact.recalls
        ],
        "tasks": [
            {"task_id": task.task_id, "recalls": list(task.request_ids), "written_back": list(task.written_back)}
            for task in impact.tasks
        ],
        "derived": [{"memory_id": each.memory_id, "relation": each.relation, "of": each.of} for each in impact.derived],
        "complete": impact.is_complete,
    }


def traces_json(page: TracePage) -> dict[str, Any]:
    """One page of recalls."""
    return {
        "traces": [
            {
                "request_id": each.request_id,
                "at": each.at.isoformat(),
                "mode": each.mode,
                "asked_by": each.asked_by,
                "query": each.query,
                "task_id": each.task_id,
                "runtime_name": each.runtime_name,
                "returned": each.returned,
                "withheld": each.withheld,
            }
            for each in page.traces
        ],
        "next_cursor": page.next_cursor,
    }


def acceptance_json(report: AcceptanceReport) -> dict[str, Any]:
    """The eight points."""
    return {
        "passed": report.passed,
        "workflow": None if report.workflow is None else workflow_json(report.workflow),
        "points": [
            {"number": point.number, "title": point.title, "passed": point.passed, "missing": point.missing}
            for point in report.points
        ],
    }


def workflow_json(workflow: Workflow) -> dict[str, Any]:
    """One registered workflow."""
    return {
        "runtime_name": workflow.runtime_name,
        "task_type": workflow.task_type or None,
        "require_acceptance": workflow.require_acceptance,
        "may_write_back": not workflow.is_held,
        "registered_by": workflow.registered_by,
        "created_at": from_us(workflow.created_at).isoformat(),
        "accepted_by": workflow.accepted_by,
        "accepted_at": None if workflow.accepted_at is None else from_us(workflow.accepted_at).isoformat(),
    }


def verification_json(found: Verification) -> dict[str, Any]:
    """What verifying the audit log found."""
    return {
        "ok": found.problem is None,
        "workspace_id": found.workspace_id,
        "sealed": found.sealed,
        "unsealed": found.unsealed,
        "problem": found.problem,
        "broken_at": found.broken_at,
        "broken_event_id": found.broken_event_id,
    }
