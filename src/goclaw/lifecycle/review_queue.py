"""Review queue: what waits for a human, newest first, for those who may decide it or, as agents, may see it.

In it stand pending records (also those restricted while they were pending), both sides of every dispute, and records
about which a proposal is open. Newest first, because a cursor then never skips what came in meanwhile; who wants the
urgent ones first asks for one priority after the other.
"""

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from goclaw.ingest.write import Writer
from goclaw.lifecycle.propose import proposals_of
from goclaw.lifecycle.queue_entry import Priority, QueueEntry, entry_of, priority_of, waits
from goclaw.lifecycle.review_desk import LIVING, visible_records
from goclaw.lifecycle.review_rights import may_review
from goclaw.model.access import Reading
from goclaw.model.clock import DAY, from_us, to_us
from goclaw.model.freshness import settle
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import Principal, RunKind
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.recall.browse import check_filters
from goclaw.recall.cursor import MAX_PAGE, check_page_size, decode_cursor, encode_cursor
from goclaw.recall.readable import readable_states
from goclaw.storage import memories, record_links, reviews
from goclaw.storage.database import Reader
from goclaw.storage.memories import EVERYTHING, RecordFilter
from goclaw.storage.record_links import Relation

_WAITING = (ReviewStatus.PENDING, ReviewStatus.RESTRICTED)
_OWN_FIELDS = ("scope", "kind", "project_id", "session_id", "external_ref", "actor_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage:
    """Some entries, the cursor of the next ones (None at the end), and the user who owns the queue."""

    entries: tuple[QueueEntry, ...]
    next_cursor: str | None
    owner: str | None  # governance.review_owner


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """Lists what waits. A count or a page never shows that something exists which its asker may not read."""

    writer: Writer

    def page(
        self,
        principal: Principal,
        filters: RecordFilter = EVERYTHING,
        *,
        priority: Priority | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> QueuePage:
        """Up to ``limit`` (1-200) entries that pass the filters, newest first; with ``priority``, only those."""
        check_page_size(limit)
        check_filters(filters)
        before = None if cursor is None else _place_of(cursor, self.writer.clock.now())
        with self.writer.database.read() as reader:
            waiting = _Walk(self.writer, reader, principal).records(filters, before)
            chosen = (record for record in waiting if priority in (None, priority_of(record)))
            found = list(islice(chosen, limit + 1))
            entries = tuple(self._entry(reader, principal, record) for record in found[:limit])
        return QueuePage(
            entries=entries,
            next_cursor=_cursor_behind(found[limit - 1]) if len(found) > limit else None,
            owner=self.writer.settings.governance.review_owner,
        )

    def _entry(self, reader: Reader, principal: Principal, record: MemoryRecord) -> QueueEntry:
        sides = _other_sides(reader, [record.id])
        proposals = proposals_of(reader, record.id)
        named = [*sides, *(row.related_id for row in proposals if row.related_id)]
        seen = visible_records(self.writer, reader, principal, named)
        return entry_of(
            record,
            self.writer.clock.now(),
            [side for side in sides if side in seen],
            [row if row.related_id in seen else replace(row, related_id=None) for row in proposals],
        )


@dataclass(frozen=True, slots=True)
class _Walk:
    """One walk through the queue of one principal, in one snapshot."""

    writer: Writer
    reader: Reader
    principal: Principal

    def records(self, filters: RecordFilter, before: tuple[datetime, str] | None) -> Iterator[MemoryRecord]:
        """Waiting records after ``before``, newest first, each once."""
        pending = replace(filters, lifecycles=LIVING, review_statuses=_WAITING)
        disputed = list(self._stored(replace(filters, lifecycles=(Lifecycle.DISPUTED,)), None))
        beside = sorted(self._beside(disputed, filters), key=_moment, reverse=True)
        streams = (self._stored(pending, before), _after(disputed, before), _after(beside, before))
        return heapq.merge(*streams, key=_moment, reverse=True)

    def _stored(self, filters: RecordFilter, before: tuple[datetime, str] | None) -> Iterator[MemoryRecord]:
        """Records that wait by their own state, read a page at a time."""
        states = readable_states(self.reader, self.principal, self.writer.write_access, Reading.MANAGE)
        namespaces = [state.id for state in states]
        while True:
            found = memories.page(self.reader, namespaces, filters=filters, before=before, limit=MAX_PAGE)
            settled = (self._settled(record) for record in found)
            yield from (record for record in settled if waits(record) and self._is_shown(record))
            if len(found) < MAX_PAGE:
                return
            before = _moment(found[-1])

    def _beside(self, disputed: Iterable[MemoryRecord], filters: RecordFilter) -> list[MemoryRecord]:
        """The other sides of disputes, and records with an open proposal, that would not stand here by themselves.

        Filters that look beyond the record itself (its task, its runtime) are for what waits by its own state.
        """
        own = {name: getattr(filters, name) for name in _OWN_FIELDS}
        if filters != RecordFilter(**own):
            return []
        sides = _other_sides(self.reader, [record.id for record in disputed])
        since = self.writer.clock.now() - self.writer.settings.governance.pending_days * DAY
        proposed = reviews.proposed_since(self.reader, self.principal.workspace_id, since)
        ids = [*sides, *(memory_id for memory_id in proposed if proposals_of(self.reader, memory_id))]
        seen = visible_records(self.writer, self.reader, self.principal, ids)
        return [
            record
            for record in seen.values()
            if record.lifecycle in LIVING
            and not waits(record)
            and self._is_shown(record)
            and all(wanted in (None, getattr(record, name)) for name, wanted in own.items())
        ]

    def _is_shown(self, record: MemoryRecord) -> bool:
        """People are shown what they may decide; agents, imports and jobs what they may see."""
        return self.principal.run_kind is not RunKind.PERSON or may_review(self.principal, record)

    def _settled(self, record: MemoryRecord) -> MemoryRecord:
        return settle(record, self.writer.clock.now(), self.writer.settings.governance.pending_days)


def _cursor_behind(last: MemoryRecord) -> str:
    return encode_cursor(to_us(last.created_at), last.id)


def _place_of(cursor: str, now: int) -> tuple[datetime, str]:
    moment, last_id = decode_cursor(cursor)
    return from_us(min(max(moment, 0), now)), last_id


def _moment(record: MemoryRecord) -> tuple[datetime, str]:
    return record.created_at, record.id


def _after(records: Iterable[MemoryRecord], before: tuple[datetime, str] | None) -> Iterator[MemoryRecord]:
    return (record for record in records if before is None or _moment(record) < before)


def _other_sides(reader: Reader, memory_ids: list[str]) -> list[str]:
    links = record_links.of(reader, memory_ids)
    return [link.to_id for each in links.values() for link in each if link.relation is Relation.CONFLICTS_WITH]
