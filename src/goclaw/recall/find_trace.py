"""Find trace: a recall trace by its id, also one that another process has not written down yet."""

import time
import uuid

from goclaw.model.clock import SECOND, Clock
from goclaw.model.errors import NotFound
from goclaw.model.principal import Principal
from goclaw.model.storable import is_storable
from goclaw.storage import recall_traces
from goclaw.storage.database import Database
from goclaw.storage.recall_traces import RecallTrace

PATIENCE_S = 0.5  # a trace is written with the next group or within 200 ms
FRESH = 5 * SECOND
POLL_S = 0.05


def find_trace(database: Database, clock: Clock, workspace_id: str, request_id: str) -> RecallTrace:
    """The trace. Raises NotFound; a fresh id of another gateway is looked for again for half a second."""
    if not is_storable(request_id):
        raise _no_such_recall()
    database.flush_later()
    deadline = time.monotonic() + PATIENCE_S
    while True:
        with database.read() as reader:
            trace = recall_traces.get(reader, workspace_id, request_id)
        if trace is not None:
            return trace
        if not _is_fresh(request_id, clock.now()) or time.monotonic() > deadline:
            raise _no_such_recall()
        time.sleep(POLL_S)


def is_asker(principal: Principal, trace: RecallTrace) -> bool:
    """Whether the principal is the one that asked, for the same person."""
    return trace.actor_id == principal.actor_id and trace.principal.get("user_id") == principal.user_id


def may_see_trace(principal: Principal, trace: RecallTrace) -> bool:
    """Whether a trace is for them: their own, or, for a reviewer, one of no project or of a project of theirs."""
    if is_asker(principal, trace):
        return True
    project_id = trace.request.get("project_id")
    return principal.is_reviewer and (project_id is None or project_id in principal.project_ids)


def _no_such_recall() -> NotFound:
    return NotFound("There is no such recall.", "Or it is not yours to see.")


def _is_fresh(request_id: str, now: int) -> bool:
    """Ids are UUIDv7: their first 48 bits are the millisecond of their birth."""
    try:
        born = (uuid.UUID(request_id).int >> 80) * 1_000
    except ValueError:
        return False
    return abs(now - born) < FRESH
