"""Reach: which of the readable namespaces a recall by contract looks into (governance.md 6)."""

from collections.abc import Iterable

from goclaw.model.namespace import Namespace, NamespaceState
from goclaw.model.visibility import Visibility
from goclaw.recall.recall_request import RecallRequest


def within_reach(states: Iterable[NamespaceState], request: RecallRequest) -> list[NamespaceState]:
    """Those of the caller's readable namespaces that the request's level, project and channel name."""
    return [state for state in states if _is_within(state.namespace, request)]


def is_at_home(namespace: Namespace, request: RecallRequest) -> bool:
    """Whether the task stands inside the record's project and channel; elsewhere the record does not instruct."""
    if namespace.project_id and namespace.project_id != request.project_id:
        return False
    return not namespace.channel_id or namespace.channel_id == request.channel.id


def _is_within(namespace: Namespace, request: RecallRequest) -> bool:
    """``scope.visibility`` is the narrowest level looked into; a channel is entered only by its name."""
    level = namespace.visibility
    if request.scope.visibility.is_wider_than(level):
        return False
    if level is Visibility.PERSONAL:
        return True
    if level is Visibility.CHANNEL and namespace.channel_id != request.channel.id:
        return False
    if level is Visibility.CHANNEL and not namespace.project_id:
        return True  # no project's memory, and narrower than any: in the channel that was named it is at home
    if level in (Visibility.CHANNEL, Visibility.PROJECT):
        return not request.scope.project_only or _is_named_project(namespace, request)
    return not request.scope.project_only


def _is_named_project(namespace: Namespace, request: RecallRequest) -> bool:
    return request.project_id is not None and namespace.project_id == request.project_id
