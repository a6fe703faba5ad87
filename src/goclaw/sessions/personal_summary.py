"""Personal summary: what a conversation came to, in the memory of the person with whom alone it was held (the seed).

One record a conversation, renewed when more of it is trimmed; generated, evidence at most, and never confirmed by
itself (engine.md 2.13). Nobody's where others took part.
"""

from dataclasses import dataclass

from goclaw.ingest.draft import MAX_LABEL_CHARS
from goclaw.ingest.index import Indexed, index_record
from goclaw.ingest.own_record import own_record, renew
from goclaw.ingest.write import Writer, was_forgotten
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
from goclaw.storage import memories, namespaces
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
        record = own_record(
            self.writer,
            summarizer,
            draft,
            Namespace(session.workspace_id, Scope.PERSONAL, owner_user_id=person),
            Provenance.GENERATED,
            flags,
            tags=(UNVERIFIED,) if session.is_unverified else (),
            metadata=learned_from(session, ()),
        )
        indexed = index_record(record, self.writer.settings.memory.chunk)
        stored = self.writer.database.write(lambda unit: self._store(unit, summarizer, record, indexed))
        self.writer.wake()
        return stored

    def _store(self, unit: Unit, summarizer: Principal, record: MemoryRecord, indexed: Indexed) -> MemoryRecord | None:
        state = namespaces.find_or_make(unit, record.namespace)
        if was_forgotten(unit, state.id, record, None):
            return None
        known = memories.page(unit, [state.id], filters=RecordFilter(external_ref=record.external_ref), limit=1)
        if known and _is_decided(known[0]):
            return None  # its person decided about it: it stays as it is
        return renew(unit, self.writer, summarizer, record, known[0] if known else None, indexed)


def _is_decided(record: MemoryRecord) -> bool:
    is_open = record.review_status in (ReviewStatus.EVIDENCE_ONLY, ReviewStatus.PENDING)
    return not is_open or record.lifecycle is not Lifecycle.ACTIVE


def _draft(session: Session, text: str) -> MemoryDraft:
    return MemoryDraft(
        content=f"Summary of the conversation {session.session_id}:\n{text}",
        scope=Scope.PERSONAL,
        kind=Kind.SUMMARY,
        external_ref=f"session:{session.key}",
        source_refs=(SourceRef("conversation", title=session.session_id[:MAX_LABEL_CHARS]),),
        session_id=session.session_id,
    )
