"""Write-back place: the narrowest useful namespace, or a wider one that is asked for and allowed (governance.md 3)."""

from goclaw.ingest.write import Writer
from goclaw.ingest.write_back_request import WriteBackRequest
from goclaw.model.access import WriteWay
from goclaw.model.errors import AccessDenied, InvalidInput
from goclaw.model.namespace import ORGANIZATION, Namespace
from goclaw.model.principal import Principal
from goclaw.model.scope import Scope
from goclaw.model.visibility import Visibility


def draft_place(writer: Writer, principal: Principal, shape: WriteBackRequest) -> Namespace:
    """Where the entries go. Raises AccessDenied with the widest level that is open; nothing is narrowed in silence."""
    visibility = shape.wanted_visibility or _narrowest(principal, shape)
    namespace = _namespace(principal, shape, visibility)
    decision = writer.decide(principal, namespace, WriteWay.MEMORY_WRITE)
    if not decision.allowed:
        writer.audit_refusal(principal, {"why": "access_denied", "visibility": visibility})
        raise AccessDenied(decision.reason, _open_instead(writer, principal, shape) or decision.hint)
    return namespace


def may_travel(namespace: Namespace, project_id: str | None, channel_id: str | None) -> None:
    """Raise AccessDenied where what follows a private recall would leave the channel or project it was asked in."""
    if namespace.visibility is Visibility.PERSONAL:
        return
    stays = namespace.channel_id == channel_id if channel_id else bool(project_id)
    if not stays or namespace.project_id != (project_id or ""):
        raise AccessDenied(
            "This follows a recall with private data.", "It may be no wider than the channel or project it came from."
        )


def _narrowest(principal: Principal, shape: WriteBackRequest) -> Visibility:
    """The project when one is known, else the person the agent acts for; a job without either has no place."""
    if shape.project_id is not None:
        return Visibility.PROJECT
    if principal.person_id is None:
        raise InvalidInput("A run that acts for nobody writes to a project.", "Name project_id.")
    return Visibility.PERSONAL


def _namespace(principal: Principal, shape: WriteBackRequest, visibility: Visibility) -> Namespace:
    workspace = principal.workspace_id
    if visibility is Visibility.PERSONAL:
        return Namespace(workspace, Scope.PERSONAL, owner_user_id=principal.person_id or "nobody")
    if visibility is Visibility.CHANNEL:
        if not shape.channel.id:
            raise InvalidInput("Channel visibility needs a channel.", "Name channel.id.")
        return Namespace(workspace, Scope.AGENT_NOTES, project_id=shape.project_id or "", channel_id=shape.channel.id)
    if visibility is Visibility.PROJECT:
        if shape.project_id is None:
            raise InvalidInput("Project visibility needs a project.", "Name project_id.")
        return Namespace(workspace, Scope.AGENT_NOTES, project_id=shape.project_id)
    return Namespace(ORGANIZATION if visibility is Visibility.ORGANIZATION else workspace, Scope.AGENT_NOTES)


def _open_instead(writer: Writer, principal: Principal, shape: WriteBackRequest) -> str:
    """The widest level this writer may use, in words; empty where none is open."""
    for visibility in (Visibility.WORKSPACE, Visibility.PROJECT, Visibility.PERSONAL):
        if visibility is Visibility.PROJECT and shape.project_id is None:
            continue
        if visibility is Visibility.PERSONAL and principal.person_id is None:
            continue
        namespace = _namespace(principal, shape, visibility)
        if writer.decide(principal, namespace, WriteWay.MEMORY_WRITE).allowed:
            return f"The widest you may use is {visibility}."
    return ""
