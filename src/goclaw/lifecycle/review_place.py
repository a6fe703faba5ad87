"""Review place: the namespace a record goes to when a human narrows or widens it (governance.md 3 and 5)."""

from goclaw.lifecycle.review_request import Target
from goclaw.model.errors import Conflict, InvalidInput
from goclaw.model.namespace import ORGANIZATION, Namespace
from goclaw.model.principal import ActorKind, Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.scope import SYSTEM_SCOPES, Scope
from goclaw.model.visibility import Visibility


def narrower_place(principal: Principal, record: MemoryRecord, target: Target) -> Namespace:
    """Where restrict_scope puts the record. Conflict where that is not narrower, InvalidInput where a name is missing.

    Guidelines and settings are workspace-wide by nature; narrowed to a project or channel they become notes.
    """
    if not record.visibility.is_wider_than(target.visibility):
        raise Conflict(
            f"The record is {record.visibility}; {target.visibility} is not narrower.",
            "Restricting only narrows; widening is an action of its own.",
        )
    return _place(principal, record, target)


def wider_place(principal: Principal, record: MemoryRecord, target: Target) -> Namespace:
    """Where widening puts the record. Conflict where that is not wider, InvalidInput where a name is missing."""
    if not target.visibility.is_wider_than(record.visibility):
        raise Conflict(
            f"The record is {record.visibility}; {target.visibility} is not wider.", "Use restrict_scope to narrow it."
        )
    return _place(principal, record, target)


def is_seen_within(inner: Namespace, outer: Namespace) -> bool:
    """Whether everybody who may read ``inner`` may read ``outer`` as well."""
    if inner == outer:
        return True
    if outer.workspace_id not in (inner.workspace_id, ORGANIZATION) or outer.scope is Scope.AGENT_CONFIG:
        return False
    if outer.visibility is Visibility.PROJECT:
        return not inner.owner_user_id and inner.project_id == outer.project_id
    return outer.visibility.is_wider_than(Visibility.PROJECT)


def _place(principal: Principal, record: MemoryRecord, target: Target) -> Namespace:
    here = record.namespace
    if here.scope in SYSTEM_SCOPES:
        raise Conflict(f"Scope {here.scope} is kept by goclaw itself.", "It stays where it is.")
    workspace = ORGANIZATION if target.visibility is Visibility.ORGANIZATION else principal.workspace_id
    if target.visibility is Visibility.PERSONAL:
        return Namespace(workspace, Scope.PERSONAL, owner_user_id=_person_of(record))
    if target.visibility.is_wider_than(Visibility.PROJECT):
        return Namespace(workspace, Scope.AGENT_NOTES if here.scope is Scope.PERSONAL else here.scope)
    project = _project_of(here, target)
    if target.visibility is Visibility.PROJECT:
        return Namespace(workspace, Scope.AGENT_NOTES, project_id=_named(project, "project_id"))
    return Namespace(
        workspace, Scope.AGENT_NOTES, project_id=project, channel_id=_named(target.channel_id, "channel_id")
    )


def _project_of(here: Namespace, target: Target) -> str:
    """The project named, or the one the record is in; a record never changes from one project to another."""
    if here.project_id and target.project_id not in (None, here.project_id):
        raise Conflict("The record belongs to another project.", "It can only move inside its own.")
    return target.project_id or here.project_id


def _named(value: str | None, what: str) -> str:
    if not value:
        raise InvalidInput(f"The visibility needs a {what}.", f"Name the {what}.")
    return value


def _person_of(record: MemoryRecord) -> str:
    """The person for whom it was written: whom its agent acted for, else its human author."""
    if record.on_behalf_of:
        return record.on_behalf_of
    if record.actor_kind is ActorKind.HUMAN:
        return record.actor_id.removeprefix("human:")
    raise InvalidInput("It was written for nobody in particular.", "Restrict it to a project or channel.")
