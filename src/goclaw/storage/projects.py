"""Projects: what a workspace works on, and who belongs to each."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import PROJECT_MEMBERS, PROJECTS
from goclaw.storage.statement import InsertOrKeep, Statement, StatementFamily, in_portions


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """One project."""

    workspace_id: str
    project_id: str
    name: str
    created_at: int


_P, _M = PROJECTS.c, PROJECT_MEMBERS.c
_ADD = Statement(InsertOrKeep(PROJECTS))
_ALL = Statement(select(PROJECTS).where(_P.workspace_id == bindparam("workspace")).order_by(_P.project_id))
_GET = Statement(
    select(PROJECTS).where(_P.workspace_id == bindparam("workspace"), _P.project_id == bindparam("project"))
)
_EXISTING = StatementFamily(
    lambda size: select(_P.project_id).where(
        _P.workspace_id == bindparam("workspace"), _P.project_id.in_([bindparam(f"id_{n}") for n in range(size)])
    )
)
_ADD_MEMBER = Statement(InsertOrKeep(PROJECT_MEMBERS))
_REMOVE_MEMBER = Statement(
    delete(PROJECT_MEMBERS).where(
        _M.workspace_id == bindparam("workspace"),
        _M.project_id == bindparam("project"),
        _M.user_id == bindparam("user"),
    )
)
_MEMBERS = Statement(
    select(_M.user_id)
    .where(_M.workspace_id == bindparam("workspace"), _M.project_id == bindparam("project"))
    .order_by(_M.user_id)
)


def add(unit: Unit, project: Project) -> bool:
    """Keep a project; False where the workspace has one of this id."""
    row = (project.workspace_id, project.project_id, project.name, project.created_at)
    return unit.run(_ADD, row) > 0


def get(reader: Reader, workspace_id: str, project_id: str) -> Project | None:
    """The project, or None."""
    row = reader.one(_GET, (workspace_id, project_id))
    return None if row is None else Project(workspace_id=row[0], project_id=row[1], name=row[2], created_at=row[3])


def existing(reader: Reader, workspace_id: str, project_ids: Sequence[str]) -> set[str]:
    """Those of the ids that are projects of the workspace."""
    found: set[str] = set()
    for portion in in_portions(project_ids):
        rows = reader.all(_EXISTING.of(len(portion)), (workspace_id, *StatementFamily.padded(portion)))
        found.update(project_id for (project_id,) in rows)
    return found


def page(reader: Reader, workspace_id: str) -> Sequence[Project]:
    """The projects of a workspace."""
    rows = reader.all(_ALL, (workspace_id,))
    return [Project(workspace_id=row[0], project_id=row[1], name=row[2], created_at=row[3]) for row in rows]


def add_member(unit: Unit, workspace_id: str, project_id: str, user_id: str, now: int) -> bool:
    """Let a person in; False where they are in."""
    return unit.run(_ADD_MEMBER, (workspace_id, project_id, user_id, now)) > 0


def remove_member(unit: Unit, workspace_id: str, project_id: str, user_id: str) -> bool:
    """Let a person go; False where they are not in."""
    return unit.run(_REMOVE_MEMBER, (workspace_id, project_id, user_id)) > 0


def members(reader: Reader, workspace_id: str, project_id: str) -> list[str]:
    """Who belongs to a project."""
    return [user_id for (user_id,) in reader.all(_MEMBERS, (workspace_id, project_id))]
