"""Review: a human decides about a record, by one of nine actions, and what follows is kept in one unit of work.

The table of ``model/review.py`` says what is legal and what it does; ``review_effects`` makes the record that follows.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from goclaw.governance.audit import EventType
from goclaw.ingest.index import renew_chunks
from goclaw.ingest.write import Writer
from goclaw.lifecycle.deed import Deed, keep_deed
from goclaw.lifecycle.review_desk import guard_words, in_its_project, require_related, require_visible, visible_records
from goclaw.lifecycle.review_effects import (
    absorbing,
    after_step,
    retired_for,
    with_flags,
    with_tags,
    with_words,
)
from goclaw.lifecycle.review_place import narrower_place
from goclaw.lifecycle.review_request import ReviewRequest, read_review
from goclaw.lifecycle.review_rights import require_human, require_reviewer
from goclaw.model.access import ManagedChannels, is_inside
from goclaw.model.clock import from_us, to_us
from goclaw.model.errors import AccessDenied, VersionConflict
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewAction, transition
from goclaw.model.tags import CRITICAL
from goclaw.storage import audit_log, channels, memories, record_links
from goclaw.storage.database import Reader, Unit
from goclaw.storage.record_links import Relation

_EVENTS = {
    ReviewAction.CONFIRM: EventType.MEMORY_CONFIRMED,
    ReviewAction.EDIT: EventType.MEMORY_EDITED,
    ReviewAction.EVIDENCE_ONLY: EventType.MEMORY_EVIDENCE_ONLY,
    ReviewAction.RESTRICT_SCOPE: EventType.MEMORY_RESTRICTED,
    ReviewAction.MARK_STALE: EventType.MEMORY_STALE,
    ReviewAction.MERGE: EventType.MEMORY_MERGED,
    ReviewAction.REJECT: EventType.MEMORY_REJECTED,
    ReviewAction.DISPUTE: EventType.MEMORY_DISPUTED,
    ReviewAction.SUPERSEDE: EventType.MEMORY_SUPERSEDED,
}
# What the reviewed record is to the related one, and the other way round.
_RELATIONS = {
    ReviewAction.MERGE: (Relation.MERGED_INTO, Relation.MERGED_FROM),
    ReviewAction.SUPERSEDE: (Relation.SUPERSEDED_BY, Relation.SUPERSEDES),
    ReviewAction.DISPUTE: (Relation.CONFLICTS_WITH, Relation.CONFLICTS_WITH),
}


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Decides about records. A rejected record stays as its own tombstone: its text does not come back by itself."""

    writer: Writer

    def review(
        self,
        principal: Principal,
        memory_id: str,
        action: str,
        *,
        content: str | None = None,
        summary: str | None = None,
        visibility: str | None = None,
        project_id: str | None = None,
        channel_id: str | None = None,
        related_id: str | None = None,
        notes: str | None = None,
        tags: Iterable[str] | None = None,
    ) -> MemoryRecord:
        """The record as it is after the decision.

        Raises AccessDenied for all but a reviewer's own hand (or the owner's, of personal memory), InvalidInput where
        the action lacks what it needs, NotFound, Conflict that names the legal actions, and UnsafeContent.
        """
        require_human(principal)
        request = read_review(
            action,
            content=content,
            summary=summary,
            visibility=visibility,
            project_id=project_id,
            channel_id=channel_id,
            related_id=related_id,
            notes=notes,
            tags=tags,
            max_content_chars=self.writer.settings.memory.max_content_chars,
        )
        with self.writer.database.read() as reader:
            before, related = self._case(reader, principal, memory_id, request)
        after = self._after(principal, before, related, request)
        guard_words(self.writer, principal, {"notes": request.notes})
        deed = Deed(
            principal=principal,
            action=request.action,
            event_type=_EVENTS[request.action],
            before=before,
            after=after,
            related=related,
            notes=request.notes,
        )
        indexed = deed.indexed(self.writer)

        def keep(unit: Unit) -> None:
            keep_deed(self.writer, unit, deed, indexed)
            if related is not None:
                self._join(unit, deed, request.action, related.id)

        self.writer.database.write(keep)
        self.writer.wake()
        return after

    def _case(
        self, reader: Reader, principal: Principal, memory_id: str, request: ReviewRequest
    ) -> tuple[MemoryRecord, MemoryRecord | None]:
        """The record and the related one, both as they are now, if this reviewer may take this action on them."""
        wanted = [memory_id, *([request.related_id] if request.related_id else ())]
        seen = visible_records(self.writer, reader, principal, wanted)
        record = require_visible(memory_id, seen)
        require_reviewer(principal, record)
        if request.confirms and self.writer.settings.governance.four_eyes:
            _require_other_eyes(reader, principal, record)
        transition(record.lifecycle, request.action)
        return record, require_related(record, request.related_id, seen) if request.related_id else None

    def _after(
        self, principal: Principal, before: MemoryRecord, related: MemoryRecord | None, request: ReviewRequest
    ) -> MemoryRecord:
        now = from_us(self.writer.clock.now())
        after = after_step(before, transition(before.lifecycle, request.action), now)
        if request.tags is not None:
            guard_words(self.writer, principal, {"tags": (*request.tags, *request.tags_as_given)})
            after = with_tags(after, self._due_tags(principal, before, request.tags))
        if request.action is ReviewAction.EDIT:
            after = with_words(after, request.content, request.summary)
            flags = guard_words(self.writer, principal, {"content": after.content, "summary": after.summary})
            after = with_flags(after, flags)
        if request.target is not None:
            after = replace(after, namespace=self._narrower(principal, before, request))
        if request.action is ReviewAction.SUPERSEDE and related is not None:
            after = retired_for(after, related, request.notes, now)
        return after

    def _due_tags(self, principal: Principal, record: MemoryRecord, tags: tuple[str, ...]) -> tuple[str, ...]:
        """``critical`` is given by a reviewer, or by whom a write would let; elsewhere it falls off."""
        may_tag = principal.is_reviewer or self.writer.may_tag_critical(principal) or CRITICAL in record.tags
        return tags if may_tag else tuple(tag for tag in tags if tag != CRITICAL)

    def _narrower(self, principal: Principal, record: MemoryRecord, request: ReviewRequest) -> Namespace:
        assert request.target is not None, "read_review asks for it"
        with self.writer.database.read() as reader:
            target = request.target
            if not record.project_id:
                target = in_its_project(reader, principal.workspace_id, target)
            place = narrower_place(principal, record, target)
            managed = ManagedChannels(channels.managed_ids(reader, place.workspace_id))
        if not place.owner_user_id and not is_inside(principal, place, managed):
            raise AccessDenied("You are not a member there.", "Name a project or channel you belong to.")
        return place

    def _join(self, unit: Unit, deed: Deed, action: ReviewAction, related_id: str) -> None:
        """Link the two, and put the one that stays in the place of the one that gives way.

        The related record is looked at once more: it may have been decided about in the meantime.
        """
        seen = visible_records(self.writer, unit, deed.principal, [related_id])
        related = require_related(deed.before, related_id, seen)
        now = to_us(deed.after.updated_at)
        there, back = _RELATIONS[action]
        if action is not ReviewAction.DISPUTE:
            self._put_in_place(unit, deed, action, related)
            _hand_over(unit, deed.after.id, related.id, now)
        record_links.add(unit, deed.after.id, there, related.id, now)
        record_links.add(unit, related.id, back, deed.after.id, now)

    def _put_in_place(self, unit: Unit, deed: Deed, action: ReviewAction, related: MemoryRecord) -> None:
        """The one that stays, in a new version: of two reviewers who let it and another give way to each other, the
        second one is refused, on every engine.
        """
        stays = replace(related, version=related.version + 1)
        if action is ReviewAction.MERGE:
            stays = absorbing(related, deed.before, deed.after.updated_at)
        if not memories.replace(unit, stays, related.version):
            raise VersionConflict("The related memory was changed meanwhile.", "Look again, and decide then.")
        renew_chunks(unit, stays, self.writer.settings.governance.pending_days)


def _require_other_eyes(reader: Reader, principal: Principal, record: MemoryRecord) -> None:
    """``governance.four_eyes``: who wrote the record, or put words into it since, does not confirm it."""
    actor = principal.actor_id
    edited = audit_log.page(
        reader,
        record.workspace_id,
        event_type=EventType.MEMORY_EDITED,
        actor_id=actor,
        memory_id=record.id,
        limit=1,
    )
    if record.actor_id == actor or edited:
        raise AccessDenied("Nobody confirms what they wrote themselves.", "Ask another reviewer.")


def _hand_over(unit: Unit, gives_way: str, stays: str, now: int) -> None:
    """What had given way to the one that now gives way itself points to the one that stays."""
    for there, back in (_RELATIONS[ReviewAction.MERGE], _RELATIONS[ReviewAction.SUPERSEDE]):
        for memory_id in record_links.repoint(unit, there, gives_way, stays):
            record_links.remove(unit, gives_way, back, memory_id)
            record_links.add(unit, stays, back, memory_id, now)
