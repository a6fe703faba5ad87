"""Trace list: the recalls of a workspace for its reviewers, and one's own for everybody else, newest first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from goclaw.model.access import Reading, WriteAccess
from goclaw.model.clock import from_us
from goclaw.model.principal import Principal
from goclaw.recall.cursor import check_page_size, decode_cursor, encode_cursor
from goclaw.recall.find_trace import is_asker, may_see_trace
from goclaw.recall.readable import readable_states
from goclaw.recall.trace_report import PRIVATE
from goclaw.storage import memories, recall_traces
from goclaw.storage.database import Database, Reader
from goclaw.storage.recall_traces import RecallTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSummary:
    """One recall in a list. Counts are of the records its reader may read."""

    request_id: str
    at: datetime
    mode: str  # automatic, explicit
    asked_by: str  # an actor id
    query: str
    task_id: str | None
    runtime_name: str | None
    returned: int
    withheld: int


@dataclass(frozen=True, slots=True)
class TracePage:
    """Some recalls, newest first, and the cursor of the older ones."""

    traces: tuple[TraceSummary, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class TraceList:
    """Lists recall traces."""

    database: Database
    write_access: WriteAccess

    def page(self, principal: Principal, *, cursor: str | None = None, limit: int = 50) -> TracePage:
        """Up to ``limit`` (1-200) recalls; a cursor only where there is another one to see."""
        check_page_size(limit)
        if not principal.is_identified:
            return TracePage((), None)
        self.database.flush_later()  # traces of recalls that were just answered
        with self.database.read() as reader:
            before = None if cursor is None else decode_cursor(cursor)
            found = list(islice(_visible(reader, principal, before, limit + 1), limit + 1))
            shown = found[:limit]
            known = self._readable(reader, principal, shown)
        # The cursor is the last one shown: whoever gets it may decode it, so it must not name a foreign recall.
        more = encode_cursor(shown[-1].created_at, shown[-1].id) if len(found) > limit else None
        return TracePage(tuple(_summary(principal, trace, known) for trace in shown), more)

    def _readable(self, reader: Reader, principal: Principal, traces: Sequence[RecallTrace]) -> set[str]:
        ids = {met["memory_id"] for trace in traces for met in (*trace.returned, *trace.withheld)}
        states = readable_states(reader, principal, self.write_access, Reading.MANAGE)
        return set(memories.get_many(reader, sorted(ids), [state.id for state in states]))


def _visible(
    reader: Reader, principal: Principal, before: tuple[int, str] | None, portion: int
) -> Iterator[RecallTrace]:
    """The traces that the principal may see, newest first, read a portion at a time."""
    actor_id = None if principal.is_reviewer else principal.actor_id
    while True:
        found = recall_traces.page(reader, principal.workspace_id, actor_id=actor_id, before=before, limit=portion)
        yield from (trace for trace in found if may_see_trace(principal, trace))
        if len(found) < portion:
            return
        before = found[-1].created_at, found[-1].id


def _summary(principal: Principal, trace: RecallTrace, known: set[str]) -> TraceSummary:
    return TraceSummary(
        request_id=trace.id,
        at=from_us(trace.created_at),
        mode=trace.mode,
        asked_by=trace.actor_id,
        query=trace.query if is_asker(principal, trace) or not trace.is_private else PRIVATE,
        task_id=trace.request.get("task_id") or None,
        runtime_name=(trace.request.get("runtime") or {}).get("name") or None,
        returned=sum(met["memory_id"] in known for met in trace.returned),
        withheld=sum(met["memory_id"] in known for met in trace.withheld),
    )
