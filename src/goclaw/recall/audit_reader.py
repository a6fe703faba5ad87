"""Audit reader: who did what, for reviewers and for the people and agents whose deeds they are; never a foreign id."""

from collections.abc import Sequence
from dataclasses import dataclass

from goclaw.model.access import Reading, WriteAccess
from goclaw.model.errors import InvalidInput
from goclaw.model.principal import Principal
from goclaw.recall.cursor import decode_cursor, encode_cursor
from goclaw.recall.readable import readable_states
from goclaw.storage import audit_log, memories
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.database import Database, Reader

MAX_PAGE = 200


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
        if not 1 <= limit <= MAX_PAGE:
            raise InvalidInput("The page size is out of range.", f"Use 1 to {MAX_PAGE}.")
        if not principal.is_identified:
            return AuditPage((), None)
        self.database.flush_later()  # the events of a recall that was just answered
        with self.database.read() as reader:
            found = audit_log.page(
                reader,
                principal.workspace_id,
                event_type=event_type,
                actor_id=None if principal.is_reviewer else principal.actor_id,
                memory_id=memory_id,
                trace_id=request_id,
                before=None if cursor is None else decode_cursor(cursor),
                limit=limit + 1,
            )
            shown = self._visible(reader, principal, found[:limit])
        return AuditPage(
            tuple(shown), encode_cursor(found[limit - 1].at, found[limit - 1].id) if len(found) > limit else None
        )

    def _visible(self, reader: Reader, principal: Principal, events: Sequence[AuditEvent]) -> list[AuditEvent]:
        """Without events about records the principal may not read; of what is gone, its place decides."""
        states = readable_states(reader, principal, self.write_access, Reading.MANAGE)
        places = {state.id for state in states}
        ids = sorted({each.memory_id for each in events if each.memory_id})
        known = memories.get_many(reader, ids, sorted(places))
        return [
            each for each in events if each.memory_id is None or each.memory_id in known or each.namespace_id in places
        ]
