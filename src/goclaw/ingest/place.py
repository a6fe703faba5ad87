"""Place: the namespace a draft goes to. The narrowest useful one, unless a wider one is asked for and allowed."""

from goclaw.model.errors import InvalidInput
from goclaw.model.namespace import ORGANIZATION, Namespace
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryDraft
from goclaw.model.scope import Scope
from goclaw.model.visibility import Visibility

# Guidelines and settings are the workspace's or nobody's (the first seed knows no project for them).
WORKSPACE_WIDE_SCOPES = frozenset({Scope.GLOBAL, Scope.AGENT_CONFIG})


def place_of(principal: Principal, draft: MemoryDraft) -> Namespace:
    """Where the draft belongs. Whether the principal may write there is decided by ``model/access.py``.

    Personal memory belongs to a person, not to a project: ``project_id`` and ``channel_id`` do not move it.
    """
    if draft.scope is Scope.PERSONAL:
        if draft.visibility not in (None, Visibility.PERSONAL):
            raise InvalidInput(
                "Personal memory is seen by its person only.", f"For {draft.visibility} visibility use agent_notes."
            )
        return Namespace(principal.workspace_id, Scope.PERSONAL, owner_user_id=principal.person_id or "nobody")
    visibility = draft.visibility or _narrowest(draft)
    if visibility is Visibility.PERSONAL:
        raise InvalidInput(f"{draft.scope} is not personal memory.", "Use scope personal.")
    if draft.scope in WORKSPACE_WIDE_SCOPES and visibility in (Visibility.PROJECT, Visibility.CHANNEL):
        raise InvalidInput(f"{draft.scope} holds for the whole workspace.", "Use agent_notes for a project or channel.")
    return _shared_place(principal, draft, visibility)


def _narrowest(draft: MemoryDraft) -> Visibility:
    if draft.channel_id:
        return Visibility.CHANNEL
    return Visibility.PROJECT if draft.project_id else Visibility.WORKSPACE


def _shared_place(principal: Principal, draft: MemoryDraft, visibility: Visibility) -> Namespace:
    workspace = ORGANIZATION if visibility is Visibility.ORGANIZATION else principal.workspace_id
    project = channel = ""
    if visibility is Visibility.CHANNEL:
        channel, project = _named(draft.channel_id, "channel_id"), draft.project_id or ""
    elif visibility is Visibility.PROJECT:
        project = _named(draft.project_id, "project_id")
    return Namespace(workspace, draft.scope, project_id=project, channel_id=channel)


def _named(value: str | None, what: str) -> str:
    if value is None:
        raise InvalidInput(f"The visibility needs a {what}.", f"Name the {what}, or leave visibility out.")
    return value
