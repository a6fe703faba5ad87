"""Deed: one decision of a human about one record, and the unit that keeps it.

Record, place, chunks, links, the row that says what was before and after, and exactly one audit event: all or nothing.
"""

from dataclasses import dataclass
from typing import Any

from goclaw.governance.audit import EventType, event
from goclaw.ingest.embedding_queue import ask_for_vectors
from goclaw.ingest.index import Indexed, index_record, renew_chunks, replace_chunks
from goclaw.ingest.write import Writer
from goclaw.lifecycle.review_place import is_seen_within
from goclaw.model.clock import to_us
from goclaw.model.errors import VersionConflict
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.storage import audit_log, memories, namespaces, reviews
from goclaw.storage.database import Unit
from goclaw.storage.reviews import ReviewRow

WIDEN = "widen"  # beside the nine actions, in the same rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """A decision that has been taken, and is legal."""

    principal: Principal
    action: str  # as the review row calls it
    event_type: EventType
    before: MemoryRecord
    after: MemoryRecord
    related: MemoryRecord | None = None
    notes: str | None = None
    why: str | None = None  # a word of ours for the audit row, where the action alone does not say it

    @property
    def changes_index(self) -> bool:
        """Whether the chunks lie elsewhere or are found by other words afterwards."""
        return (
            self.before.namespace != self.after.namespace
            or self.before.content != self.after.content
            or self.before.tags != self.after.tags
        )

    def indexed(self, writer: Writer) -> Indexed | None:
        """The new chunks, made before the unit begins; None where the old ones stay."""
        return index_record(self.after, writer.settings.memory.chunk) if self.changes_index else None


def keep_deed(writer: Writer, unit: Unit, deed: Deed, indexed: Indexed | None) -> None:
    """Store it. Raises VersionConflict where somebody changed the record since the reviewer saw it."""
    after = deed.after
    if not memories.replace(unit, after, deed.before.version):
        raise VersionConflict("The memory was changed since you looked at it.", "Look again, and decide then.")
    state = namespaces.find_or_make(unit, after.namespace)
    if deed.before.namespace != after.namespace:
        memories.move(unit, after.id, state.id)
    pending_days = writer.settings.governance.pending_days
    if indexed is None:
        renew_chunks(unit, after, pending_days)
    else:
        replace_chunks(unit, after, state.id, indexed, pending_days, embed=writer.wants_vectors)
        if writer.wants_vectors:
            ask_for_vectors(unit, to_us(after.updated_at))
    row = _row(writer, deed)
    reviews.append(unit, row)
    happened = event(
        deed.principal,
        deed.event_type,
        to_us(after.updated_at),
        record=after,
        namespace_id=state.id,
        detail=_audit_detail(deed) | {"review_id": row.id},
    )
    audit_log.append(unit, happened)


def snapshot(record: MemoryRecord, *, with_text: bool = False) -> dict[str, Any]:
    """What a review row keeps of a record: its state and place, and the text where that was changed."""
    place = record.namespace
    state: dict[str, Any] = {
        "provenance_status": record.provenance,
        "lifecycle_status": record.lifecycle,
        "review_status": record.review_status,
        "restricted_from": record.restricted_from,
        "visibility": place.visibility,
        "project_id": place.project_id or None,
        "channel_id": place.channel_id or None,
    }
    return state | ({"content": record.content, "summary": record.summary} if with_text else {})


def _row(writer: Writer, deed: Deed) -> ReviewRow:
    new_text = (deed.before.content, deed.before.summary) != (deed.after.content, deed.after.summary)
    return ReviewRow(
        id=writer.ids.new_id(),
        memory_id=deed.after.id,
        workspace_id=deed.after.workspace_id,
        action=str(deed.action),
        actor_kind=str(deed.principal.actor_kind),
        actor_id=deed.principal.actor_id,
        before=snapshot(deed.before, with_text=new_text),
        after=snapshot(deed.after, with_text=new_text),
        notes=deed.notes,
        related_id=None if deed.related is None else deed.related.id,
        created_at=to_us(deed.after.updated_at),
    )


def _audit_detail(deed: Deed) -> dict[str, Any]:
    """Words and ids; the related id only where everybody who reads the record may know that one."""
    detail: dict[str, Any] = {} if deed.why is None else {"why": deed.why}
    if deed.before.namespace != deed.after.namespace:
        detail |= {"from": deed.before.visibility, "to": deed.after.visibility}
    if deed.related is not None and is_seen_within(deed.after.namespace, deed.related.namespace):
        detail["related_id"] = deed.related.id
    return detail
