"""Audit routes: who did what. A reviewer reads the workspace's rows, everybody else their own."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import CallerOf
from goclaw.gateway.memory_routes import ERRORS
from goclaw.gateway.review_wire import audit_json
from goclaw.gateway.shapes import Request
from goclaw.governance.audit import EventType
from goclaw.recall.cursor import MAX_PAGE

router = APIRouter(prefix="/api/memory", responses=ERRORS, tags=["audit"])


class AuditQuery(Request):
    """Which rows. All filters must fit."""

    memory_id: str | None = None
    request_id: str | None = Field(default=None, description="Of a recall.")
    event_type: EventType | None = None
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
        cursor=query.cursor,
        limit=query.limit,
    )
    return Answer(audit_json(page))
