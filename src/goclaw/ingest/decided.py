"""Decided: whether a human has decided about a record; then only a human's own hand changes or forgets it."""

from goclaw.model.errors import AccessDenied
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.use_policy import effective_review
from goclaw.storage import reviews
from goclaw.storage.database import Database, Reader


def require_undecided(database: Database, principal: Principal, record: MemoryRecord) -> None:
    """Raise AccessDenied where an agent, import or job would undo what a human decided."""
    if principal.is_own_hand:
        return
    with database.read() as reader:
        if not _is_decided(reader, record):
            return
    raise AccessDenied("What a human decided about is changed and forgotten by a human.", "Write a new record instead.")


def _is_decided(reader: Reader, record: MemoryRecord) -> bool:
    """Confirmed, no longer active, or with a decision in its history (proposals are none)."""
    status = effective_review(record.review_status, record.restricted_from)
    if status is ReviewStatus.CONFIRMED or record.lifecycle is not Lifecycle.ACTIVE:
        return True
    return any(not row.action.startswith(reviews.PROPOSED) for row in reviews.of_memory(reader, record.id))
