"""Namespace: the one place a record lives in. Isolation and speed both rest on it.

A namespace is (workspace, scope, owner, project, channel). What a principal may read is a set of namespaces; every read
is given that set, and there is no way to read without one.
"""

from dataclasses import dataclass

from goclaw.model.scope import Scope
from goclaw.model.visibility import Visibility

ORGANIZATION = "*"  # the workspace that every workspace may read


@dataclass(frozen=True, slots=True)
class Namespace:
    """Where a record lives. An empty string means "not bound to one"."""

    workspace_id: str
    scope: Scope
    owner_user_id: str = ""
    project_id: str = ""
    channel_id: str = ""

    @property
    def visibility(self) -> Visibility:
        """How far records of this namespace travel."""
        if self.owner_user_id:
            return Visibility.PERSONAL
        if self.channel_id:
            return Visibility.CHANNEL
        if self.project_id:
            return Visibility.PROJECT
        if self.workspace_id == ORGANIZATION:
            return Visibility.ORGANIZATION
        return Visibility.WORKSPACE


@dataclass(frozen=True, slots=True)
class NamespaceState:
    """A namespace as the database knows it, with the two counters by which readers notice change."""

    id: int  # below 2^31
    namespace: Namespace
    last_slot: int  # number of slots handed out so far; the next row gets this number
    changes: int  # grows with every delete, policy or text change
