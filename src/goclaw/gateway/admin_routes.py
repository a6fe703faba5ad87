"""Admin routes: figures, the job queue and the rebuild of the index."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import CallerOf
from goclaw.gateway.memory_routes import ERRORS
from goclaw.gateway.shapes import JobShape, JobsQuery, JobsShape, QueuedShape, ReindexRequest
from goclaw.gateway.wire import job_json

router = APIRouter(prefix="/api/memory", responses=ERRORS, tags=["administration"])


@router.get("/stats", response_model=dict[str, Any], summary="Count memories")
def get_stats(caller: CallerOf) -> Response:
    """Counts of what you may read; for an administrator also vectors, jobs and bytes of the store."""
    return Answer(caller.memory.stats(caller.principal))


@router.post("/reindex", status_code=202, response_model=QueuedShape, summary="Rebuild the index")
def reindex(caller: CallerOf, body: ReindexRequest | None = None) -> Response:
    """Queue a rebuild beside the index in use; it is switched at the end. For administrators."""
    if body is not None:
        caller.must_be(body)
    return Answer({"job_id": caller.memory.jobs.reindex(caller.principal)}, 202)


@router.get("/jobs", response_model=JobsShape, summary="List jobs")
def list_jobs(caller: CallerOf, query: Annotated[JobsQuery, Query()]) -> Response:
    """Jobs, newest first. For administrators."""
    caller.must_be(query)
    jobs = caller.memory.jobs.page(caller.principal, state=query.state, kind=query.kind, limit=query.limit)
    return Answer({"jobs": [job_json(job) for job in jobs]})


@router.get("/jobs/{job_id}", response_model=JobShape, summary="Read a job")
def get_job(caller: CallerOf, job_id: str) -> Response:
    """One job with its progress. For administrators."""
    return Answer(job_json(caller.memory.jobs.get(caller.principal, job_id)))


@router.post("/jobs/{job_id}/retry", response_model=JobShape, summary="Retry a job")
def retry_job(caller: CallerOf, job_id: str) -> Response:
    """Put a dead or failed job back into the queue. For administrators."""
    return Answer(job_json(caller.memory.jobs.retry(caller.principal, job_id)))
