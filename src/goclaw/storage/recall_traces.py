"""Recall traces: what was asked, returned and withheld, so that an answer can be explained afterwards."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, or_, select

from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import RECALL_TRACES
from goclaw.storage.statement import Statement


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


_R = RECALL_TRACES.c
_INSERT = Statement(RECALL_TRACES.insert())
_GET = Statement(select(RECALL_TRACES).where(_R.id == bindparam("which"), _R.workspace_id == bindparam("workspace")))
_MENTIONING = Statement(
    select(RECALL_TRACES).where(
        _R.workspace_id == bindparam("workspace"),
        or_(_R.returned.like(bindparam("pattern")), _R.withheld.like(bindparam("pattern"))),
    )
)
_BLANK = Statement(
    RECALL_TRACES.update()
    .where(_R.id == bindparam("which"))
    .values(query=bindparam("digest"), returned=bindparam("new_returned")),
    *("digest", "new_returned", "which"),
)


def insert(unit: Unit, trace: RecallTrace) -> None:
    """Keep a trace."""
    row = (
        trace.id,
        trace.workspace_id,
        trace.actor_id,
        _json(trace.principal),
        trace.mode,
        trace.query,
        _json(trace.request),
        _json(trace.returned),
        _json(trace.withheld),
        trace.created_at,
    )
    unit.run(_INSERT, row)


def get(reader: Reader, workspace_id: str, trace_id: str) -> RecallTrace | None:
    """The trace, or None where the workspace has none of this id."""
    row = reader.one(_GET, (trace_id, workspace_id))
    return None if row is None else _trace(row)


def blank(unit: Unit, workspace_id: str, memory_id: str) -> int:
    """Take a forgotten record's words out of every trace that met it; how many traces.

    Its snapshot goes, and the question becomes its digest: it may repeat the text. Ids, ranks and counts stay.
    """
    # The id is a UUID: it holds no sign that LIKE would take for a pattern.
    met = [_trace(row) for row in unit.all(_MENTIONING, (workspace_id, f'%"{memory_id}"%'))]
    for trace in met:
        returned = [{**hit, "text": None} if hit.get("memory_id") == memory_id else hit for hit in trace.returned]
        unit.run(_BLANK, (_digest(trace.query), _json(returned), trace.id))
    return len(met)


def _digest(query: str) -> str:
    if query.startswith("sha256:"):
        return query  # blanked before
    return f"sha256:{hashlib.sha256(query.encode()).hexdigest()}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _trace(row: Row) -> RecallTrace:
    trace_id, workspace_id, actor_id, principal, mode, query, request, returned, withheld, created_at = row
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
    )
