"""Widen: a human lets a memory travel further, for a reason. The only way outwards; nothing widens by itself.

What a human confirmed, they confirmed for the scope it was in (the second seed: "in its current scope"). Wider, it
informs and does not instruct until a reviewer confirms it there.
"""

from dataclasses import dataclass, replace

from goclaw.governance.audit import EventType
from goclaw.ingest.write import Writer
from goclaw.lifecycle.deed import WIDEN, Deed, keep_deed
from goclaw.lifecycle.review_desk import LIVING, guard_words, in_its_project, require_visible, visible_records
from goclaw.lifecycle.review_place import wider_place
from goclaw.lifecycle.review_request import read_notes, read_target
from goclaw.lifecycle.review_rights import require_human, require_reviewer
from goclaw.model.access import WriteWay
from goclaw.model.clock import from_us
from goclaw.model.errors import AccessDenied, Conflict, InvalidInput
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.use_policy import effective_review


@dataclass(frozen=True, slots=True)
class Widener:
    """Moves records outwards. The audit event says from where to where; the reason stands in the review row."""

    writer: Writer

    def widen(
        self,
        principal: Principal,
        memory_id: str,
        visibility: str,
        reason: str,
        *,
        project_id: str | None = None,
        channel_id: str | None = None,
    ) -> MemoryRecord:
        """The record in its new place. For reviewers who may write there, by own hand.

        Raises AccessDenied, InvalidInput, NotFound, UnsafeContent, and Conflict where the level is not wider.
        """
        require_human(principal)
        target = read_target(visibility, project_id, channel_id)
        notes = read_notes(reason)
        if notes is None:
            raise InvalidInput("Widening needs a reason.", "Say why more people shall read it.")
        with self.writer.database.read() as reader:
            before = require_visible(memory_id, visible_records(self.writer, reader, principal, [memory_id]))
        require_reviewer(principal, before)
        if not principal.is_reviewer:
            raise AccessDenied("Memory is widened by a reviewer.", "Ask a reviewer to write it where all see it.")
        if before.lifecycle not in LIVING:
            raise Conflict(f"A record that is {before.lifecycle} is not widened.", "Only active and stale ones are.")
        with self.writer.database.read() as reader:
            place = wider_place(principal, before, in_its_project(reader, principal.workspace_id, target))
        self.writer.check_access(principal, place, WriteWay.MEMORY_WRITE)
        guard_words(self.writer, principal, {"notes": notes})
        return self._keep(principal, before, place, notes)

    def _keep(self, principal: Principal, before: MemoryRecord, place: Namespace, reason: str) -> MemoryRecord:
        after = replace(
            before,
            namespace=place,
            review_status=_trust_there(before),
            restricted_from=None,
            updated_at=from_us(self.writer.clock.now()),
            version=before.version + 1,
        )
        deed = Deed(
            principal=principal,
            action=WIDEN,
            event_type=EventType.ACCESS_CHANGED,
            before=before,
            after=after,
            notes=reason,
        )
        indexed = deed.indexed(self.writer)
        self.writer.database.write(lambda unit: keep_deed(self.writer, unit, deed, indexed))
        self.writer.wake()
        return after


def _trust_there(record: MemoryRecord) -> ReviewStatus:
    status = effective_review(record.review_status, record.restricted_from)
    return ReviewStatus.EVIDENCE_ONLY if status is ReviewStatus.CONFIRMED else status
