"""Governance routes: after an incident (who met it, undo it), the list of recalls, the checklist."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import ConfigDict, Field
from starlette.responses import Response

from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import CallerOf
from goclaw.gateway.governance_wire import (
    acceptance_json,
    impact_json,
    rollback_json,
    traces_json,
    workflow_json,
)
from goclaw.gateway.memory_routes import ERRORS
from goclaw.gateway.shapes import QueuedShape, Request
from goclaw.recall.cursor import MAX_PAGE

router = APIRouter(prefix="/api/memory", responses=ERRORS, tags=["governance"])


class RollbackRequest(Request):
    """Whose writes to undo. At least one is given; all that are given must fit."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"source": "https://wiki.example/7", "dry_run": True}]})

    source: str | None = Field(default=None, description="uri of a source reference.")
    run: str | None = Field(default=None, description="task_id of the write-backs.")
    by: str | None = Field(default=None, description="An actor as the audit log names it: agent:claw, human:bob.")
    since: datetime | None = Field(default=None, description="From then on; without a zone it is UTC.")
    imported_from: str | None = Field(default=None, description="Name of an import: crm for import:crm.")
    include_confirmed: bool = Field(default=False, description="Also what a human confirmed.")
    dry_run: bool = Field(default=True, description="Only say what would be undone.")


class TracesQuery(Request):
    """Which recalls a list holds."""

    cursor: str | None = Field(default=None, description="next_cursor of the page before.")
    limit: int = Field(default=50, ge=1, le=MAX_PAGE)


class RescanRequest(Request):
    """Nothing needs to be said; the body may be left out."""


class WorkflowQuery(Request):
    """One workflow."""

    runtime_name: str = Field(description="As its requests say it in runtime.name.")
    task_type: str | None = Field(default=None, description="Without one: every task of the runtime.")


class WorkflowRequest(WorkflowQuery):
    """A workflow to be registered."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"runtime_name": "hermes", "task_type": "deploy"}]})

    require_acceptance: bool = Field(default=True, description="Until accepted it may recall and not write back.")


class AcceptanceQuery(Request):
    """The checklist of the system, or of a registered workflow."""

    workflow: str | None = Field(default=None, description="Its runtime.name.")
    task_type: str | None = None


class AcceptRequest(AcceptanceQuery):
    """The workflow that may write back from now on."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"workflow": "hermes"}]})

    workflow: str = Field(description="Its runtime.name.")


@router.post("/rollback", response_model=dict[str, Any], summary="Undo what somebody wrote")
def roll_back(caller: CallerOf, body: RollbackRequest) -> Response:
    """Reject what a source, run, actor or import wrote, and say which recalls and tasks met it. For reviewers."""
    caller.must_be(body)
    report = caller.memory.rollback(
        caller.principal,
        source=body.source,
        run=body.run,
        by=body.by,
        since=body.since,
        imported_from=body.imported_from,
        include_confirmed=body.include_confirmed,
        dry_run=body.dry_run,
    )
    return Answer(rollback_json(report))


@router.get("/traces", response_model=dict[str, Any], summary="List recalls")
def list_traces(caller: CallerOf, query: Annotated[TracesQuery, Query()]) -> Response:
    """Your recalls, newest first; for a reviewer the workspace's."""
    caller.must_be(query)
    return Answer(traces_json(caller.memory.traces(caller.principal, cursor=query.cursor, limit=query.limit)))


@router.get("/records/{memory_id}/impact", response_model=dict[str, Any], summary="How far a memory has reached")
def get_impact(caller: CallerOf, memory_id: str) -> Response:
    """The recalls that met a record, their tasks, and what was made from it, as far as you may see."""
    return Answer(impact_json(caller.memory.impact(caller.principal, memory_id)))


@router.post("/rescan", status_code=202, response_model=QueuedShape, summary="Look again with today's detectors")
def rescan(caller: CallerOf, body: RescanRequest | None = None) -> Response:
    """Queue a look of today's detectors at everything the workspace has stored. For administrators."""
    if body is not None:
        caller.must_be(body)
    return Answer({"job_id": caller.memory.jobs.rescan(caller.principal)}, 202)


@router.get("/acceptance", response_model=dict[str, Any], summary="Go through the checklist")
def get_acceptance(caller: CallerOf, query: Annotated[AcceptanceQuery, Query()]) -> Response:
    """The seed's eight points against the running system, each passed or with the missing step. For reviewers."""
    caller.must_be(query)
    found = caller.memory.acceptance(caller.principal, workflow=query.workflow, task_type=query.task_type)
    return Answer(acceptance_json(found))


@router.post("/acceptance", response_model=dict[str, Any], summary="Accept a workflow")
def accept(caller: CallerOf, body: AcceptRequest) -> Response:
    """Let a registered workflow write back, once it passes all eight points. For administrators."""
    caller.must_be(body)
    found = caller.memory.acceptance(caller.principal, workflow=body.workflow, task_type=body.task_type, accept=True)
    return Answer(acceptance_json(found))


@router.get("/workflows", response_model=dict[str, Any], summary="List workflows")
def list_workflows(caller: CallerOf) -> Response:
    """The registered workflows and whether they may write back. For reviewers."""
    found = caller.memory.workflows.list(caller.principal)
    return Answer({"workflows": [workflow_json(each) for each in found]})


@router.post("/workflows", status_code=201, response_model=dict[str, Any], summary="Register a workflow")
def register_workflow(caller: CallerOf, body: WorkflowRequest) -> Response:
    """Hold a workflow to the checklist. For administrators."""
    caller.must_be(body)
    workflow = caller.memory.workflows.register(
        caller.principal, body.runtime_name, task_type=body.task_type, require_acceptance=body.require_acceptance
    )
    return Answer(workflow_json(workflow), 201)


@router.delete("/workflows", response_model=dict[str, Any], summary="Take a workflow off the list")
def remove_workflow(caller: CallerOf, query: Annotated[WorkflowQuery, Query()]) -> Response:
    """Nothing holds it any more. For administrators."""
    caller.must_be(query)
    caller.memory.workflows.remove(caller.principal, query.runtime_name, task_type=query.task_type)
    return Answer({"runtime_name": query.runtime_name, "task_type": query.task_type, "removed": True})
