"""Session jobs: what a conversation leaves to the workers; one job of a kind waits for it at a time."""

from goclaw.model.job import JobKind, NewJob, Priority
from goclaw.model.session import Session

_TRIES = {JobKind.SUMMARIZE_SESSION: 10}  # a stub stands meanwhile, so there is time
_USUAL_TRIES = 3


def job_for(session: Session, kind: JobKind, due: int) -> NewJob:
    """A job about one conversation, from the moment ``due`` on (microseconds since 1970)."""
    return NewJob(
        kind=kind,
        dedupe_key=session.key,
        workspace_id=session.workspace_id,
        payload={"session": session.key},
        priority=Priority.EXTRACT,
        max_attempts=_TRIES.get(kind, _USUAL_TRIES),
        run_after=due,
    )
