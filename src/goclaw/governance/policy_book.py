"""Policy book: who is trusted to import, and which sources a human has promoted, by whom, why and until when.

These rows are one of the three ways up to instruction. They are made by reviewers and administrators by own hand.
"""

from dataclasses import dataclass
from datetime import datetime

from goclaw.governance.audit import EventType, event
from goclaw.governance.write_guard import examine
from goclaw.model.clock import DAY, Clock, to_us
from goclaw.model.errors import AccessDenied, InvalidInput, NotFound, UnsafeContent
from goclaw.model.ids import IdMaker
from goclaw.model.principal import Principal
from goclaw.storage import audit_log, policies
from goclaw.storage.database import Database, Unit
from goclaw.storage.policies import Policy, PolicyKind

MAX_DAYS = 366  # a trust that nobody looks at again for longer than a year is forgotten trust
MAX_REASON_CHARS = 500


@dataclass(frozen=True, slots=True)
class PolicyBook:
    """Keeps the trusted imports and promotions of a workspace."""

    database: Database
    clock: Clock
    ids: IdMaker

    def add(
        self,
        principal: Principal,
        *,
        kind: str,
        source: str,
        project_id: str | None,
        reason: str,
        expires_at: datetime | None = None,
    ) -> Policy:
        """Trust a source (``import:<name>``, ``agent:<name>``) for one project, or for workspace-wide memory.

        Ends after at most a year. Raises AccessDenied, InvalidInput.
        """
        _require_reviewer(principal)
        now = self.clock.now()
        end = now + MAX_DAYS * DAY if expires_at is None else to_us(expires_at)
        if not now < end <= now + MAX_DAYS * DAY:
            raise InvalidInput("The end is not within the next year.", f"Give a date up to {MAX_DAYS} days ahead.")
        policy = Policy(
            id=self.ids.new_id(),
            workspace_id=principal.workspace_id,
            kind=_kind(kind),
            project_id=project_id or "",
            source=_source(source),
            author=principal.actor_id,
            reason=_reason(reason),
            created_at=now,
            expires_at=end,
            revoked_at=None,
        )
        self.database.write(lambda unit: self._add(unit, principal, policy))
        return policy

    def revoke(self, principal: Principal, policy_id: str) -> None:
        """End a policy now; what it confirmed stays as it is. Raises AccessDenied, NotFound."""
        _require_reviewer(principal)
        now = self.clock.now()

        def work(unit: Unit) -> None:
            if not policies.revoke(unit, principal.workspace_id, policy_id, now):
                raise NotFound("There is no such policy in force.")
            detail = {"policy": policy_id, "what": "revoked"}
            audit_log.append(unit, event(principal, EventType.POLICY_CHANGED, now, detail=detail))

        self.database.write(work)

    def page(self, principal: Principal, *, include_ended: bool = False) -> list[Policy]:
        """The policies of the workspace. Raises AccessDenied for all but reviewers."""
        _require_reviewer(principal)
        with self.database.read() as reader:
            return list(policies.page(reader, principal.workspace_id, now=None if include_ended else self.clock.now()))

    def _add(self, unit: Unit, principal: Principal, policy: Policy) -> None:
        policies.add(unit, policy)
        detail = {"policy": policy.id, "what": "added", "kind": policy.kind, "source": policy.source}
        audit_log.append(unit, event(principal, EventType.POLICY_CHANGED, policy.created_at, detail=detail))


def _require_reviewer(principal: Principal) -> None:
    if not principal.is_reviewer:
        raise AccessDenied("Policies are made by reviewers by their own hand.", "Ask a reviewer of the workspace.")


def _kind(kind: str) -> PolicyKind:
    try:
        return PolicyKind(kind)
    except ValueError:
        raise InvalidInput("The kind of policy is not known.", f"Use one of: {', '.join(PolicyKind)}.") from None


def _source(source: str) -> str:
    kind, sign, name = source.partition(":")
    if not sign or not name or kind not in ("import", "agent", "job"):
        raise InvalidInput("The source is not named as the audit log names it.", "For example import:crm or agent:bot.")
    return source


def _reason(reason: str) -> str:
    clean = reason.strip()
    if not clean or len(clean) > MAX_REASON_CHARS:
        raise InvalidInput("A policy needs a reason.", f"Say why, in up to {MAX_REASON_CHARS} characters.")
    verdict = examine({"reason": clean})
    if verdict.findings:
        raise UnsafeContent(verdict.findings)
    return clean
