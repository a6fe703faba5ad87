"""Audit routes: who did what. A reviewer reads the workspace's rows, everybody else their own."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import ConfigDict, Field
from starlette.responses import Response

from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import CallerOf
from goclaw.gateway.governance_wire import verification_json
from goclaw.gateway.memory_routes import ERRORS
from goclaw.gateway.review_wire import audit_json, events_json
from goclaw.gateway.shapes import Request
from goclaw.governance.audit import EventType
from goclaw.recall.cursor import MAX_PAGE

router = APIRouter(prefix="/api/memory", responses=ERRORS, tags=["audit"])


class LogQuery(Request):
    """Which log."""

    organization: bool = Field(default=False, description="That of organization memory; for administrators.")


class AuditExport(LogQuery):
    """Which rows. All filters must fit."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"event_type": "memory_rejected"}]})

    memory_id: str | None = None
    request_id: str | None = Field(default=None, description="Of a recall.")
    event_type: EventType | None = None


class AuditQuery(AuditExport):
    """One page of them."""

    cursor: str | None = Field(default=None, description="next_cursor of the page before.")
    limit: int = Field(default=50, ge=1, le=MAX_PAGE)


@router.get("/audit", response_model=dict[str, Any], summary="Read the audit log")
def read_audit(caller: CallerOf, query: Annotated[AuditQuery, Query()]) -> Response:
    """Rows about what you may read, newest first. They hold ids, never text."""
    caller.must_be(query)
    page = caller.memory.audit(
        caller.principal,
        memory_id=query.memory_id,
        request_id=query.request_id,
        event_type=query.event_type,
        organization=query.organization,
        cursor=query.cursor,
        limit=query.limit,
    )
    return Answer(audit_json(page))


@router.post("/audit/export", response_model=dict[str, Any], summary="Export the audit log")
def export_audit(caller: CallerOf, body: AuditExport) -> Response:
    """All rows you may read, newest first. The log then says who took how many."""
    caller.must_be(body)
    events = caller.memory.export_audit(
        caller.principal,
        memory_id=body.memory_id,
        request_id=body.request_id,
        event_type=body.event_type,
        organization=body.organization,
    )
    return Answer({"events": events_json(events)})


@router.get("/audit/verify", response_model=dict[str, Any], summary="Verify the audit log")
def verify_audit(caller: CallerOf, query: Annotated[LogQuery, Query()]) -> Response:
    """Whether every sealed row is as it was written; the first one that is not is named. For reviewers."""
    caller.must_be(query)
    return Answer(verification_json(caller.memory.verify_audit(caller.principal, organization=query.organization)))
