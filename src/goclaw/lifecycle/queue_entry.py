"""Queue entry: one record that waits for a human, with why, how urgent, and how long. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from goclaw.governance.impact import impacts
from goclaw.governance.promotion import TAINTED, UNSOURCED
from goclaw.model.clock import DAY, to_us
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import ActorKind
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.use_policy import effective_review
from goclaw.storage.reviews import ReviewRow


class Priority(StrEnum):
    """How urgent an entry is, most urgent first."""

    FLAGGED = "flagged"  # a detector sounded: injection, hidden characters, a secret, a false claim, rejected before
    TAINTED = "tainted"  # outside text entered it
    HIGH_IMPACT = "high_impact"  # its subject does harm when wrong, or it is disputed
    NORMAL = "normal"


_WRITERS = {
    ActorKind.HUMAN: "written by a person",
    ActorKind.AGENT: "written by an agent",
    ActorKind.IMPORT: "imported",
    ActorKind.JOB: "written by an autonomous run",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueEntry:
    """A record in the review queue."""

    record: MemoryRecord
    reason: str  # why it waits, in words
    priority: Priority
    age_days: int  # whole days since it was written
    conflicts_with: tuple[str, ...] = ()  # ids of the other sides the asker may see
    proposals: tuple[ReviewRow, ...] = ()  # what agents propose, oldest first


def waits(record: MemoryRecord) -> bool:
    """Whether a settled record stands in the queue by its own state: pending, also restricted from it, or disputed."""
    if record.lifecycle is Lifecycle.DISPUTED:
        return True
    is_pending = effective_review(record.review_status, record.restricted_from) is ReviewStatus.PENDING
    return is_pending and record.lifecycle in (Lifecycle.ACTIVE, Lifecycle.STALE)


def entry_of(
    record: MemoryRecord, now: int, conflicts_with: Sequence[str] = (), proposals: Sequence[ReviewRow] = ()
) -> QueueEntry:
    """The entry at ``now`` (microseconds)."""
    return QueueEntry(
        record=record,
        reason="; ".join(_reasons(record, conflicts_with, proposals)),
        priority=priority_of(record),
        age_days=max(0, (now - to_us(record.created_at)) // DAY),
        conflicts_with=tuple(conflicts_with),
        proposals=tuple(proposals),
    )


def priority_of(record: MemoryRecord) -> Priority:
    """Alarms before taint before impact. A missing source alone is no alarm: most agents' notes lack one."""
    if set(record.flags) - {TAINTED, UNSOURCED}:
        return Priority.FLAGGED
    if TAINTED in record.flags:
        return Priority.TAINTED
    if record.lifecycle is Lifecycle.DISPUTED or impacts(record.kind, record.content):
        return Priority.HIGH_IMPACT
    return Priority.NORMAL


def _reasons(record: MemoryRecord, conflicts_with: Sequence[str], proposals: Sequence[ReviewRow]) -> list[str]:
    reasons = []
    if record.lifecycle is Lifecycle.DISPUTED:
        reasons.append(f"disputed with {', '.join(conflicts_with)}" if conflicts_with else "disputed")
    elif conflicts_with:
        reasons.append(f"conflicts with {', '.join(conflicts_with)}")
    flags = [flag for flag in record.flags if flag != TAINTED]
    if flags:
        reasons.append(f"flagged: {', '.join(flags)}")
    if TAINTED in record.flags:
        reasons.append("tainted by outside input")
    if subjects := sorted(impacts(record.kind, record.content)):
        reasons.append(f"high impact: {', '.join(subjects)}")
    reasons.append(_WRITERS[record.actor_kind])
    if waits(record) and record.lifecycle is not Lifecycle.DISPUTED:
        reasons.append("requires review")
    reasons += [f"{row.actor_id} proposes {row.action.partition(':')[2]}" for row in proposals]
    return reasons
