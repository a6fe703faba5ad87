"""Review rights: who may decide about a record. Review is for humans, by their own hand (governance.md 1)."""

from goclaw.model.errors import AccessDenied
from goclaw.model.namespace import ORGANIZATION
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord


def require_human(principal: Principal) -> None:
    """Raise AccessDenied for agents, imports, jobs and nobody, before anything is looked up."""
    if not principal.is_own_hand:
        raise AccessDenied("Review is for humans.", "An agent may propose an action; a reviewer decides.")


def may_review(principal: Principal, record: MemoryRecord) -> bool:
    """Whether the principal, who sees the record, may decide about it.

    Personal memory: its owner alone, whatever the roles of others. Organization memory: administrators. All else: the
    reviewers of the workspace.
    """
    if not principal.is_own_hand:
        return False
    if record.owner_user_id is not None:
        return record.owner_user_id == principal.person_id
    if record.workspace_id == ORGANIZATION:
        return principal.is_admin
    return record.workspace_id == principal.workspace_id and principal.is_reviewer


def require_reviewer(principal: Principal, record: MemoryRecord) -> None:
    """Raise AccessDenied where :func:`may_review` says no."""
    if not may_review(principal, record):
        raise AccessDenied("You do not review this memory.", "A reviewer of the workspace decides about it.")
