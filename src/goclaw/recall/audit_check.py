"""Audit check: whether the audit log of a workspace is as it was written, for its reviewers."""

from dataclasses import dataclass

from goclaw.governance.audit_chain import Verification, verify
from goclaw.model.errors import AccessDenied
from goclaw.model.principal import Principal
from goclaw.recall.audit_reader import log_of
from goclaw.storage.database import Database


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """Walks the chain of seals."""

    database: Database

    def verify(self, principal: Principal, *, organization: bool = False) -> Verification:
        """The first row that was changed, removed or added, and how many no seal covers yet. Raises AccessDenied."""
        if not principal.is_reviewer:
            raise AccessDenied("The audit log is verified by reviewers.", "Ask a reviewer of the workspace.")
        workspace_id = log_of(principal, organization=organization)
        self.database.flush_later()
        with self.database.read() as reader:
            return verify(reader, workspace_id)
