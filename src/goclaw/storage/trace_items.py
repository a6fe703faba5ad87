"""Trace items: which records a recall met, and what its asker did with them; the way from a record to its traces."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, select, update

from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import TRACE_ITEMS
from goclaw.storage.statement import InsertOrKeep, Statement


class TraceItem(NamedTuple):
    """One record in one trace."""

    trace_id: str
    memory_id: str
    rank: int | None = None  # from 1; None where it was withheld
    withheld_why: str | None = None
    used: bool | None = None  # None while nothing was reported
    ignored_reason: str | None = None


_T = TRACE_ITEMS.c
_PUT = Statement(InsertOrKeep(TRACE_ITEMS))
_OF_TRACE = Statement(select(TRACE_ITEMS).where(_T.trace_id == bindparam("trace")).order_by(_T.rank, _T.memory_id))
_OF_MEMORY = Statement(select(TRACE_ITEMS).where(_T.memory_id == bindparam("memory")).order_by(_T.trace_id))
_MARK = Statement(
    update(TRACE_ITEMS)
    .where(_T.trace_id == bindparam("trace"), _T.memory_id == bindparam("memory"))
    .values(used=bindparam("is_used"), ignored_reason=bindparam("reason")),
    *("trace", "memory", "is_used", "reason"),
)
_BLANK = Statement(update(TRACE_ITEMS).where(_T.memory_id == bindparam("memory")).values(ignored_reason=None), "memory")


def put_many(unit: Unit, met: Sequence[TraceItem]) -> None:
    """Keep what traces met, before anything was reported. The first item of a trace and record stays."""
    unit.run_many(_PUT, met)


def of_trace(reader: Reader, trace_id: str) -> list[TraceItem]:
    """The records of one trace."""
    return [_item(row) for row in reader.all(_OF_TRACE, (trace_id,))]


def of_memory(reader: Reader, memory_id: str) -> list[TraceItem]:
    """The traces of one record, oldest first."""
    return [_item(row) for row in reader.all(_OF_MEMORY, (memory_id,))]


def mark(unit: Unit, trace_id: str, used: Sequence[str], ignored: Mapping[str, str]) -> None:
    """Write down what the asker reports."""
    unit.run_many(_MARK, [(trace_id, memory_id, 1, None) for memory_id in used])
    unit.run_many(_MARK, [(trace_id, memory_id, 0, reason) for memory_id, reason in ignored.items()])


def blank(unit: Unit, memory_id: str) -> None:
    """Drop what askers said about a forgotten record: they may have repeated it."""
    unit.run(_BLANK, (memory_id,))


def _item(row: Row) -> TraceItem:
    trace_id, memory_id, rank, withheld_why, used, ignored_reason = row
    return TraceItem(trace_id, memory_id, rank, withheld_why, None if used is None else bool(used), ignored_reason)
