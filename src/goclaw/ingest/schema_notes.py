"""Schema notes: what db_analyze and db_enrich learned about a table. One note a table; found, never injected."""

from dataclasses import dataclass, replace

from goclaw.governance.audit import EventType, event
from goclaw.ingest.draft import checked_content, label
from goclaw.ingest.embedding_queue import ask_for_vectors
from goclaw.ingest.index import Indexed, index_record, replace_chunks, store_chunks
from goclaw.ingest.write import Writer, identity_of
from goclaw.model.clock import from_us
from goclaw.model.errors import AccessDenied, InvalidInput
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal, RunKind
from goclaw.model.provenance import Provenance, SourceRef
from goclaw.model.record import Kind, MemoryDraft, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.storage import audit_log, memories, namespaces
from goclaw.storage.database import Unit
from goclaw.storage.memories import RecordFilter

# A schema note is read by everybody, so outside input (webhooks) and regular users do not write it.
_WRITING_RUNS = (RunKind.SOP, RunKind.CRON, RunKind.IMPORT)


@dataclass(frozen=True, slots=True)
class SchemaNotes:
    """Stores schema notes in scope ``db_cache``."""

    writer: Writer

    def write(self, principal: Principal, datasource: str, table: str, text: str) -> MemoryRecord:
        """Store the note of a table in place of its last one. Evidence, never an instruction.

        For administrators, agents that act for one, and SOP, cron and import runs.
        """
        if not (principal.run_kind in _WRITING_RUNS or (principal.person_id is not None and principal.is_admin)):
            raise AccessDenied("Schema notes are written by administrators and SOP, cron or import runs.")
        draft = self._draft(datasource, table, text)
        flags = self.writer.check_content(principal, draft)
        record = self._record(principal, draft, flags)
        indexed = index_record(record, self.writer.settings.memory.chunk)
        stored = self.writer.database.write(lambda unit: self._store(unit, principal, record, indexed))
        self.writer.wake()
        return stored

    def _draft(self, datasource: str, table: str, text: str) -> MemoryDraft:
        source, name = label(datasource, "datasource"), label(table, "table")
        if source is None or name is None:
            raise InvalidInput("A schema note belongs to a datasource and a table.", "Name both.")
        return MemoryDraft(
            content=checked_content(text, self.writer.settings.memory.max_content_chars),
            scope=Scope.DB_CACHE,
            kind=Kind.SCHEMA,
            domain=source,
            external_ref=f"{source}.{name}",
            source_refs=(SourceRef("table", title=f"{source}.{name}"),),  # so that its name finds it
        )

    def _record(self, principal: Principal, draft: MemoryDraft, flags: tuple[str, ...]) -> MemoryRecord:
        now = from_us(self.writer.clock.now())
        return MemoryRecord(
            id=self.writer.ids.new_id(),
            namespace=Namespace(principal.workspace_id, Scope.DB_CACHE),
            kind=draft.kind,
            content=draft.content,
            content_hash=identity_of(draft),
            lifecycle=Lifecycle.ACTIVE,
            provenance=Provenance.OBSERVED,
            review_status=ReviewStatus.PENDING if flags else ReviewStatus.EVIDENCE_ONLY,
            actor_id=principal.actor_id,
            actor_kind=principal.actor_kind,
            created_at=now,
            updated_at=now,
            version=1,
            domain=draft.domain,
            flags=flags,
            source_refs=draft.source_refs,
            external_ref=draft.external_ref,
            agent_id=principal.agent_id,
            on_behalf_of=principal.person_id,
            last_seen_at=now,
        )

    def _store(self, unit: Unit, principal: Principal, record: MemoryRecord, indexed: Indexed) -> MemoryRecord:
        state = namespaces.find_or_make(unit, record.namespace)
        pending_days = self.writer.settings.governance.pending_days
        known = memories.page(
            unit, [state.id], filters=RecordFilter(external_ref=record.external_ref), before=None, limit=1
        )
        if known:
            record = replace(record, id=known[0].id, created_at=known[0].created_at, version=known[0].version + 1)
            memories.replace(unit, record, known[0].version)
            replace_chunks(unit, record, state.id, indexed, pending_days, embed=self.writer.wants_vectors)
        else:
            memories.insert(unit, record, state.id)
            store_chunks(unit, record, state.id, indexed, pending_days, embed=self.writer.wants_vectors)
        now = self.writer.clock.now()
        if self.writer.wants_vectors:
            ask_for_vectors(unit, now)
        audit_log.append(unit, event(principal, EventType.MEMORY_WRITTEN, now, record=record))
        return record
