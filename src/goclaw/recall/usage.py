"""Usage: what an agent did with what it was given; taken from the asker alone, whole or not at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goclaw.governance.audit import EventType, event
from goclaw.governance.write_guard import examine
from goclaw.model.clock import Clock
from goclaw.model.errors import InvalidInput, NotFound, UnknownItems, UnsafeContent
from goclaw.model.principal import Principal
from goclaw.recall.find_trace import find_trace, is_asker
from goclaw.storage import audit_log, trace_items
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.database import Database, Unit

MAX_REASON_CHARS = 500


@dataclass(frozen=True, slots=True)
class UsageCounts:
    """What was booked."""

    used: int
    ignored: int


@dataclass(frozen=True, slots=True)
class UsageReports:
    """Takes usage reports."""

    database: Database
    clock: Clock

    def report(
        self, principal: Principal, request_id: str, used: Sequence[str], ignored: Mapping[str, str]
    ) -> UsageCounts:
        """Book which of the returned memories were used, and which ignored and why.

        Raises NotFound for a recall of somebody else, UnknownItems where an id was not returned by it, InvalidInput
        where one id is both used and ignored or a reason is too long.
        """
        trace = find_trace(self.database, self.clock, principal.workspace_id, request_id)
        if not is_asker(principal, trace):
            raise NotFound("There is no such recall.", "Or it is not yours to see.")
        both = set(used) & set(ignored)
        if both or any(len(reason) > MAX_REASON_CHARS for reason in ignored.values()):
            raise InvalidInput(
                "The report contradicts itself or gives too long a reason.",
                f"A memory is used or ignored; a reason has up to {MAX_REASON_CHARS} characters.",
            )
        verdict = examine({"reason": tuple(ignored.values())})
        if verdict.findings:
            raise UnsafeContent(verdict.findings)
        returned = {hit["memory_id"] for hit in trace.returned}
        unknown = (set(used) | set(ignored)) - returned
        if unknown:
            raise UnknownItems(len(unknown))
        self.database.write(lambda unit: self._book(unit, principal, request_id, tuple(dict.fromkeys(used)), ignored))
        return UsageCounts(used=len(set(used)), ignored=len(ignored))

    def _book(
        self, unit: Unit, principal: Principal, request_id: str, used: Sequence[str], ignored: Mapping[str, str]
    ) -> None:
        trace_items.mark(unit, request_id, used, ignored)
        for memory_id in used:
            audit_log.append(unit, self._event(principal, EventType.MEMORY_USED, request_id, memory_id))
        for memory_id in ignored:
            audit_log.append(unit, self._event(principal, EventType.MEMORY_IGNORED, request_id, memory_id))

    def _event(self, principal: Principal, kind: EventType, request_id: str, memory_id: str) -> AuditEvent:
        return event(principal, kind, self.clock.now(), memory_id=memory_id, trace_id=request_id)
