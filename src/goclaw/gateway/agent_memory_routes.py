"""Agent-memory routes: the published contract for agents: recall, write-back, usage, lists and traces.

Bodies are read by the services, which report unknown keys instead of refusing them: published clients send some.
"""

from importlib.metadata import version
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from goclaw.gateway.agent_memory_requests import BodyOf, ListQuery, QueryOf, UsageReport, read_leniently
from goclaw.gateway.agent_memory_wire import memories_json, recall_json, unsafe_json, warnings_json, written_json
from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import Caller, CallerOf
from goclaw.gateway.memory_routes import ERRORS
from goclaw.gateway.plain_schema import json_body, query_parameters
from goclaw.gateway.review_wire import inspection_json, trace_json
from goclaw.ingest.write_back_request import WriteBackRequest
from goclaw.model.errors import UnsafeContent
from goclaw.recall.recall_request import RecallRequest

PREFIX = "/api/agent-memory"
SERVICE = "goclaw"

router = APIRouter(prefix=PREFIX, responses=ERRORS, tags=["agent memory"])


@router.get("/health", response_model=dict[str, Any], summary="Is it there, and is the key good?")
async def health(caller: CallerOf) -> Response:
    """Answers as long as the key opens something."""
    return Answer({"ok": True, "service": SERVICE, "version": version("goclaw")})


@router.post("/recall", response_model=dict[str, Any], summary="Recall", openapi_extra=json_body(RecallRequest))
def recall(caller: CallerOf, body: BodyOf) -> Response:
    """What an agent should know for its task, with a trace of it."""
    _check_workspace(caller, body)
    return Answer(recall_json(caller.memory.recall_for_task(caller.principal, body)))


@router.post(
    "/writeback", response_model=dict[str, Any], summary="Write back", openapi_extra=json_body(WriteBackRequest)
)
def write_back(caller: CallerOf, body: BodyOf) -> Response:
    """What an agent learned in its task: a record for each entry, all or none."""
    _check_workspace(caller, body)
    try:
        return Answer(written_json(caller.memory.write_back(caller.principal, body), body))
    except UnsafeContent as error:
        return Answer(unsafe_json(error), error.status)


@router.post(
    "/recall/{request_id}/usage",
    response_model=dict[str, Any],
    summary="Report usage",
    openapi_extra=json_body(UsageReport),
)
def report_usage(caller: CallerOf, request_id: str, body: BodyOf) -> Response:
    """Which of the returned memories were used, and which were not and why. All of the report is booked or nothing."""
    report, warnings = read_leniently(UsageReport, body)
    counts = caller.memory.report_usage(caller.principal, request_id, report.used_memory_ids, report.reasons)
    booked = {"ok": True, "used": counts.used, "ignored": counts.ignored}
    return Answer(booked | warnings_json((*warnings, *report.warnings)))


@router.get(
    "/memories", response_model=dict[str, Any], summary="List memories", openapi_extra=query_parameters(ListQuery)
)
def list_memories(caller: CallerOf, query: QueryOf) -> Response:
    """Records you may see, newest first."""
    return _list(caller, query)


@router.post(
    "/memories/list", response_model=dict[str, Any], summary="List memories", openapi_extra=json_body(ListQuery)
)
def list_memories_by_body(caller: CallerOf, body: BodyOf) -> Response:
    """The same list for clients that send their filters as a body."""
    return _list(caller, body)


@router.get("/memories/{memory_id}", response_model=dict[str, Any], summary="Inspect a memory")
def inspect(caller: CallerOf, memory_id: str) -> Response:
    """One record with its sources, relations and reviews."""
    return Answer(inspection_json(caller.memory.inspect(caller.principal, memory_id)))


@router.get("/recall-traces/{request_id}", response_model=dict[str, Any], summary="Read a recall trace")
def get_trace(caller: CallerOf, request_id: str) -> Response:
    """What a recall asked, returned, withheld; what was used; what became of it. For who asked, and for reviewers."""
    return Answer(trace_json(caller.memory.trace(caller.principal, request_id)))


def _list(caller: Caller, asked: dict[str, Any]) -> Response:
    query, warnings = read_leniently(ListQuery, asked)
    caller.identity.check_workspace(caller.principal, query.workspace_id, "workspace_id")
    page = caller.memory.list(caller.principal, query.filters, cursor=query.cursor, limit=query.limit)
    return Answer(memories_json(page.records, page.next_cursor, warnings))


def _check_workspace(caller: Caller, body: dict[str, Any]) -> None:
    """A workspace that is not the key's is refused here, since that leaves a row; any other fault the service names."""
    workspace = body.get("workspace_id")
    if isinstance(workspace, str) and workspace:
        caller.identity.check_workspace(caller.principal, workspace, "workspace_id")
