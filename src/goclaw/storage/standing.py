"""Standing: what a person is and belongs to at this moment. One statement, since every request of every key asks."""

import json
from typing import NamedTuple

from sqlalchemy import ColumnElement, Table, bindparam, literal_column, select, union_all

from goclaw.storage.database import Reader
from goclaw.storage.schema import CHANNEL_MEMBERS, PEOPLE, PROJECT_MEMBERS
from goclaw.storage.statement import Statement


class Standing(NamedTuple):
    """One person in one workspace."""

    roles: tuple[str, ...]
    project_ids: tuple[str, ...]  # by id
    channel_ids: tuple[str, ...]  # managed ones, by id


def _is_theirs(table: Table) -> ColumnElement[bool]:
    return (table.c.workspace_id == bindparam("workspace")) & (table.c.user_id == bindparam("user"))


_STANDING = Statement(
    union_all(
        select(literal_column("1"), PEOPLE.c.roles).where(_is_theirs(PEOPLE)),
        select(literal_column("2"), PROJECT_MEMBERS.c.project_id).where(_is_theirs(PROJECT_MEMBERS)),
        select(literal_column("3"), CHANNEL_MEMBERS.c.channel_id).where(_is_theirs(CHANNEL_MEMBERS)),
    ),
    *("workspace", "user"),
)
_ROLES, _PROJECT, _CHANNEL = 1, 2, 3


def of_person(reader: Reader, workspace_id: str, user_id: str) -> Standing | None:
    """None where the workspace has nobody of this id."""
    rows = sorted(reader.all(_STANDING, (workspace_id, user_id)))
    if not rows or rows[0][0] != _ROLES:
        return None
    return Standing(
        roles=tuple(json.loads(rows[0][1])),
        project_ids=tuple(value for what, value in rows if what == _PROJECT),
        channel_ids=tuple(value for what, value in rows if what == _CHANNEL),
    )
