"""Identity: what a request says about who asks must agree with its key; else it is refused and audited."""

from dataclasses import dataclass

from goclaw.governance.audit import EventType, event
from goclaw.model.clock import Clock
from goclaw.model.errors import AccessDenied, NotFound
from goclaw.model.principal import Principal
from goclaw.storage import audit_log
from goclaw.storage.database import Database


@dataclass(frozen=True, slots=True)
class IdentityCheck:
    """Compares what a request claims with the principal of its key."""

    database: Database
    clock: Clock

    def check_user(self, principal: Principal, claimed: str | None, where: str) -> None:
        """Raise AccessDenied where ``claimed`` is another user; ``where`` is the header or field that said so."""
        if claimed is not None and claimed != principal.user_id:
            self._audit(principal, where)
            raise AccessDenied("A key speaks for its own person only.", f"Leave {where} out, or use that user's key.")

    def check_workspace(self, principal: Principal, claimed: str | None, where: str) -> None:
        """Raise NotFound where ``claimed`` is another workspace: whether it exists is nobody's business."""
        if claimed is not None and claimed != principal.workspace_id:
            self._audit(principal, where)
            raise NotFound("There is no such workspace.", f"Leave {where} out: the key names its workspace.")

    def _audit(self, principal: Principal, where: str) -> None:
        detail = {"why": "identity_mismatch", "where": where}
        row = event(principal, EventType.MEMORY_REFUSED, self.clock.now(), detail=detail)
        if not self.database.read_only:
            self.database.write(lambda unit: audit_log.append(unit, row))
