"""Access: who may write which scope, and which namespaces a principal may read. One table, one function each way.

The write table is the matrix of engine.md 2.2, row by row; the first seed's table says the same. Admin status is read
from the principal at the moment of writing. A denied write always says what would be allowed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from goclaw.model.namespace import ORGANIZATION, Namespace
from goclaw.model.principal import ADMIN, Principal, RunKind
from goclaw.model.scope import SYSTEM_SCOPES, Scope
from goclaw.model.visibility import Visibility


class WriteWay(StrEnum):
    """By which door a write comes in."""

    MEMORY_WRITE = "memory_write"  # the tool, the API, the command line, Python
    PREFIX = "prefix"  # a chat message that a person began with @notes: or @config:
    EXTRACTION = "extraction"  # facts learned from the speaker's own messages
    SYSTEM = "system"  # goclaw itself: wiki pages, mirrors, schema notes


class ActorClass(StrEnum):
    """The rows of the table. A principal can stand in several; one row that allows is enough."""

    MEMBER = "regular user"
    LISTED = "listed in memory.write_access"
    ADMIN = "administrator"
    JOB = "SOP, cron or webhook run"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class WriteAccess:
    """The setting ``memory.write_access``: who besides administrators may write shared scopes."""

    enabled: bool = True
    roles: tuple[str, ...] = (ADMIN,)
    users: tuple[str, ...] = ()

    def lists(self, principal: Principal) -> bool:
        """Whether the principal, or the person it acts for, is on the list."""
        if not self.enabled or principal.person_id is None:
            return False
        return principal.person_id in self.users or any(role in self.roles for role in principal.roles)


_WRITE = frozenset({WriteWay.MEMORY_WRITE})
_WRITE_AND_PREFIX = frozenset({WriteWay.MEMORY_WRITE, WriteWay.PREFIX})
_LEARN = frozenset({WriteWay.MEMORY_WRITE, WriteWay.EXTRACTION})
_ALL = frozenset({WriteWay.MEMORY_WRITE, WriteWay.PREFIX, WriteWay.EXTRACTION})

# Workspace-wide memory. A missing cell means never.
WRITE_TABLE: dict[ActorClass, dict[Scope, frozenset[WriteWay]]] = {
    ActorClass.MEMBER: {Scope.PERSONAL: _ALL},
    ActorClass.LISTED: {
        Scope.PERSONAL: _ALL,
        Scope.AGENT_NOTES: _WRITE,  # memory_write only, not @notes:
        Scope.GLOBAL: _WRITE,
        Scope.AGENT_CONFIG: _WRITE,
    },
    ActorClass.ADMIN: {
        Scope.PERSONAL: _ALL,
        Scope.AGENT_NOTES: _ALL,
        Scope.AGENT_CONFIG: _WRITE_AND_PREFIX,
        # global: only while memory.write_access is disabled, see _cell
    },
    ActorClass.JOB: {Scope.AGENT_NOTES: _WRITE},
    ActorClass.IMPORT: {Scope.AGENT_NOTES: _WRITE},
}


@dataclass(frozen=True, slots=True)
class Decision:
    """Allowed, or denied with a reason and the way that is open."""

    allowed: bool
    reason: str = ""
    hint: str = ""


ALLOWED = Decision(True)


def may_write(
    principal: Principal,
    namespace: Namespace,
    way: WriteWay,
    write_access: WriteAccess,
    managed: "ManagedChannels | None" = None,
) -> Decision:
    """Whether the principal may write into the namespace through this door."""
    if way is WriteWay.SYSTEM:
        return ALLOWED
    if not principal.is_identified:
        return Decision(False, "Nobody is known to be writing.", "Identify the person or use a key.")
    if namespace.scope in SYSTEM_SCOPES:
        return Decision(False, f"Scope {namespace.scope} is written by goclaw itself.", "Write to personal instead.")
    if namespace.workspace_id != principal.workspace_id and namespace.workspace_id != ORGANIZATION:
        return Decision(False, "That is another workspace.", "A principal writes in its own workspace.")
    if namespace.scope is Scope.PERSONAL:
        return _may_write_personal(principal, namespace)
    if namespace.visibility in (Visibility.PROJECT, Visibility.CHANNEL):
        return _may_write_shared_place(principal, namespace, managed or NO_MANAGED_CHANNELS)
    return _may_write_workspace(principal, namespace, way, write_access)


def _may_write_personal(principal: Principal, namespace: Namespace) -> Decision:
    if principal.person_id is None:
        return Decision(
            False,
            "Autonomous runs and imports never touch personal memory.",
            "Write to agent_notes instead.",
        )
    if principal.person_id != namespace.owner_user_id:
        return Decision(False, "Personal memory is written by its own person.", "Write to your own personal scope.")
    return ALLOWED


def _may_write_shared_place(principal: Principal, namespace: Namespace, managed: "ManagedChannels") -> Decision:
    """Project and channel memory: members, their agents, and jobs and imports of the project or the workspace."""
    if principal.is_bound_to_workspace:
        return ALLOWED
    if not is_inside(principal, namespace, managed):
        return Decision(False, "You are not a member there.", "Write to personal, or to a project you belong to.")
    return ALLOWED


def _may_write_workspace(
    principal: Principal, namespace: Namespace, way: WriteWay, write_access: WriteAccess
) -> Decision:
    if namespace.visibility is Visibility.ORGANIZATION:
        if principal.is_own_hand and principal.is_admin:
            return ALLOWED
        return Decision(False, "Organization memory is written by an administrator's own hand.", _widest(principal))
    if principal.run_kind is RunKind.AGENT and (namespace.scope is Scope.AGENT_CONFIG or way is WriteWay.PREFIX):
        return Decision(False, "An agent never writes agent_config nor by a chat prefix.", "Ask its person to do it.")
    if principal.is_reviewer and namespace.scope is Scope.AGENT_NOTES and way is WriteWay.MEMORY_WRITE:
        return ALLOWED  # reviewers by own hand (governance.md 3)
    for row in actor_classes(principal, write_access):
        if way in _cell(row, namespace.scope, write_access):
            return ALLOWED
    return _refusal(principal, namespace.scope, way, write_access)


def actor_classes(principal: Principal, write_access: WriteAccess) -> tuple[ActorClass, ...]:
    """The rows of the table the principal stands in."""
    if principal.is_job:
        return (ActorClass.JOB,)
    if principal.run_kind is RunKind.IMPORT:
        return (ActorClass.IMPORT,)
    rows = [ActorClass.MEMBER]
    if write_access.lists(principal):
        rows.append(ActorClass.LISTED)
    if principal.is_admin:
        rows.append(ActorClass.ADMIN)
    return tuple(rows)


def _cell(row: ActorClass, scope: Scope, write_access: WriteAccess) -> frozenset[WriteWay]:
    if row is ActorClass.ADMIN and scope is Scope.GLOBAL and not write_access.enabled:
        return _WRITE
    return WRITE_TABLE[row].get(scope, frozenset())


def _refusal(principal: Principal, scope: Scope, way: WriteWay, write_access: WriteAccess) -> Decision:
    if principal.is_job or principal.run_kind is RunKind.IMPORT:
        return Decision(
            False,
            f"Autonomous runs and imports never write {scope}: they work on outside input.",
            "Write to agent_notes instead.",
        )
    if way is WriteWay.PREFIX:
        return Decision(
            False, "Only administrators use @notes: and @config:.", "Use memory_write, or write to personal instead."
        )
    if scope is Scope.GLOBAL and principal.is_admin:
        return Decision(
            False,
            "global is written by the roles and users listed under memory.write_access while it is enabled.",
            "Add the role admin to memory.write_access.roles, or write to agent_notes.",
        )
    needs = "a role or user listed under memory.write_access"
    if scope is not Scope.GLOBAL or not write_access.enabled:
        needs = f"an administrator or {needs}" if write_access.enabled else "an administrator"
    return Decision(False, f"Writing {scope} needs {needs}.", "Write to personal instead.")


def _widest(principal: Principal) -> str:
    if principal.project_ids:
        return "The widest you may use is project."
    return "The widest you may use is personal." if principal.person_id else "Name a project you belong to."


class Reading(StrEnum):
    """What the reading is for: not every scope answers every purpose, even to those who may know it."""

    RECALL = "recall"  # may go into a prompt by itself: pages and schema notes never do
    SEARCH = "search"  # asked for by somebody
    MANAGE = "manage"  # by id, lists, updates: also agent_config for those who may write it
    INJECT = "inject"  # the context of a run: agent_config as well


@dataclass(frozen=True, slots=True)
class ManagedChannels:
    """Channels with a member list of their own; any other is open to the members of its project."""

    ids: frozenset[str] = field(default_factory=frozenset)


NO_MANAGED_CHANNELS = ManagedChannels()


def is_inside(principal: Principal, namespace: Namespace, managed: ManagedChannels = NO_MANAGED_CHANNELS) -> bool:
    """Whether the principal stands inside the namespace's project and channel."""
    if namespace.channel_id and namespace.channel_id not in principal.channel_ids:
        if namespace.channel_id in managed.ids or not namespace.project_id:
            return False
        return namespace.project_id in principal.project_ids
    return not namespace.project_id or namespace.project_id in principal.project_ids


