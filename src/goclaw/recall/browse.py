"""Browse: records by id and in pages, newest first, without ranking; only what the principal may read."""

from dataclasses import dataclass
from datetime import datetime

from goclaw.model.access import Reading, WriteAccess
from goclaw.model.clock import Clock, from_us, to_us
from goclaw.model.errors import InvalidInput
from goclaw.model.freshness import settle
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.recall.cursor import check_page_size, decode_cursor, encode_cursor
from goclaw.recall.readable import readable_states
from goclaw.storage import memories
from goclaw.storage.database import Database
from goclaw.storage.memories import RecordFilter


@dataclass(frozen=True, slots=True)
class Page:
    """Some records, and the cursor of the next ones; None at the end."""

    records: tuple[MemoryRecord, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Browser:
    """Reads records as they are now: what time made stale or expired says so."""

    database: Database
    clock: Clock
    write_access: WriteAccess
    pending_days: int

    def get(self, principal: Principal, memory_id: str) -> MemoryRecord | None:
        """The record, or None: also where the principal may not see it, so that the two cannot be told apart."""
        with self.database.read() as reader:
            states = readable_states(reader, principal, self.write_access, Reading.MANAGE)
            record = memories.get(reader, memory_id, [state.id for state in states])
        return None if record is None else settle(record, self.clock.now(), self.pending_days)

    def page(self, principal: Principal, filters: RecordFilter, cursor: str | None = None, limit: int = 50) -> Page:
        """Up to ``limit`` (1-200) records that pass the filters, newest first."""
        check_page_size(limit)
        check_filters(filters)
        before = None if cursor is None else _place_of(cursor)
        with self.database.read() as reader:
            states = readable_states(reader, principal, self.write_access, Reading.MANAGE)
            found = memories.page(
                reader, [state.id for state in states], filters=filters, before=before, limit=limit + 1
            )
        now = self.clock.now()
        records = tuple(settle(record, now, self.pending_days) for record in found[:limit])
        return Page(records, _cursor_behind(found[limit - 1]) if len(found) > limit else None)


def check_filters(filters: RecordFilter) -> None:
    """Raises InvalidInput for anything else."""
    if not isinstance(filters, RecordFilter):
        raise InvalidInput("The filters are no RecordFilter.", "Use goclaw.RecordFilter(kind=..., tag=...).")


def _cursor_behind(last: MemoryRecord) -> str:
    return encode_cursor(to_us(last.created_at), last.id)


def _place_of(cursor: str) -> tuple[datetime, str]:
    moment, last_id = decode_cursor(cursor)
    try:
        return from_us(moment), last_id
    except (OverflowError, ValueError, OSError):
        raise InvalidInput("The cursor is not one of ours.", "Use next_cursor of the page before.") from None
