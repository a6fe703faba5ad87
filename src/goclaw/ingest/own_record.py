"""Own records: what goclaw writes itself, one for each thing (a table, a conversation, a file), renewed in place.

Schema notes, summaries and copies of files go past access and first state, which are for what others write; the write
guard sees them like everything else. Evidence at most, and pending where the guard has doubts.
"""

from dataclasses import replace
from typing import Any

from goclaw.governance.audit import EventType, event
from goclaw.ingest.embedding_queue import ask_for_vectors
from goclaw.ingest.index import Indexed, replace_chunks, store_chunks
from goclaw.ingest.write import Writer, identity_of
from goclaw.model.clock import from_us
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal
from goclaw.model.provenance import Provenance
from goclaw.model.record import MemoryDraft, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.storage import audit_log, memories, namespaces
from goclaw.storage.database import Unit


def own_record(
    writer: Writer,
    author: Principal,
    draft: MemoryDraft,
    place: Namespace,
    provenance: Provenance,
    flags: tuple[str, ...],
    **more: Any,
) -> MemoryRecord:
    """The record a draft of ours becomes; ``more`` are fields of the record."""
    now = from_us(writer.clock.now())
    fields: dict[str, Any] = {
        "agent_id": author.agent_id,
        "on_behalf_of": author.person_id,
        "domain": draft.domain,
        "source_refs": draft.source_refs,
        "external_ref": draft.external_ref,
        "session_id": draft.session_id,
        "occurred_at": None if draft.occurred_at is None else from_us(draft.occurred_at),
        **more,
    }
    return MemoryRecord(
        id=writer.ids.new_id(),
        namespace=place,
        kind=draft.kind,
        content=draft.content,
        content_hash=identity_of(draft),
        lifecycle=Lifecycle.ACTIVE,
        provenance=provenance,
        review_status=ReviewStatus.PENDING if flags else ReviewStatus.EVIDENCE_ONLY,
        actor_id=author.actor_id,
        actor_kind=author.actor_kind,
        created_at=now,
        updated_at=now,
        last_seen_at=now,
        version=1,
        flags=flags,
        **fields,
    )


def renew(
    unit: Unit, writer: Writer, author: Principal, record: MemoryRecord, before: MemoryRecord | None, indexed: Indexed
) -> MemoryRecord | None:
    """Store the record in place of the one before, which keeps its id; None where that was changed meanwhile."""
    state = namespaces.find_or_make(unit, record.namespace)
    pending_days = writer.settings.governance.pending_days
    if before is None:
        memories.insert(unit, record, state.id)
        store_chunks(unit, record, state.id, indexed, pending_days, embed=writer.wants_vectors)
    else:
        record = replace(record, id=before.id, created_at=before.created_at, version=before.version + 1)
        if not memories.replace(unit, record, before.version):
            return None
        replace_chunks(unit, record, state.id, indexed, pending_days, embed=writer.wants_vectors)
    now = writer.clock.now()
    if writer.wants_vectors:
        ask_for_vectors(unit, now)
    audit_log.append(unit, event(author, EventType.MEMORY_WRITTEN, now, record=record, namespace_id=state.id))
    return record
