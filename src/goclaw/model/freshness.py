"""Freshness: what time alone does to a record, computed when it is read, so that no sweep can be late.

Three moments count: the end of the wait for review, ``stale_after`` and ``expires_at``. Search blocks carry the
earliest one as (``due_at``, the bits it sets); the record itself is settled when it is fetched; a sweep makes it last.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from goclaw.model.clock import DAY, to_us
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.use_policy import HIDDEN_BIT, STALE_BIT, effective_review, policy_bits


@dataclass(frozen=True, slots=True)
class ChunkPolicy:
    """What the search blocks know of a record's state."""

    bits: int  # see model/use_policy.py
    due_at: int | None  # microseconds since 1970 at which bits change by themselves; None = never
    due_bits: int | None  # the bits from then on


def settle(record: MemoryRecord, now: int, pending_days: int) -> MemoryRecord:
    """The record as it is at ``now`` (microseconds): expired or stale where its time has come."""
    if record.lifecycle not in (Lifecycle.ACTIVE, Lifecycle.STALE):
        return record
    if any(moment <= now for moment in _ends(record, pending_days)):
        return replace(record, lifecycle=Lifecycle.EXPIRED)
    if record.lifecycle is Lifecycle.ACTIVE and record.stale_after and to_us(record.stale_after) <= now:
        return replace(record, lifecycle=Lifecycle.STALE)
    return record


def restarted(moment: datetime | None, since: datetime, now: datetime) -> datetime | None:
    """A date that has passed starts anew, with its old span from ``now``; one that lies ahead stays."""
    if moment is None or moment > now:
        return moment
    return now + (moment - since) if moment > since else None


def chunk_policy(record: MemoryRecord, pending_days: int) -> ChunkPolicy:
    """The bits of a settled record, and the next moment at which time changes them."""
    bits = policy_bits(
        record.lifecycle,
        record.review_status,
        restricted_from=record.restricted_from,
        is_unverified=record.is_unverified,
        is_evergreen=record.is_evergreen,
    )
    if record.lifecycle not in (Lifecycle.ACTIVE, Lifecycle.STALE):
        return ChunkPolicy(bits, None, None)
    moments = [(moment, HIDDEN_BIT) for moment in _ends(record, pending_days)]
    if record.lifecycle is Lifecycle.ACTIVE and record.stale_after:
        moments.append((to_us(record.stale_after), STALE_BIT))
    if not moments:
        return ChunkPolicy(bits, None, None)
    due_at, bit = min(moments)
    return ChunkPolicy(bits, due_at, bits | bit)


def _ends(record: MemoryRecord, pending_days: int) -> list[int]:
    """The moments after which the record is expired."""
    ends = [to_us(record.expires_at)] if record.expires_at else []
    if effective_review(record.review_status, record.restricted_from) is ReviewStatus.PENDING:
        # from the last change on: an old record that new words or a detector put back into the queue has all its time
        ends.append(to_us(record.updated_at) + pending_days * DAY)
    return ends
