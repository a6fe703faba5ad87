"""Schema notes: what db_analyze and db_enrich learned about a table. One note a table; found, never injected."""

from dataclasses import dataclass

from goclaw.ingest.draft import checked_content, label
from goclaw.ingest.index import Indexed, index_record
from goclaw.ingest.own_record import own_record, renew
from goclaw.ingest.write import Writer
from goclaw.model.errors import AccessDenied, InvalidInput
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal, RunKind
from goclaw.model.provenance import Provenance, SourceRef
from goclaw.model.record import Kind, MemoryDraft, MemoryRecord
from goclaw.model.scope import Scope
from goclaw.storage import memories, namespaces
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
        place = Namespace(principal.workspace_id, Scope.DB_CACHE)
        record = own_record(self.writer, principal, draft, place, Provenance.OBSERVED, flags)
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

    def _store(self, unit: Unit, principal: Principal, record: MemoryRecord, indexed: Indexed) -> MemoryRecord:
        state = namespaces.find_or_make(unit, record.namespace)
        known = memories.page(unit, [state.id], filters=RecordFilter(external_ref=record.external_ref), limit=1)
        stored = renew(unit, self.writer, principal, record, known[0] if known else None, indexed)
        assert stored is not None, "nobody changes a note between two statements of one unit"
        return stored
