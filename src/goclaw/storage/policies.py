"""Policies: which sources a human trusts to import or has promoted, for which project, until when."""

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import bindparam, or_, select, update

from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import POLICIES
from goclaw.storage.statement import Statement


class PolicyKind(StrEnum):
    TRUSTED_IMPORT = "trusted_import"
    PROMOTION = "promotion"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One row of trust."""

    id: str
    workspace_id: str
    kind: PolicyKind
    project_id: str  # '' for workspace-wide memory
    source: str  # an actor id such as import:crm
    author: str  # who made it
    reason: str
    created_at: int
    expires_at: int | None
    revoked_at: int | None


_P = POLICIES.c
_INSERT = Statement(POLICIES.insert())
_IN_FORCE = Statement(
    select(POLICIES)
    .where(
        _P.workspace_id == bindparam("workspace"),
        _P.source == bindparam("who"),
        _P.project_id == bindparam("project"),
        _P.kind == bindparam("which"),
        _P.revoked_at.is_(None),
        or_(_P.expires_at.is_(None), _P.expires_at > bindparam("moment")),
    )
    .order_by(_P.created_at)
    .limit(1),
    *("workspace", "project", "who", "which", "moment"),
)
_ALL = Statement(
    select(POLICIES).where(_P.workspace_id == bindparam("workspace")).order_by(_P.created_at.desc(), _P.id.desc())
)
_REVOKE = Statement(
    update(POLICIES)
    .where(_P.id == bindparam("which"), _P.workspace_id == bindparam("workspace"), _P.revoked_at.is_(None))
    .values(revoked_at=bindparam("moment")),
    *("moment", "which", "workspace"),
)


def add(unit: Unit, policy: Policy) -> None:
    """Keep a policy."""
    row = (
        policy.id,
        policy.workspace_id,
        policy.kind.value,
        policy.project_id,
        policy.source,
        policy.author,
        policy.reason,
        policy.created_at,
        policy.expires_at,
        policy.revoked_at,
    )
    unit.run(_INSERT, row)


def revoke(unit: Unit, workspace_id: str, policy_id: str, now: int) -> bool:
    """End a policy; False where there is none to end."""
    return unit.run(_REVOKE, (now, policy_id, workspace_id)) > 0


def in_force(
    reader: Reader, workspace_id: str, project_id: str, source: str, kind: PolicyKind, now: int
) -> Policy | None:
    """The policy that trusts a source now. One for a project holds there only, one for '' workspace-wide only."""
    row = reader.one(_IN_FORCE, (workspace_id, project_id, source, kind.value, now))
    return None if row is None else _policy(row)


def page(reader: Reader, workspace_id: str, *, now: int | None = None) -> list[Policy]:
    """The policies of a workspace, newest first; with ``now`` only those in force then."""
    found = [_policy(row) for row in reader.all(_ALL, (workspace_id,))]
    if now is None:
        return found
    return [each for each in found if each.revoked_at is None and (each.expires_at is None or each.expires_at > now)]


def _policy(row: Row) -> Policy:
    policy_id, workspace_id, kind, project_id, source, author, reason, created_at, expires_at, revoked_at = row
    return Policy(
        id=policy_id,
        workspace_id=workspace_id,
        kind=PolicyKind(kind),
        project_id=project_id,
        source=source,
        author=author,
        reason=reason,
        created_at=created_at,
        expires_at=expires_at,
        revoked_at=revoked_at,
    )
