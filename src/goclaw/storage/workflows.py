"""Workflows: the runtimes that administrators registered, and whether each is accepted."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, select, update

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import WORKFLOWS
from goclaw.storage.statement import InsertOrKeep, Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """One registered workflow."""

    workspace_id: str
    runtime_name: str
    task_type: str  # '' for every task of the runtime
    require_acceptance: bool  # until accepted it may recall and not write back
    registered_by: str  # an actor id
    created_at: int  # microseconds since 1970
    accepted_by: str | None = None
    accepted_at: int | None = None

    @property
    def is_held(self) -> bool:
        """Whether it may not write back."""
        return self.require_acceptance and self.accepted_at is None


_W = WORKFLOWS.c
_ADD = Statement(InsertOrKeep(WORKFLOWS))
_OF_WORKSPACE = Statement(
    select(WORKFLOWS).where(_W.workspace_id == bindparam("workspace")).order_by(_W.runtime_name, _W.task_type)
)
_THIS = (
    _W.workspace_id == bindparam("workspace"),
    _W.runtime_name == bindparam("runtime"),
    _W.task_type == bindparam("task"),
)
_ACCEPT = Statement(
    update(WORKFLOWS).where(*_THIS).values(accepted_by=bindparam("who"), accepted_at=bindparam("moment")),
    *("who", "moment", "workspace", "runtime", "task"),
)
_REMOVE = Statement(delete(WORKFLOWS).where(*_THIS), *("workspace", "runtime", "task"))


def add(unit: Unit, workflow: Workflow) -> bool:
    """Keep a workflow; False where it is registered already."""
    row = (
        workflow.workspace_id,
        workflow.runtime_name,
        workflow.task_type,
        int(workflow.require_acceptance),
        workflow.registered_by,
        workflow.created_at,
        workflow.accepted_by,
        workflow.accepted_at,
    )
    return unit.run(_ADD, row) > 0


def of_workspace(reader: Reader, workspace_id: str) -> Sequence[Workflow]:
    """The workflows of a workspace, by name; a handful."""
    return [
        Workflow(
            workspace_id=row[0],
            runtime_name=row[1],
            task_type=row[2],
            require_acceptance=bool(row[3]),
            registered_by=row[4],
            created_at=row[5],
            accepted_by=row[6],
            accepted_at=row[7],
        )
        for row in reader.all(_OF_WORKSPACE, (workspace_id,))
    ]


def accept(unit: Unit, workflow: Workflow, by: str, now: int) -> bool:
    """Let a workflow write back; False where it is registered no more."""
    key = (workflow.workspace_id, workflow.runtime_name, workflow.task_type)
    return unit.run(_ACCEPT, (by, now, *key)) > 0


def remove(unit: Unit, workspace_id: str, runtime_name: str, task_type: str) -> bool:
    """Take a workflow off the list; False where it is not on it."""
    return unit.run(_REMOVE, (workspace_id, runtime_name, task_type)) > 0
