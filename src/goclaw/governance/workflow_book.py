"""Workflow book: which workflows an administrator registered, and which of them may write back.

A workflow is the ``runtime.name`` that a client gives, optionally with a ``task_type``. The name is the client's word,
so this keeps a workflow that is not ready from writing by mistake; who may write at all is decided by keys and access.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from goclaw.governance.audit import EventType, event
from goclaw.model.clock import Clock
from goclaw.model.errors import AccessDenied, Conflict, NotFound
from goclaw.model.principal import Principal, canonical_id
from goclaw.storage import audit_log, workflows
from goclaw.storage.database import Database, Unit
from goclaw.storage.workflows import Workflow


@dataclass(frozen=True, slots=True)
class WorkflowBook:
    """Keeps the workflows of a workspace, for administrators by own hand."""

    database: Database
    clock: Clock

    def register(
        self, principal: Principal, runtime_name: str, *, task_type: str | None = None, require_acceptance: bool = True
    ) -> Workflow:
        """Put a workflow on the list. Raises AccessDenied, InvalidInput for a name in no plain form, Conflict."""
        _require_administrator(principal)
        workflow = Workflow(
            workspace_id=principal.workspace_id,
            runtime_name=canonical_id(runtime_name, "runtime_name"),
            task_type="" if task_type is None else canonical_id(task_type, "task_type"),
            require_acceptance=require_acceptance,
            registered_by=principal.actor_id,
            created_at=self.clock.now(),
        )

        def work(unit: Unit) -> None:
            if not workflows.add(unit, workflow):
                raise Conflict("This workflow is registered already.", "Remove it first to register it otherwise.")
            self._audit(unit, principal, workflow, "workflow_registered")

        self.database.write(work)
        return workflow

    def remove(self, principal: Principal, runtime_name: str, *, task_type: str | None = None) -> None:
        """Take a workflow off the list: nothing holds it any more. Raises AccessDenied, NotFound."""
        _require_administrator(principal)
        workflow = self.get(principal, runtime_name, task_type=task_type)

        def work(unit: Unit) -> None:
            if not workflows.remove(unit, workflow.workspace_id, workflow.runtime_name, workflow.task_type):
                raise _unknown()
            self._audit(unit, principal, workflow, "workflow_removed")

        self.database.write(work)

    def accept(self, principal: Principal, workflow: Workflow) -> None:
        """Let a workflow write back; that it passed the checklist is the caller's to know."""
        _require_administrator(principal)
        now = self.clock.now()

        def work(unit: Unit) -> None:
            if not workflows.accept(unit, workflow, principal.actor_id, now):
                raise _unknown()
            self._audit(unit, principal, workflow, "workflow_accepted")

        self.database.write(work)

    def list(self, principal: Principal) -> Sequence[Workflow]:
        """The registered workflows; for reviewers. Raises AccessDenied."""
        if not principal.is_reviewer:
            raise AccessDenied("Workflows are seen by reviewers.", "Ask a reviewer of the workspace.")
        with self.database.read() as reader:
            return workflows.of_workspace(reader, principal.workspace_id)

    def get(self, principal: Principal, runtime_name: str, *, task_type: str | None = None) -> Workflow:
        """One of them. Raises AccessDenied, NotFound."""
        wanted = (runtime_name, task_type or "")
        found = [each for each in self.list(principal) if (each.runtime_name, each.task_type) == wanted]
        if not found:
            raise _unknown()
        return found[0]

    def _audit(self, unit: Unit, principal: Principal, workflow: Workflow, what: str) -> None:
        detail = {"what": what, "workflow": workflow.runtime_name, "task_type": workflow.task_type}
        audit_log.append(unit, event(principal, EventType.POLICY_CHANGED, self.clock.now(), detail=detail))


def holding(registered: Sequence[Workflow], runtime_name: str, task_type: str | None) -> Workflow | None:
    """The registered workflow that keeps this write-back from being stored; None where nothing does.

    The entry for the task type decides, else the one for the whole runtime. Where the task type is not known (a
    write-back that follows no recall), every entry of the runtime counts. Case and blanks around a name do not.
    """
    own = [each for each in registered if _same(each.runtime_name, runtime_name)]
    if task_type is not None:
        exact = [each for each in own if each.task_type and _same(each.task_type, task_type)]
        own = exact or [each for each in own if not each.task_type]
    return next((each for each in own if each.is_held), None)


def _same(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()


def _require_administrator(principal: Principal) -> None:
    if not principal.may_administer:
        raise AccessDenied("Workflows are registered by administrators.", "Ask one to do it by their own hand.")


def _unknown() -> NotFound:
    return NotFound("There is no such workflow.", "See goclaw memory workflow list.")
