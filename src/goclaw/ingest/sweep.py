"""Sweep: makes permanent what time did to records: stale ones become stale, expired ones expired, with an audit row.

Nothing waits for it: search blocks and fetched records know their own deadlines.
"""

from dataclasses import dataclass, replace
from functools import partial

from goclaw.governance.audit import EventType, event
from goclaw.ingest.worker import JobRun
from goclaw.model.clock import Clock
from goclaw.model.freshness import chunk_policy, settle
from goclaw.model.job import JobKind, NewJob, Priority
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import Principal, RunKind
from goclaw.model.record import MemoryRecord
from goclaw.storage import audit_log, chunks, memories, namespaces
from goclaw.storage.database import Database, Unit

BATCH_CHUNKS = 200
SWEEP = NewJob(kind=JobKind.SWEEP, dedupe_key="due", workspace_id="", priority=Priority.INDEX)
_EVENTS = {Lifecycle.EXPIRED: EventType.MEMORY_EXPIRED, Lifecycle.STALE: EventType.MEMORY_STALE}


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Settles records whose time has come."""

    database: Database
    clock: Clock
    pending_days: int

    def sweep(self, run: JobRun) -> None:
        """The handler of ``sweep`` jobs."""
        done = 0
        while True:
            now = self.clock.now()
            with self.database.read() as reader:
                due = chunks.due(reader, now, BATCH_CHUNKS)
                records = memories.get_many(
                    reader, sorted({row.memory_id for row in due}), sorted({row.namespace_id for row in due})
                )
            if not records:
                return
            for record in records.values():
                self.database.write(partial(self._settle, record=record, now=now))
            done += len(records)
            run.report(done=done)

    def _settle(self, unit: Unit, *, record: MemoryRecord, now: int) -> None:
        settled = settle(record, now, self.pending_days)
        if settled.lifecycle is not record.lifecycle:
            settled = replace(settled, version=record.version + 1)
            if not memories.replace(unit, settled, record.version):
                return  # changed meanwhile; the next sweep looks again
            sweeper = Principal(None, workspace_id=record.workspace_id, run_kind=RunKind.CRON, agent_id="sys-sweep")
            audit_log.append(unit, event(sweeper, _EVENTS[settled.lifecycle], now, record=settled))
        policy = chunk_policy(settled, self.pending_days)
        slots = chunks.set_policy(unit, record.id, policy.bits, policy.due_at, policy.due_bits)
        for namespace_id in {slot >> 32 for slot in slots}:
            namespaces.note_changes(unit, namespace_id, slots)
