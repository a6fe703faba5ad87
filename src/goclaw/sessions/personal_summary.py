"""Personal summary: what a conversation came to, in the memory of the person with whom alone it was held (the seed).

One record a conversation, renewed when more of it is trimmed; generated, evidence at most, and never confirmed by
itself (engine.md 2.13). Nobody's where others took part.
"""

from dataclasses import dataclass, replace

from goclaw.governance.audit import EventType, event
from goclaw.ingest.draft import MAX_LABEL_CHARS
from goclaw.ingest.embedding_queue import ask_for_vectors
from goclaw.ingest.index import Indexed, index_record, replace_chunks, store_chunks
from goclaw.ingest.write import Writer, identity_of, was_forgotten
from goclaw.model.clock import from_us
from goclaw.model.errors import UnsafeContent
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.principal import MEMBER, Principal, RunKind
from goclaw.model.provenance import Provenance, SourceRef
from goclaw.model.record import Kind, MemoryDraft, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.model.session import Session, learned_from
from goclaw.model.tags import UNVERIFIED
from goclaw.settings.log import log_for
from goclaw.storage import audit_log, memories, namespaces
from goclaw.storage.database import Unit
from goclaw.storage.memories import RecordFilter

log = log_for(__name__)

SUMMARIZER = "session-summary"


@dataclass(frozen=True, slots=True)
class PersonalSummaries:
    """Keeps summaries as personal records."""

    writer: Writer

    def keep(self, session: Session, text: str) -> MemoryRecord | None:
        """The record, or None where the conversation was not one person's alone, or the write guard refuses it."""
        person = session.sole_person
        if person is None:
            return None
        summarizer = Principal(
            person, roles=(MEMBER,), workspace_id=session.workspace_id, run_kind=RunKind.AGENT, agent_id=SUMMARIZER
        )
        draft = _draft(session, text)
        try:
            flags = self.writer.check_content(summarizer, draft)
        except UnsafeContent:
            log.warning("summary_refused_by_the_write_guard")
            return None
        record = self._record(session, summarizer, draft, flags)
        indexed = index_record(record, self.writer.settings.memory.chunk)
        stored = self.writer.database.write(lambda unit: self._store(unit, summarizer, record, indexed))
        self.writer.wake()
        return stored

    def _record(
        self, session: Session, summarizer: Principal, draft: MemoryDraft, flags: tuple[str, ...]
    ) -> MemoryRecord:
        now = from_us(self.writer.clock.now())
        return MemoryRecord(
            id=self.writer.ids.new_id(),
            namespace=Namespace(session.workspace_id, Scope.PERSONAL, owner_user_id=summarizer.user_id or ""),
            kind=Kind.SUMMARY,
            content=draft.content,
            content_hash=identity_of(draft),
            lifecycle=Lifecycle.ACTIVE,
            provenance=Provenance.GENERATED,
            review_status=ReviewStatus.PENDING if flags else ReviewStatus.EVIDENCE_ONLY,
            actor_id=summarizer.actor_id,
            actor_kind=summarizer.actor_kind,
            created_at=now,
            updated_at=now,
            version=1,
            flags=flags,
            tags=(UNVERIFIED,) if session.is_unverified else (),
            metadata=learned_from(session, ()),
            source_refs=draft.source_refs,
            external_ref=draft.external_ref,
            session_id=draft.session_id,
            agent_id=SUMMARIZER,
            on_behalf_of=summarizer.user_id,
            last_seen_at=now,
        )

    def _store(self, unit: Unit, summarizer: Principal, record: MemoryRecord, indexed: Indexed) -> MemoryRecord | None:
        state = namespaces.find_or_make(unit, record.namespace)
        pending_days = self.writer.settings.governance.pending_days
        known = memories.page(unit, [state.id], filters=RecordFilter(external_ref=record.external_ref), limit=1)
        if was_forgotten(unit, state.id, record, None):
            return None
        if known:
            if known[0].review_status not in (ReviewStatus.EVIDENCE_ONLY, ReviewStatus.PENDING):
                return None  # its person decided about it: it stays as it is
            if known[0].lifecycle is not Lifecycle.ACTIVE:
                return None
            record = replace(record, id=known[0].id, created_at=known[0].created_at, version=known[0].version + 1)
            memories.replace(unit, record, known[0].version)
            replace_chunks(unit, record, state.id, indexed, pending_days, embed=self.writer.wants_vectors)
        else:
            memories.insert(unit, record, state.id)
            store_chunks(unit, record, state.id, indexed, pending_days, embed=self.writer.wants_vectors)
        now = self.writer.clock.now()
        if self.writer.wants_vectors:
            ask_for_vectors(unit, now)
        audit_log.append(unit, event(summarizer, EventType.MEMORY_WRITTEN, now, record=record, namespace_id=state.id))
        return record


def _draft(session: Session, text: str) -> MemoryDraft:
    return MemoryDraft(
        content=f"Summary of the conversation {session.session_id}:\n{text}",
        scope=Scope.PERSONAL,
        kind=Kind.SUMMARY,
        external_ref=f"session:{session.key}",
        source_refs=(SourceRef("conversation", title=session.session_id[:MAX_LABEL_CHARS]),),
        session_id=session.session_id,
    )
