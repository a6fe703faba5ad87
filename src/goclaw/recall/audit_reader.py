"""Audit reader: who did what, for reviewers and for the people and agents whose deeds they are; never a foreign id."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from goclaw.governance.audit import is_deed_of
from goclaw.model.access import Reading, WriteAccess
from goclaw.model.principal import Principal
from goclaw.recall.cursor import MAX_PAGE, check_page_size, decode_cursor, encode_cursor
from goclaw.recall.readable import readable_states
from goclaw.storage import audit_log, memories
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.database import Database, Reader


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Some events, newest first, and the cursor of the older ones."""

    events: tuple[AuditEvent, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class AuditReader:
    """Reads the audit log of the principal's workspace."""

    database: Database
    write_access: WriteAccess

    def page(
        self,
        principal: Principal,
        *,
        memory_id: str | None = None,
        request_id: str | None = None,
        event_type: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> AuditPage:
        """A reviewer sees the workspace's events, everybody else their own; both only those about readable records."""
        check_page_size(limit)
        if not principal.is_identified:
            return AuditPage((), None)
        self.database.flush_later()  # the events of a recall that was just answered
        wanted = {"memory_id": memory_id, "trace_id": request_id, "event_type": event_type}
        before = None if cursor is None else decode_cursor(cursor)
        with self.database.read() as reader:
            found = list(islice(self._walk(reader, principal, wanted, before), limit + 1))
        more = encode_cursor(found[limit - 1].at, found[limit - 1].id) if len(found) > limit else None
        return AuditPage(tuple(found[:limit]), more)

    def _walk(
        self, reader: Reader, principal: Principal, wanted: Mapping[str, str | None], before: tuple[int, str] | None
    ) -> Iterator[AuditEvent]:
        """The events that are the principal's to see, newest first. A page is filled from these alone: one that ends
        early, or a cursor behind an event that is not shown, would tell that something is hidden.
        """
        actor_id = None if principal.is_reviewer else principal.actor_id
        states = readable_states(reader, principal, self.write_access, Reading.MANAGE)
        places = sorted(state.id for state in states)
        while True:
            found = audit_log.page(
                reader, principal.workspace_id, **wanted, actor_id=actor_id, before=before, limit=MAX_PAGE
            )
            own = [each for each in found if principal.is_reviewer or is_deed_of(principal, each)]
            yield from _visible(reader, own, places)
            if len(found) < MAX_PAGE:
                return
            before = found[-1].at, found[-1].id


def _visible(reader: Reader, events: Sequence[AuditEvent], places: Sequence[int]) -> list[AuditEvent]:
    """Without events about records that live in none of the places; of what is gone, the place it had decides."""
    ids = sorted({each.memory_id for each in events if each.memory_id})
    known = memories.get_many(reader, ids, places)
    return [each for each in events if each.memory_id is None or each.memory_id in known or each.namespace_id in places]
