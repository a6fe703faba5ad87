"""Inspection: everything about one record that its asker may know."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goclaw.ingest.write import Writer
from goclaw.lifecycle.deed import WIDEN
from goclaw.lifecycle.review_desk import require_visible, visible_records
from goclaw.model.access import ManagedChannels, is_inside
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.use_policy import UsePolicy
from goclaw.storage import channels, record_links, record_origins, reviews
from goclaw.storage.record_links import Link, Relation
from goclaw.storage.record_origins import Origin
from goclaw.storage.reviews import ReviewRow

_TEXTS = ("content", "summary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A record with its history. Ids of records the asker may not see are left out."""

    record: MemoryRecord
    use_policy: UsePolicy  # for this asker: outside its project or channel a record never instructs
    origin: Origin | None  # task, runtime, models and artifacts of the write-back it came with
    links: tuple[Link, ...]
    reviews: tuple[ReviewRow, ...]  # decisions and proposals, oldest first
    conflicts: tuple[MemoryRecord, ...]  # the other sides of its disputes


@dataclass(frozen=True, slots=True)
class Inspector:
    """Reads one record with all that hangs on it, in one snapshot."""

    writer: Writer

    def inspect(self, principal: Principal, memory_id: str) -> Inspection:
        """Raises NotFound, also where the principal may not see the record."""
        with self.writer.database.read() as reader:
            record = require_visible(memory_id, visible_records(self.writer, reader, principal, [memory_id]))
            links = record_links.of(reader, [memory_id]).get(memory_id, [])
            rows = reviews.of_memory(reader, memory_id)
            ids = {link.to_id for link in links} | {row.related_id for row in rows if row.related_id}
            others = visible_records(self.writer, reader, principal, sorted(ids))
            managed = ManagedChannels(channels.managed_ids(reader, record.workspace_id))
            origin = record_origins.get_many(reader, [memory_id]).get(memory_id)
        return Inspection(
            record=record,
            use_policy=record.policy_for(inside=is_inside(principal, record.namespace, managed)),
            origin=origin,
            links=tuple(link for link in links if link.to_id in others),
            reviews=_told(rows, others),
            conflicts=tuple(
                others[link.to_id]
                for link in links
                if link.relation is Relation.CONFLICTS_WITH and link.to_id in others
            ),
        )


def _told(rows: Sequence[ReviewRow], visible: Collection[str]) -> tuple[ReviewRow, ...]:
    """The rows without ids that are not for the asker.

    What was said before the record was last widened was said to fewer people: those rows keep states, not texts.
    """
    widened = max((place for place, row in enumerate(rows) if row.action == WIDEN), default=0)
    return tuple(
        replace(
            row,
            before=_without_text(row.before) if place < widened else row.before,
            after=_without_text(row.after) if place < widened else row.after,
            notes=None if place < widened else row.notes,
            related_id=row.related_id if row.related_id in visible else None,
        )
        for place, row in enumerate(rows)
    )


def _without_text(state: Any) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name not in _TEXTS}
