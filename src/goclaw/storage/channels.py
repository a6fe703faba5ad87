"""Channels: places of conversation with members of their own. One that has no row is open to its project."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import CHANNEL_MEMBERS, CHANNELS
from goclaw.storage.statement import InsertOrKeep, Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """One managed channel."""

    workspace_id: str
    channel_id: str
    project_id: str  # '' where not bound
    kind: str
    created_at: int


_C, _M = CHANNELS.c, CHANNEL_MEMBERS.c
_ADD = Statement(InsertOrKeep(CHANNELS))
_ALL = Statement(select(CHANNELS).where(_C.workspace_id == bindparam("workspace")).order_by(_C.channel_id))
_MANAGED = Statement(select(_C.channel_id).where(_C.workspace_id == bindparam("workspace")))
_PROJECT_OF = Statement(
    select(_C.project_id).where(_C.workspace_id == bindparam("workspace"), _C.channel_id == bindparam("channel"))
)
_ADD_MEMBER = Statement(InsertOrKeep(CHANNEL_MEMBERS))
_REMOVE_MEMBER = Statement(
    delete(CHANNEL_MEMBERS).where(
        _M.workspace_id == bindparam("workspace"),
        _M.channel_id == bindparam("channel"),
        _M.user_id == bindparam("user"),
    )
)
_MEMBERS = Statement(
    select(_M.user_id)
    .where(_M.workspace_id == bindparam("workspace"), _M.channel_id == bindparam("channel"))
    .order_by(_M.user_id)
)


def add(unit: Unit, channel: Channel) -> bool:
    """Keep a channel; False where the workspace has one of this id."""
    row = (channel.workspace_id, channel.channel_id, channel.project_id, channel.kind, channel.created_at)
    return unit.run(_ADD, row) > 0


def page(reader: Reader, workspace_id: str) -> Sequence[Channel]:
    """The managed channels of a workspace."""
    return [
        Channel(workspace_id=row[0], channel_id=row[1], project_id=row[2], kind=row[3], created_at=row[4])
        for row in reader.all(_ALL, (workspace_id,))
    ]


def managed_ids(reader: Reader, workspace_id: str) -> frozenset[str]:
    """The channels of a workspace that have members of their own."""
    return frozenset(channel_id for (channel_id,) in reader.all(_MANAGED, (workspace_id,)))


def project_of(reader: Reader, workspace_id: str, channel_id: str) -> str:
    """The project a managed channel lies in; empty where it lies in none, or nobody manages it."""
    row = reader.one(_PROJECT_OF, (workspace_id, channel_id))
    return "" if row is None else str(row[0])


def add_member(unit: Unit, workspace_id: str, channel_id: str, user_id: str) -> bool:
    """Let a person in; False where they are in."""
    return unit.run(_ADD_MEMBER, (workspace_id, channel_id, user_id)) > 0


def remove_member(unit: Unit, workspace_id: str, channel_id: str, user_id: str) -> bool:
    """Let a person go; False where they are not in."""
    return unit.run(_REMOVE_MEMBER, (workspace_id, channel_id, user_id)) > 0


def members(reader: Reader, workspace_id: str, channel_id: str) -> list[str]:
    """Who belongs to a channel."""
    return [user_id for (user_id,) in reader.all(_MEMBERS, (workspace_id, channel_id))]
