"""The audit log: one row for each thing done, appended in the unit that does it. It never holds stored text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, or_, select

from goclaw.model.ids import new_ids
from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import AUDIT_LOG, UNSEALED_EVENTS
from goclaw.storage.statement import Statement

DAMAGED = "damaged"  # the only key of a detail that is not as we wrote it


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """Something that was done, or refused."""

    event_type: str  # memory_written, memory_refused, access_changed, ... (governance.md 7)
    workspace_id: str
    actor_kind: str
    actor_id: str
    at: int  # microseconds since 1970
    memory_id: str | None = None
    trace_id: str | None = None
    namespace_id: int | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)  # reasons, counts, ids; never text
    id: str = ""  # UUIDv7, given when it is appended


_A = AUDIT_LOG.c
_INSERT = Statement(AUDIT_LOG.insert())
_WORKSPACE = 2  # its place in a row
_LIST_UNSEALED = Statement(UNSEALED_EVENTS.insert())


def append(unit: Unit, event: AuditEvent) -> str:
    """Add an event, and put it on the list of those that wait for their seal; its id."""
    (event_id,) = append_many(unit, [event])
    return event_id


def append_many(unit: Unit, events: Sequence[AuditEvent]) -> list[str]:
    """Add events as :func:`append` does; their ids."""
    return _append(unit, [row for event in events for row in _rows(event, (event.memory_id,))])


def append_for_each(unit: Unit, events: Sequence[tuple[AuditEvent, Sequence[str]]]) -> None:
    """Add each event as often as there are records beside it, a row for each of them; once where there is none."""
    _append(unit, [row for event, memory_ids in events for row in _rows(event, memory_ids or (event.memory_id,))])


def _append(unit: Unit, rows: Sequence[Row]) -> list[str]:
    unit.run_many(_INSERT, rows)
    unit.run_many(_LIST_UNSEALED, [(row[_WORKSPACE], row[0]) for row in rows])
    return [row[0] for row in rows]


def page(
    reader: Reader,
    workspace_id: str,
    *,
    event_type: str | None = None,
    actor_id: str | None = None,
    memory_id: str | None = None,
    trace_id: str | None = None,
    before: tuple[int, str] | None = None,
    limit: int,
) -> list[AuditEvent]:
    """Events of a workspace, newest first; ``before`` is (at, id) of the last one of the page before."""
    wanted = {"event_type": event_type, "actor_id": actor_id, "memory_id": memory_id, "trace_id": trace_id}
    chosen = {name: value for name, value in wanted.items() if value is not None}
    statement = _page(tuple(chosen), before is not None)
    return [to_event(row) for row in reader.all(statement, (workspace_id, *chosen.values(), *(before or ()), limit))]


@lru_cache(maxsize=16)
def _page(columns: tuple[str, ...], is_later_page: bool) -> Statement:
    conditions: list[ColumnElement[bool]] = [_A.workspace_id == bindparam("workspace_id")]
    conditions += [_A[name] == bindparam(name) for name in columns]
    names = ["workspace_id", *columns]
    if is_later_page:
        moment: BindParameter[int] = bindparam("moment")
        conditions.append(or_(_A.at < moment, and_(_A.at == moment, _A.id < bindparam("before_id"))))
        names += ["moment", "before_id"]
    newest_first = select(AUDIT_LOG).where(*conditions).order_by(_A.at.desc(), _A.id.desc())
    return Statement(newest_first.limit(bindparam("at_most")), *names, "at_most")


def _rows(event: AuditEvent, memory_ids: Sequence[str | None]) -> list[Row]:
    """The rows of an event that is about these records. Plain strings: drivers look twice at any other kind."""
    who = (str(event.event_type), event.workspace_id, str(event.actor_kind), event.actor_id)
    rest = (event.trace_id, event.namespace_id, _write_detail(event.detail), event.at)
    ids = new_ids(len(memory_ids))
    return [(event_id, *who, memory_id, *rest) for event_id, memory_id in zip(ids, memory_ids, strict=True)]


def to_event(row: Row) -> AuditEvent:
    """The event of a row of the table. A detail that somebody else wrote is shown as it is, under :data:`DAMAGED`."""
    event_id, event_type, workspace_id, actor_kind, actor_id, memory_id, trace_id, namespace_id, detail, at = row
    return AuditEvent(
        id=event_id,
        event_type=event_type,
        workspace_id=workspace_id,
        actor_kind=actor_kind,
        actor_id=actor_id,
        memory_id=memory_id,
        trace_id=trace_id,
        namespace_id=namespace_id,
        detail=_read_detail(detail),
        at=at,
    )


def _write_detail(detail: Mapping[str, Any]) -> str | None:
    return json.dumps(dict(detail), ensure_ascii=False, separators=(",", ":")) if detail else None


def _read_detail(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        detail = json.loads(text)
    except ValueError:
        return {DAMAGED: text}
    # A changed byte can leave the meaning: 1e99 or 1E99. What we would write otherwise was not written by us.
    return detail if isinstance(detail, dict) and _write_detail(detail) == text else {DAMAGED: text}