def may_read(
    principal: Principal,
    namespace: Namespace,
    write_access: WriteAccess,
    reading: Reading = Reading.SEARCH,
    managed: ManagedChannels = NO_MANAGED_CHANNELS,
) -> bool:
    """Whether the principal may read the namespace at all (policy and review come after)."""
    if not principal.is_identified:
        return False
    if namespace.workspace_id not in (principal.workspace_id, ORGANIZATION):
        return False
    if namespace.owner_user_id:
        return principal.person_id == namespace.owner_user_id
    if not is_inside(principal, namespace, managed):
        return False
    if namespace.scope in SYSTEM_SCOPES:
        return reading in (Reading.SEARCH, Reading.MANAGE)
    if namespace.scope is Scope.AGENT_CONFIG:
        if reading is Reading.INJECT:
            return True
        may = may_write(principal, namespace, WriteWay.MEMORY_WRITE, write_access)
        return reading is Reading.MANAGE and may.allowed
    return True


def readable(
    principal: Principal,
    namespaces: Iterable[Namespace],
    write_access: WriteAccess,
    reading: Reading = Reading.SEARCH,
    managed: ManagedChannels = NO_MANAGED_CHANNELS,
) -> tuple[Namespace, ...]:
    """Those of ``namespaces`` the principal may read."""
    return tuple(each for each in namespaces if may_read(principal, each, write_access, reading, managed))
