"""Propose: whoever sees a record, an agent above all, says what should be decided about it. It decides nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from goclaw.ingest.draft import choice
from goclaw.ingest.write import Writer
from goclaw.lifecycle.deed import snapshot
from goclaw.lifecycle.review_desk import guard_words, require_related, require_visible, visible_records
from goclaw.lifecycle.review_request import read_notes
from goclaw.model.principal import Principal
from goclaw.model.review import ReviewAction, transition
from goclaw.storage import reviews
from goclaw.storage.database import Reader, Unit
from goclaw.storage.reviews import PROPOSED, ReviewRow


@dataclass(frozen=True, slots=True)
class Proposer:
    """Keeps proposals as review rows ``proposed:<action>``; the queue shows those that no decision has followed."""

    writer: Writer

    def propose(
        self,
        principal: Principal,
        memory_id: str,
        action: str,
        notes: str | None = None,
        *,
        related_id: str | None = None,
    ) -> ReviewRow:
        """The proposal as kept, or the one this principal has open already.

        Raises NotFound, InvalidInput, UnsafeContent, and Conflict where the action would not be legal.
        """
        word = choice(ReviewAction, action, "action")
        reason = read_notes(notes)
        with self.writer.database.read() as reader:
            seen = visible_records(self.writer, reader, principal, [memory_id, *([related_id] if related_id else ())])
        record = require_visible(memory_id, seen)
        transition(record.lifecycle, word)
        if related_id:
            require_related(record, related_id, seen)
        guard_words(self.writer, principal, {"notes": reason})
        state = snapshot(record)
        row = ReviewRow(
            id=self.writer.ids.new_id(),
            memory_id=record.id,
            workspace_id=record.workspace_id,
            action=f"{PROPOSED}{word}",
            actor_kind=str(principal.actor_kind),
            actor_id=principal.actor_id,
            before=state,
            after=state,
            notes=reason,
            related_id=related_id,
            created_at=self.writer.clock.now(),
        )
        return self.writer.database.write(lambda unit: _keep(unit, row))


def open_proposals(rows: Sequence[ReviewRow]) -> tuple[ReviewRow, ...]:
    """Those of a record's review rows (oldest first) that propose something, after the last decision."""
    is_proposal = [row.action.startswith(PROPOSED) for row in rows]
    decided = max((place for place, proposed in enumerate(is_proposal) if not proposed), default=-1)
    return tuple(rows[decided + 1 :])


def proposals_of(reader: Reader, memory_id: str) -> tuple[ReviewRow, ...]:
    """A record's open proposals, oldest first."""
    return open_proposals(reviews.of_memory(reader, memory_id))


def _what(row: ReviewRow) -> tuple[str | None, ...]:
    """Who proposes what. With the related record, so that nobody is answered with an id they did not name."""
    return row.actor_id, row.action, row.related_id


def _keep(unit: Unit, row: ReviewRow) -> ReviewRow:
    for known in proposals_of(unit, row.memory_id):
        if _what(known) == _what(row):
            return known  # said once is enough: an agent does not fill the queue by repeating itself
    reviews.append(unit, row)
    return row
