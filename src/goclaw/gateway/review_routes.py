"""Review routes: the queue of what waits for a human, the nine actions, and proposals. The key alone says who acts."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from goclaw.gateway.agent_memory_requests import BodyOf, ProposalCall, QueryOf, QueueQuery, ReviewCall, read_leniently
from goclaw.gateway.agent_memory_routes import PREFIX
from goclaw.gateway.agent_memory_wire import managed_memory, unsafe_json, warnings_json
from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import Caller, CallerOf
from goclaw.gateway.memory_routes import ERRORS
from goclaw.gateway.plain_schema import json_body, query_parameters
from goclaw.gateway.review_wire import queue_json, review_json
from goclaw.memory import Memory
from goclaw.model.errors import UnsafeContent
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord

router = APIRouter(prefix=PREFIX, responses=ERRORS, tags=["review"])


@router.get(
    "/memories/review",
    response_model=dict[str, Any],
    summary="List the review queue",
    openapi_extra=query_parameters(QueueQuery),
)
def list_queue(caller: CallerOf, query: QueryOf) -> Response:
    """What waits for a decision, newest first, with why and for how long."""
    return _queue(caller, query)


@router.post(
    "/memories/review",
    response_model=dict[str, Any],
    summary="List the review queue",
    openapi_extra=json_body(QueueQuery),
)
def list_queue_by_body(caller: CallerOf, body: BodyOf) -> Response:
    """The same list for clients that send their filters as a body."""
    return _queue(caller, body)


@router.patch(
    "/memories/{memory_id}/review",
    response_model=dict[str, Any],
    summary="Review a memory",
    openapi_extra=json_body(ReviewCall),
)
def review(caller: CallerOf, memory_id: str, body: BodyOf) -> Response:
    """Confirm, edit, evidence_only, restrict_scope, mark_stale, merge, reject, dispute or supersede."""
    call, warnings = read_leniently(ReviewCall, body)
    try:
        record = decide(caller.memory, caller.principal, memory_id, call)
    except UnsafeContent as error:
        return Answer(unsafe_json(error), error.status)
    return Answer({"memory": managed_memory(record, record.use_policy)} | warnings_json(warnings))


@router.post(
    "/memories/{memory_id}/proposals",
    response_model=dict[str, Any],
    summary="Propose a decision about a memory",
    openapi_extra=json_body(
        ProposalCall, example={"action": "mark_stale", "notes": "The ferry was sold in May, says the harbour page."}
    ),
)
def propose(caller: CallerOf, memory_id: str, body: BodyOf) -> Response:
    """Say what should be decided; whoever sees the memory may, agents too. It waits in the queue for a human."""
    call, warnings = read_leniently(ProposalCall, body)
    try:
        row = caller.memory.propose(
            caller.principal, memory_id, call.action, call.notes, related_id=call.related_memory_id
        )
    except UnsafeContent as error:
        return Answer(unsafe_json(error), error.status)
    return Answer({"proposal": review_json(row)} | warnings_json(warnings))


def decide(memory: Memory, principal: Principal, memory_id: str, call: ReviewCall) -> MemoryRecord:
    """The record after the decision."""
    return memory.review(
        principal,
        memory_id,
        call.action,
        content=call.content,
        summary=call.summary,
        visibility=call.visibility,
        project_id=call.project_id,
        channel_id=call.channel_id,
        related_id=call.related_memory_id,
        notes=call.notes,
        tags=call.tags,
    )


def _queue(caller: Caller, asked: dict[str, Any]) -> Response:
    query, warnings = read_leniently(QueueQuery, asked)
    caller.identity.check_workspace(caller.principal, query.workspace_id, "workspace_id")
    page = caller.memory.review_queue(
        caller.principal, query.filters, priority=query.priority, cursor=query.cursor, limit=query.limit
    )
    return Answer(queue_json(page, warnings))
