"""Audit seals: the chain over the audit log of each workspace, and the list of events that wait for a seal."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Column, Table, Text, bindparam, exists, func, select

from goclaw.storage.audit_log import AuditEvent, to_event
from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import AUDIT_LOG, AUDIT_SEALS, UNSEALED_EVENTS
from goclaw.storage.statement import RawText, Statement


class Seal(NamedTuple):
    """The place of one event in the chain of its workspace."""

    workspace_id: str
    seq: int  # from 1, without gaps
    event_id: str
    digest: str  # of the event
    chain: str  # over all events so far


def _raw(table: Table) -> list[Column[Any] | RawText]:
    return [RawText(column) if isinstance(column.type, Text) else column for column in table.columns]


_A, _U, _S = AUDIT_LOG.c, UNSEALED_EVENTS.c, AUDIT_SEALS.c
_UNSEALED = Statement(
    select(AUDIT_LOG)
    .join(UNSEALED_EVENTS, _U.event_id == _A.id)
    .where(_U.workspace_id == bindparam("workspace"))
    .order_by(_A.at, _A.id)
    .limit(bindparam("at_most"))
)
_COUNT_UNSEALED = Statement(
    select(func.count()).select_from(UNSEALED_EVENTS).where(_U.workspace_id == bindparam("workspace"))
)
_ADDED = Statement(
    select(_A.id)
    .where(
        _A.workspace_id == bindparam("workspace"),
        ~exists(1).where(_S.event_id == _A.id),
        ~exists(1).where(_U.workspace_id == _A.workspace_id, _U.event_id == _A.id),
    )
    .order_by(_A.id)
    .limit(1)
)
_WAITING_WORKSPACES = Statement(select(_U.workspace_id).distinct())
_LAST_SEAL = Statement(
    select(AUDIT_SEALS).where(_S.workspace_id == bindparam("workspace")).order_by(_S.seq.desc()).limit(1)
)
_ADD_SEAL = Statement(AUDIT_SEALS.insert())
_CROSS_OFF = Statement(
    UNSEALED_EVENTS.delete().where(_U.workspace_id == bindparam("workspace"), _U.event_id == bindparam("event"))
)
_SEALED_PAGE = Statement(
    select(*_raw(AUDIT_SEALS), *_raw(AUDIT_LOG))
    .select_from(AUDIT_SEALS)
    .outerjoin(AUDIT_LOG, _A.id == _S.event_id)
    .where(_S.workspace_id == bindparam("workspace"), _S.seq > bindparam("after"))
    .order_by(_S.seq)
    .limit(bindparam("at_most"))
)


def waiting_workspaces(reader: Reader) -> list[str]:
    """The workspaces in which events wait for their seal."""
    return [workspace_id for (workspace_id,) in reader.all(_WAITING_WORKSPACES)]


def unsealed(reader: Reader, workspace_id: str, limit: int) -> list[AuditEvent]:
    """Events that no seal covers yet, oldest first."""
    return [to_event(row) for row in reader.all(_UNSEALED, (workspace_id, limit))]


def count_unsealed(reader: Reader, workspace_id: str) -> int:
    """How many events no seal covers yet."""
    row = reader.one(_COUNT_UNSEALED, (workspace_id,))
    return int(row[0]) if row else 0


def added(reader: Reader, workspace_id: str) -> str | None:
    """The first event that neither has a seal nor waits for one: it was not appended by us. Looks at every event."""
    row = reader.one(_ADDED, (workspace_id,))
    return None if row is None else str(row[0])


def last_seal(reader: Reader, workspace_id: str) -> Seal | None:
    """The newest seal of a workspace."""
    row = reader.one(_LAST_SEAL, (workspace_id,))
    return None if row is None else Seal._make(row)


def add_seals(unit: Unit, seals: Sequence[Seal]) -> None:
    """Keep seals and cross their events off the list. Raises Conflict where another sealer took a number."""
    unit.run_many(_ADD_SEAL, seals)
    unit.run_many(_CROSS_OFF, [(seal.workspace_id, seal.event_id) for seal in seals])


def sealed_page(reader: Reader, workspace_id: str, after: int, limit: int) -> list[tuple[Seal, AuditEvent | None]]:
    """Seals behind number ``after`` with their events; None where the event is gone.

    Damaged bytes do not end the reading: they stand escaped in the values, which then do not fit their digest.
    """
    width = len(Seal._fields)
    rows = [tuple(map(_read, row)) for row in reader.all(_SEALED_PAGE, (workspace_id, after, limit))]
    return [(Seal._make(row[:width]), None if row[width] is None else to_event(row[width:])) for row in rows]


def _read(value: bytes | int | None) -> Any:
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else value


def digest_of(event: AuditEvent) -> str:
    """sha256 over everything an event says, in one fixed form."""
    said = [
        *(event.id, event.event_type, event.workspace_id, event.actor_kind, event.actor_id),
        *(event.memory_id, event.trace_id, event.namespace_id, dict(event.detail), event.at),
    ]
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
