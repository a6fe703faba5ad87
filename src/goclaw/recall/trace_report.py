"""Trace report: one recall explained: what was asked, returned, withheld and used, and what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goclaw.governance.audit import is_deed_of
from goclaw.model.access import Reading, WriteAccess
from goclaw.model.clock import Clock
from goclaw.model.errors import NotFound
from goclaw.model.principal import Principal
from goclaw.recall.find_trace import find_trace, is_asker, may_see_trace
from goclaw.recall.readable import readable_states
from goclaw.storage import audit_log, memories, recall_traces, record_origins, trace_items
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.database import Database, Reader
from goclaw.storage.recall_traces import RecallTrace
from goclaw.storage.trace_items import TraceItem

PRIVATE = "(private)"
MAX_EVENTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedItem:
    """One memory that the recall met."""

    memory_id: str
    rank: int | None  # None: withheld
    used: bool | None  # as reported; None while nothing was reported
    ignored_reason: str | None
    withheld_reason: str | None
    snapshot: Mapping[str, Any]  # text, score parts and policy as they were; empty for withheld ones
    later_events: tuple[AuditEvent, ...]  # what happened to it since


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenBack:
    """A record that was written back because of this recall."""

    memory_id: str
    later_events: tuple[AuditEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceReport:
    """A recall trace as its reader may see it."""

    trace: RecallTrace  # without its hits, which stand in items as far as the reader may see them
    query: str  # "(private)" for everybody but the asker of a private question
    items: tuple[ReportedItem, ...]  # returned ones by rank, then withheld ones
    writebacks: tuple[WrittenBack, ...]


@dataclass(frozen=True, slots=True)
class TraceReports:
    """Reads traces: the asker its own, a reviewer those of the workspace, as far as they may read the records."""

    database: Database
    clock: Clock
    write_access: WriteAccess

    def report(self, principal: Principal, request_id: str) -> TraceReport:
        """Raises NotFound for an unknown id, and for everybody who may not see the trace."""
        trace = find_trace(self.database, self.clock, principal.workspace_id, request_id)
        is_own = is_asker(principal, trace)
        if not may_see_trace(principal, trace):
            raise NotFound("There is no such recall.", "Or it is not yours to see.")
        with self.database.read() as reader:
            items = trace_items.of_trace(reader, trace.id)
            written = record_origins.of_trace(reader, trace.id)
            known = self._readable(reader, principal, [*(item.memory_id for item in items), *written])
            shown = [item for item in items if item.memory_id in known]
            reported = tuple(_item(reader, principal, trace, item) for item in sorted(shown, key=_by_rank))
            writebacks = tuple(
                WrittenBack(memory_id=memory_id, later_events=_later(reader, principal, trace, memory_id))
                for memory_id in written
                if memory_id in known
            )
        told = _told(trace, is_open=is_own or not trace.is_private)
        return TraceReport(trace=told, query=told.query, items=reported, writebacks=writebacks)

    def _readable(self, reader: Reader, principal: Principal, memory_ids: Sequence[str]) -> set[str]:
        """Those of the ids that the principal may read now; forgotten ones are gone from here as well."""
        states = readable_states(reader, principal, self.write_access, Reading.MANAGE)
        return set(memories.get_many(reader, list(dict.fromkeys(memory_ids)), [state.id for state in states]))


def _told(trace: RecallTrace, *, is_open: bool) -> RecallTrace:
    """The trace as a reader may have it: no hits, and no words of a private question."""
    if is_open:
        return replace(trace, returned=(), withheld=())
    return replace(trace, query=PRIVATE, request=recall_traces.wordless(trace.request), returned=(), withheld=())


def _by_rank(item: TraceItem) -> tuple[bool, int]:
    return item.rank is None, item.rank or 0


def _item(reader: Reader, principal: Principal, trace: RecallTrace, item: TraceItem) -> ReportedItem:
    snapshot = next((hit for hit in trace.returned if hit["memory_id"] == item.memory_id), {})
    return ReportedItem(
        memory_id=item.memory_id,
        rank=item.rank,
        used=item.used,
        ignored_reason=item.ignored_reason,
        withheld_reason=item.withheld_why,
        snapshot=snapshot,
        later_events=_later(reader, principal, trace, item.memory_id),
    )


def _later(reader: Reader, principal: Principal, trace: RecallTrace, memory_id: str) -> tuple[AuditEvent, ...]:
    """What became of the record since. Who else recalled it is for reviewers."""
    events = audit_log.page(reader, trace.workspace_id, memory_id=memory_id, limit=MAX_EVENTS)
    return tuple(
        each
        for each in reversed(events)
        if each.at >= trace.created_at
        and each.trace_id != trace.id
        and (each.trace_id is None or principal.is_reviewer or is_deed_of(principal, each))
    )
