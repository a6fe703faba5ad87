"""Refresh: the same content written again adds its source to the record that is there."""

from dataclasses import replace
from typing import Any

from goclaw.governance.audit import EventType, event
from goclaw.governance.promotion import UNSOURCED
from goclaw.ingest.index import renew_chunks
from goclaw.model.clock import to_us
from goclaw.model.freshness import restarted
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import ActorKind, Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.session import LEARNED_FROM
from goclaw.model.use_policy import effective_review
from goclaw.storage import audit_log, memories
from goclaw.storage.database import Unit

REJECTED_BEFORE = "rejected_before"
MAX_SOURCES = 50
ALSO_SEEN = "also_seen"  # metadata: where else the same words were said
MAX_ALSO_SEEN = 100


def refresh(
    unit: Unit, principal: Principal, known: MemoryRecord, again: MemoryRecord, pending_days: int
) -> MemoryRecord:
    """The known record with the second one's source, external reference and time of sighting.

    Trust stays as it is, unless the second write was born confirmed (governance.md 2, lines 4 and 5): then it confirms.
    """
    if _is_suspicious(again):
        fresh = replace(known, last_seen_at=again.created_at, version=known.version + 1)
    else:
        fresh = replace(
            known,
            source_refs=tuple(dict.fromkeys((*known.source_refs, *again.source_refs)))[:MAX_SOURCES],
            external_ref=known.external_ref or again.external_ref,
            metadata=with_sighting(known, again),
            last_seen_at=again.created_at,
            updated_at=known.updated_at if _waits(known) else again.created_at,
            version=known.version + 1,
        )
    if again.review_status is ReviewStatus.CONFIRMED and _may_be_confirmed(known, again):
        since = known.last_confirmed_at or known.created_at
        fresh = replace(
            fresh,
            lifecycle=Lifecycle.ACTIVE,
            provenance=again.provenance,
            review_status=ReviewStatus.CONFIRMED,
            restricted_from=None,
            updated_at=again.created_at,
            last_confirmed_at=again.created_at,
            stale_after=restarted(known.stale_after, since, again.created_at),
            expires_at=restarted(known.expires_at, since, again.created_at),
        )
    memories.replace(unit, fresh, expected_version=known.version)
    renew_chunks(unit, fresh, pending_days)
    audit_log.append(
        unit, event(principal, EventType.MEMORY_WRITTEN, to_us(again.created_at), record=fresh, detail={"again": True})
    )
    return fresh


def _is_suspicious(again: MemoryRecord) -> bool:
    """Whether a detector held the second write: then nothing of it but the sighting may touch the known record."""
    return any(flag != UNSOURCED and not flag.startswith("claimed_") for flag in again.flags)


def _may_be_confirmed(known: MemoryRecord, again: MemoryRecord) -> bool:
    """Whether the second write's word is about exactly this record: same letters, and nothing that a detector held.

    The labels and sources of a flagged record are not what the second writer said; a review shows them first. Nor is
    writing twice a way around a rejection.
    """
    is_flagged = any(flag != UNSOURCED for flag in known.flags)
    return not is_flagged and known.content == again.content


def says_more(known: MemoryRecord, again: MemoryRecord) -> bool:
    """Whether the second write is a human's own word that the known record cannot carry: it is stored beside it."""
    born_confirmed = again.review_status is ReviewStatus.CONFIRMED and not again.flags
    return born_confirmed and again.actor_kind is ActorKind.HUMAN and not _may_be_confirmed(known, again)


def _waits(known: MemoryRecord) -> bool:
    """A record that waits for review; saying it again does not put off the end of the wait."""
    return effective_review(known.review_status, known.restricted_from) is ReviewStatus.PENDING


def with_sighting(known: MemoryRecord, again: MemoryRecord) -> dict[str, Any]:
    """The known record's metadata, with where else the same was said."""
    sighting = {
        "external_ref": again.external_ref,
        "session_id": again.session_id,
        "turn": again.turn,
        "actor_id": again.actor_id,
        "occurred_at": to_us(again.occurred_at) if again.occurred_at else None,
    }
    sighting = {name: value for name, value in sighting.items() if value is not None}
    seen = [*known.metadata.get(ALSO_SEEN, ()), sighting]
    learned = [*known.metadata.get(LEARNED_FROM, ()), *again.metadata.get(LEARNED_FROM, ())]
    return dict(known.metadata) | {ALSO_SEEN: seen[-MAX_ALSO_SEEN:]} | ({LEARNED_FROM: learned} if learned else {})
