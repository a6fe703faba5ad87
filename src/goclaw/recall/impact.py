"""Impact: how far one memory has reached: the recalls that met it, their tasks, and the records made from it.

As far as the asker may see: recalls of their own, or of the workspace for a reviewer; records they may read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from goclaw.model.access import Reading, WriteAccess
from goclaw.model.clock import from_us
from goclaw.model.errors import NotFound
from goclaw.model.principal import Principal
from goclaw.model.storable import is_storable
from goclaw.recall.find_trace import may_see_trace
from goclaw.recall.readable import readable_states
from goclaw.storage import memories, recall_traces, record_links, record_origins, trace_items
from goclaw.storage.database import Database, Reader
from goclaw.storage.recall_traces import RecallTrace
from goclaw.storage.record_links import Relation
from goclaw.storage.trace_items import TraceItem

MAX_RECALLS = 1_000  # the newest; a memory that everybody is given stands in more traces than anybody reads
MAX_DERIVED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MetBy:
    """One recall that met the memory."""

    request_id: str
    at: datetime
    mode: str  # automatic, explicit
    asked_by: str  # an actor id
    task_id: str | None
    rank: int | None  # None: it was withheld
    withheld_why: str | None
    used: bool | None  # as reported; None while nothing was reported


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchedTask:
    """A task that was given the memory."""

    task_id: str | None  # None where neither the recall nor the write-back after it named one
    request_ids: tuple[str, ...]
    written_back: tuple[str, ...]  # records that came out of it afterwards


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A record that took something over from the memory, directly or through others."""

    memory_id: str
    relation: str  # derived_from, merged_into
    of: str  # the record it took it from


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """Everything one memory has touched."""

    memory_id: str
    recalls: tuple[MetBy, ...]  # newest first
    tasks: tuple[TouchedTask, ...]
    derived: tuple[Derived, ...]  # nearest first
    is_complete: bool  # False: there are older recalls than these


@dataclass(frozen=True, slots=True)
class ImpactReports:
    """Says what a memory has touched."""

    database: Database
    write_access: WriteAccess

    def report(self, principal: Principal, memory_id: str) -> Impact:
        """Raises NotFound, also where the principal may not read the record."""
        self.database.flush_later()  # traces of recalls that were just answered
        with self.database.read() as reader:
            states = readable_states(reader, principal, self.write_access, Reading.MANAGE)
            impacts = ImpactReader(reader, principal, [state.id for state in states])
            if not is_storable(memory_id) or memory_id not in impacts.readable([memory_id]):
                raise NotFound("There is no such memory.", "Check the id.")
            return impacts.of(memory_id)


class ImpactReader:
    """Reads the impact of one memory or many in one snapshot; a trace that several share is read once."""

    def __init__(self, reader: Reader, principal: Principal, namespace_ids: Sequence[int]) -> None:
        self._reader = reader
        self._principal = principal
        self._namespace_ids = namespace_ids
        self._traces: dict[str, RecallTrace | None] = {}
        self._written: dict[str, dict[str, str | None]] = {}

    def readable(self, memory_ids: Iterable[str]) -> set[str]:
        """Those of the ids that the asker may read now."""
        return set(memories.get_many(self._reader, list(dict.fromkeys(memory_ids)), self._namespace_ids))

    def of(self, memory_id: str) -> Impact:
        """The impact of a record the asker may read."""
        items = trace_items.of_memory(self._reader, memory_id)
        met = [
            (item, trace)
            for item in reversed(items[-MAX_RECALLS:])
            if (trace := self._trace(item.trace_id)) is not None
        ]
        return Impact(
            memory_id=memory_id,
            recalls=tuple(_met_by(item, trace) for item, trace in met),
            tasks=self._tasks([trace for item, trace in met if item.rank is not None]),
            derived=self._derived(memory_id),
            is_complete=len(items) <= MAX_RECALLS,
        )

    def _trace(self, trace_id: str) -> RecallTrace | None:
        """The trace, or None where it is not for the asker."""
        if trace_id not in self._traces:
            trace = recall_traces.get(self._reader, self._principal.workspace_id, trace_id)
            is_shown = trace is not None and may_see_trace(self._principal, trace)
            self._traces[trace_id] = trace if is_shown else None
        return self._traces[trace_id]

    def _tasks(self, traces: Sequence[RecallTrace]) -> tuple[TouchedTask, ...]:
        """The tasks of recalls that returned the memory: as the recall named them, and as what came of it does."""
        requests: dict[str | None, dict[str, None]] = {}
        written: dict[str | None, list[str]] = {}
        for trace in traces:
            own_task = _task_of(trace)
            if own_task is not None:
                requests.setdefault(own_task, {})[trace.id] = None
            for memory_id, task_id in self._written_after(trace.id).items():
                requests.setdefault(task_id or own_task, {})[trace.id] = None
                written.setdefault(task_id or own_task, []).append(memory_id)
        return tuple(
            TouchedTask(task_id=task, request_ids=tuple(ids), written_back=tuple(written.get(task, ())))
            for task, ids in requests.items()
        )

    def _written_after(self, trace_id: str) -> dict[str, str | None]:
        """Readable records that were written back after a recall, with the task they name."""
        if trace_id not in self._written:
            ids = record_origins.of_trace(self._reader, trace_id)
            origins = record_origins.get_many(self._reader, ids)
            shown = self.readable(ids)
            self._written[trace_id] = {each: origins[each].task_id for each in ids if each in shown}
        return self._written[trace_id]

    def _derived(self, memory_id: str) -> tuple[Derived, ...]:
        found: dict[str, Derived] = {}
        waiting = [memory_id]
        while waiting and len(found) < MAX_DERIVED:
            source = waiting.pop(0)
            near = [each for each in self._made_from(source) if each.memory_id not in (*found, memory_id)]
            shown = self.readable(each.memory_id for each in near)
            for each in near:
                if each.memory_id in shown:
                    found[each.memory_id] = each
                    waiting.append(each.memory_id)
        return tuple(found.values())

    def _made_from(self, source: str) -> list[Derived]:
        pointing = record_links.pointing_to(self._reader, source, Relation.DERIVED_FROM)
        made = [Derived(memory_id=each, relation=Relation.DERIVED_FROM, of=source) for each in pointing]
        links = record_links.of(self._reader, [source]).get(source, [])
        merged = [link.to_id for link in links if link.relation is Relation.MERGED_INTO]
        return [*made, *(Derived(memory_id=each, relation=Relation.MERGED_INTO, of=source) for each in merged)]


def _met_by(item: TraceItem, trace: RecallTrace) -> MetBy:
    return MetBy(
        request_id=trace.id,
        at=from_us(trace.created_at),
        mode=trace.mode,
        asked_by=trace.actor_id,
        task_id=_task_of(trace),
        rank=item.rank,
        withheld_why=item.withheld_why,
        used=item.used,
    )


def _task_of(trace: RecallTrace) -> str | None:
    task_id = trace.request.get("task_id")
    return task_id if isinstance(task_id, str) and task_id else None
