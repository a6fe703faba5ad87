"""Refresh: the same content written again adds its source to the record that is there."""

from dataclasses import replace
from typing import Any

from goclaw.governance.audit import EventType, event
from goclaw.ingest.index import renew_chunks
from goclaw.model.clock import to_us
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.storage import audit_log, memories
from goclaw.storage.database import Unit

ALSO_SEEN = "also_seen"  # metadata: where else the same words were said
MAX_ALSO_SEEN = 100


def refresh(
    unit: Unit, principal: Principal, known: MemoryRecord, again: MemoryRecord, pending_days: int
) -> MemoryRecord:
    """The known record with the second one's source, external reference and time of sighting.

    Trust stays as it is, unless the second write was born confirmed (governance.md 2, lines 4 and 5): then it confirms.
    """
    fresh = replace(
        known,
        source_refs=tuple(dict.fromkeys((*known.source_refs, *again.source_refs))),
        external_ref=known.external_ref or again.external_ref,
        metadata=with_sighting(known, again),
        last_seen_at=again.created_at,
        updated_at=again.created_at,
        version=known.version + 1,
    )
    if again.review_status is ReviewStatus.CONFIRMED:
        fresh = replace(
            fresh,
            lifecycle=Lifecycle.ACTIVE,
            provenance=again.provenance,
            review_status=ReviewStatus.CONFIRMED,
            restricted_from=None,
            last_confirmed_at=again.created_at,
        )
    memories.replace(unit, fresh, expected_version=known.version)
    renew_chunks(unit, fresh, pending_days)
    audit_log.append(
        unit, event(principal, EventType.MEMORY_WRITTEN, to_us(again.created_at), record=fresh, detail={"again": True})
    )
    return fresh


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
    return dict(known.metadata) | {ALSO_SEEN: seen[-MAX_ALSO_SEEN:]}
