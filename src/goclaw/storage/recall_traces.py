"""Recall traces: what was asked, returned and withheld, so that an answer can be explained afterwards."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import BigInteger, and_, bindparam, or_, select

from goclaw.storage import trace_items
from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import MEMORIES, RECALL_TRACES, TRACE_ITEMS
from goclaw.storage.statement import Statement, StatementFamily, in_portions
from goclaw.storage.trace_items import TraceItem


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallTrace:
    """One recall or search."""

    id: str
    workspace_id: str
    actor_id: str  # only who asked sees it
    principal: Mapping[str, Any]
    mode: str  # automatic, explicit
    query: str
    request: Mapping[str, Any]
    returned: Sequence[Mapping[str, Any]]  # memory_id, rank, score, score_parts, text as it was shown, ...
    withheld: Sequence[Mapping[str, Any]]  # memory_id, why
    created_at: int
    is_private: bool = False  # only the asker sees its text


_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # made once: json.dumps makes one a call
_R = RECALL_TRACES.c
_INSERT = Statement(RECALL_TRACES.insert())
_GET = Statement(select(RECALL_TRACES).where(_R.id == bindparam("which"), _R.workspace_id == bindparam("workspace")))
# The lock makes writers wait for each other where several write at once: a record is forgotten before or after.
_STILL_THERE = StatementFamily(
    lambda size: (
        select(MEMORIES.c.id)
        .where(MEMORIES.c.id.in_([bindparam(f"id_{n}") for n in range(size)]))
        .with_for_update(read=True, key_share=True)
    )
)
_MENTIONING = Statement(
    select(RECALL_TRACES)
    .join(TRACE_ITEMS, TRACE_ITEMS.c.trace_id == _R.id)
    .where(TRACE_ITEMS.c.memory_id == bindparam("memory"))
)
_END_OF_TIME = 2**62
_OLDER = select(RECALL_TRACES).where(
    _R.workspace_id == bindparam("workspace"),
    or_(
        _R.created_at < bindparam("moment", type_=BigInteger),
        and_(_R.created_at == bindparam("same_moment", type_=BigInteger), _R.id < bindparam("last")),
    ),
)
_NEWEST = (_R.created_at.desc(), _R.id.desc())
_PAGE = Statement(
    _OLDER.order_by(*_NEWEST).limit(bindparam("at_most")),
    *("workspace", "moment", "same_moment", "last", "at_most"),
)
_PAGE_OF_ACTOR = Statement(
    _OLDER.where(_R.actor_id == bindparam("actor")).order_by(*_NEWEST).limit(bindparam("at_most")),
    *("workspace", "moment", "same_moment", "last", "actor", "at_most"),
)
_BLANK = Statement(
    RECALL_TRACES.update()
    .where(_R.id == bindparam("which"))
    .values(query=bindparam("digest"), request=bindparam("new_request"), returned=bindparam("new_returned")),
    *("digest", "new_request", "new_returned", "which"),
)
# The parts of a request that hold settings and ids, and no words of the question.
_WORDLESS = (
    *("limit", "include_unconfirmed", "include_stale", "include_history"),
    *("schema_version", "workspace_id", "project_id", "task_id", "flow_id", "task_type", "runtime"),
    *("channel", "scope", "limits", "sensitivity"),
)


def insert(unit: Unit, trace: RecallTrace) -> None:
    """Keep a trace as :func:`insert_many` does."""
    insert_many(unit, [trace])


def insert_many(unit: Unit, traces: Sequence[RecallTrace]) -> None:
    """Keep traces, and the way to them from every record they met.

    A record may have been forgotten since the recall read it; then its words go before they are written down.
    """
    met = [item for trace in traces for item in _items(trace)]
    gone = _gone(unit, dict.fromkeys(item.memory_id for item in met))
    if gone:
        traces = [_without_words(trace, gone) if _has_met(trace, gone) else trace for trace in traces]
    unit.run_many(_INSERT, [_row(trace) for trace in traces])
    trace_items.put_many(unit, met)


def get(reader: Reader, workspace_id: str, trace_id: str) -> RecallTrace | None:
    """The trace, or None where the workspace has none of this id."""
    row = reader.one(_GET, (trace_id, workspace_id))
    return None if row is None else _trace(row)


def page(
    reader: Reader, workspace_id: str, *, actor_id: str | None, before: tuple[int, str] | None, limit: int
) -> list[RecallTrace]:
    """Traces of a workspace, newest first; ``before`` is (created_at, id) of the last one of the page before."""
    moment, last_id = before or (_END_OF_TIME, "")
    names = (workspace_id, moment, moment, last_id)
    if actor_id is None:
        return [_trace(row) for row in reader.all(_PAGE, (*names, limit))]
    return [_trace(row) for row in reader.all(_PAGE_OF_ACTOR, (*names, actor_id, limit))]


def blank(unit: Unit, memory_id: str) -> int:
    """Take a forgotten record's words out of every trace that met it, in whatever workspace; how many traces.

    Its snapshot goes, the question becomes its digest, and what else was said in the request and about the record goes
    too: they may repeat the text. Ids, ranks and counts stay.
    """
    met = [_trace(row) for row in unit.all(_MENTIONING, (memory_id,))]
    for trace in met:
        blanked = _without_words(trace, {memory_id})
        unit.run(_BLANK, (blanked.query, _json(blanked.request), _json(blanked.returned), trace.id))
    trace_items.blank(unit, memory_id)
    return len(met)


def wordless(request: Mapping[str, Any]) -> dict[str, Any]:
    """The request without what was asked in words."""
    return {name: request[name] for name in _WORDLESS if name in request}


def _items(trace: RecallTrace) -> list[TraceItem]:
    returned = [TraceItem(trace.id, hit["memory_id"], rank=hit["rank"]) for hit in trace.returned]
    return returned + [TraceItem(trace.id, each["memory_id"], withheld_why=each["why"]) for each in trace.withheld]


def _has_met(trace: RecallTrace, memory_ids: AbstractSet[str]) -> bool:
    return any(each["memory_id"] in memory_ids for each in (*trace.returned, *trace.withheld))


def _gone(unit: Unit, memory_ids: Collection[str]) -> set[str]:
    """Those of the records that are no longer stored."""
    there: set[str] = set()
    for portion in in_portions(memory_ids):
        rows = unit.all(_STILL_THERE.of(len(portion)), StatementFamily.padded(portion))
        there.update(memory_id for (memory_id,) in rows)
    return set(memory_ids) - there


def _without_words(trace: RecallTrace, memory_ids: AbstractSet[str]) -> RecallTrace:
    """The trace without the texts of these records, and without the question that found them."""
    return replace(
        trace,
        query=_digest(trace.query),
        request=wordless(trace.request),
        returned=[{**hit, "text": None} if hit["memory_id"] in memory_ids else hit for hit in trace.returned],
    )


def _digest(query: str) -> str:
    if query.startswith("sha256:"):
        return query  # blanked before
    return f"sha256:{hashlib.sha256(query.encode()).hexdigest()}"


def _row(trace: RecallTrace) -> Row:
    return (
        trace.id,
        trace.workspace_id,
        trace.actor_id,
        _json(trace.principal),
        str(trace.mode),
        trace.query,
        _json(trace.request),
        _json(trace.returned),
        _json(trace.withheld),
        trace.created_at,
        int(trace.is_private),
    )


def _trace(row: Row) -> RecallTrace:
    trace_id, workspace_id, actor_id, principal, mode, query, request, returned, withheld, created_at, private = row
    return RecallTrace(
        id=trace_id,
        workspace_id=workspace_id,
        actor_id=actor_id,
        principal=json.loads(principal),
        mode=mode,
        query=query,
        request=json.loads(request),
        returned=json.loads(returned),
        withheld=json.loads(withheld),
        created_at=created_at,
        is_private=bool(private),
    )
