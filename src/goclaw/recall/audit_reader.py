"""Audit reader: who did what, for reviewers and for the people and agents whose deeds they are; never a foreign id."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypedDict, Unpack

from goclaw.governance.audit import EventType, event, is_deed_of
from goclaw.model.access import Reading, WriteAccess
from goclaw.model.clock import Clock
from goclaw.model.errors import AccessDenied
from goclaw.model.namespace import ORGANIZATION
from goclaw.model.principal import Principal
from goclaw.recall.cursor import MAX_PAGE, check_page_size, decode_cursor, encode_cursor
from goclaw.recall.readable import readable_states
from goclaw.storage import audit_log, memories
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.database import Database, Reader


class AuditFilter(TypedDict, total=False):
    """Which events; all that is given must fit."""

    memory_id: str | None
    request_id: str | None  # of a recall
    event_type: str | None
    organization: bool  # those of organization memory instead of the workspace's; for administrators by own hand


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
    clock: Clock

    def page(
        self, principal: Principal, *, cursor: str | None = None, limit: int = 50, **which: Unpack[AuditFilter]
    ) -> AuditPage:
        """A reviewer sees the workspace's events, everybody else their own; both only those about readable records.

        Raises AccessDenied where the organization's are asked for by anybody but an administrator's own hand.
        """
        check_page_size(limit)
        workspace_id = log_of(principal, organization=which.get("organization", False))
        if not principal.is_identified:
            return AuditPage((), None)
        self.database.flush_later()  # the events of a recall that was just answered
        before = None if cursor is None else decode_cursor(cursor)
        with self.database.read() as reader:
            found = list(islice(self._walk(reader, principal, workspace_id, _columns(which), before), limit + 1))
        more = encode_cursor(found[limit - 1].at, found[limit - 1].id) if len(found) > limit else None
        return AuditPage(tuple(found[:limit]), more)

    def export(self, principal: Principal, **which: Unpack[AuditFilter]) -> tuple[AuditEvent, ...]:
        """All of them, newest first. The log they come from then says who took how many, before anybody has them."""
        workspace_id = log_of(principal, organization=which.get("organization", False))
        if not principal.is_identified:
            return ()
        self.database.flush_later()
        with self.database.read() as reader:
            found = tuple(self._walk(reader, principal, workspace_id, _columns(which), None))
        detail = {"what": "audit", "rows": len(found)}
        taken = replace(
            event(principal, EventType.EXPORTED, self.clock.now(), detail=detail), workspace_id=workspace_id
        )
        self.database.write(lambda unit: audit_log.append_many(unit, [taken]))
        return found

    def _walk(
        self,
        reader: Reader,
        principal: Principal,
        workspace_id: str,
        wanted: Mapping[str, str | None],
        before: tuple[int, str] | None,
    ) -> Iterator[AuditEvent]:
        """The events that are the principal's to see, newest first. A page is filled from these alone: one that ends
        early, or a cursor behind an event that is not shown, would tell that something is hidden.
        """
        actor_id = None if principal.is_reviewer else principal.actor_id
        states = readable_states(reader, principal, self.write_access, Reading.MANAGE)
        places = sorted(state.id for state in states)
        while True:
            found = audit_log.page(reader, workspace_id, **wanted, actor_id=actor_id, before=before, limit=MAX_PAGE)
            own = [each for each in found if principal.is_reviewer or is_deed_of(principal, each)]
            yield from _visible(reader, own, places)
            if len(found) < MAX_PAGE:
                return
            before = found[-1].at, found[-1].id


def log_of(principal: Principal, *, organization: bool) -> str:
    """The workspace whose log is meant. Raises AccessDenied: organization memory is its administrators'."""
    if not organization:
        return principal.workspace_id
    if not principal.may_administer:
        raise AccessDenied(
            "The organization's audit log is read by an administrator's own hand.", "Ask an administrator."
        )
    return ORGANIZATION


def _columns(which: AuditFilter) -> dict[str, str | None]:
    return {
        "memory_id": which.get("memory_id"),
        "trace_id": which.get("request_id"),
        "event_type": which.get("event_type"),
    }


def _visible(reader: Reader, events: Sequence[AuditEvent], places: Sequence[int]) -> list[AuditEvent]:
    """Without events about records that live in none of the places; of what is gone, the place it had decides.

    A record that was narrowed is not gone: who could read it once is told nothing of it any more.
    """
    ids = sorted({each.memory_id for each in events if each.memory_id})
    known = memories.get_many(reader, ids, places)
    elsewhere = memories.still_there(reader, [memory_id for memory_id in ids if memory_id not in known])
    return [
        each
        for each in events
        if each.memory_id is None
        or each.memory_id in known
        or (each.namespace_id in places and each.memory_id not in elsewhere)
    ]
