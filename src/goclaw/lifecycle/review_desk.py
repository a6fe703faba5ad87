"""Review desk: what every step of a review begins with: the records its principal sees, and a look at its words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from goclaw.governance.write_guard import examine
from goclaw.ingest.write import Writer
from goclaw.lifecycle.review_request import Target
from goclaw.model.access import Reading
from goclaw.model.errors import Conflict, NotFound, UnsafeContent
from goclaw.model.freshness import settle
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.storable import is_storable
from goclaw.recall.readable import readable_states
from goclaw.storage import channels, memories
from goclaw.storage.database import Reader

LIVING = (Lifecycle.ACTIVE, Lifecycle.STALE)


def visible_records(
    writer: Writer, reader: Reader, principal: Principal, memory_ids: Sequence[str]
) -> dict[str, MemoryRecord]:
    """Id to record as it is now; what is missing or not the principal's to see is left out."""
    states = readable_states(reader, principal, writer.write_access, Reading.MANAGE)
    found = memories.get_many(reader, memory_ids, [state.id for state in states])
    now, pending_days = writer.clock.now(), writer.settings.governance.pending_days
    return {memory_id: settle(record, now, pending_days) for memory_id, record in found.items()}


def require_visible(memory_id: str, seen: Mapping[str, MemoryRecord]) -> MemoryRecord:
    """The record, or NotFound: the same for one that is missing and one that is not to be seen."""
    if not is_storable(memory_id) or memory_id not in seen:
        raise NotFound("There is no such memory.", "Check the id.")
    return seen[memory_id]


def require_related(record: MemoryRecord, related_id: str, seen: Mapping[str, MemoryRecord]) -> MemoryRecord:
    """The record that stays, or the other side: another one, seen, of the same workspace, and alive.

    A record that gave way is never the one that stays, so no chain of them can close to a circle.
    """
    if related_id == record.id:
        raise Conflict("A memory is not related to itself.", "Name another one.")
    related = require_visible(related_id, seen)
    if related.workspace_id != record.workspace_id:
        raise Conflict("The related memory belongs to another workspace.", "Name one of the same workspace.")
    if related.lifecycle not in LIVING:
        raise Conflict(f"The related memory is {related.lifecycle}.", "Name one that is active or stale.")
    return related


def in_its_project(reader: Reader, workspace_id: str, target: Target) -> Target:
    """The target, and where it names a channel alone, the project that channel lies in: there its members look."""
    if target.channel_id is None or target.project_id is not None:
        return target
    return replace(target, project_id=channels.project_of(reader, workspace_id, target.channel_id) or None)


def guard_words(
    writer: Writer, principal: Principal, words: Mapping[str, str | Sequence[str] | None]
) -> tuple[str, ...]:
    """The flags of the write guard; raises UnsafeContent, leaving an audit row, where it refuses. None is no word."""
    given = {name: text for name, text in words.items() if text is not None}
    verdict = examine(given, writer.settings.governance.guard)
    if verdict.findings:
        reasons = sorted({finding.reason for finding in verdict.findings})
        writer.audit_refusal(principal, {"why": "unsafe_content", "reasons": reasons})
        raise UnsafeContent(verdict.findings)
    return verdict.flags
