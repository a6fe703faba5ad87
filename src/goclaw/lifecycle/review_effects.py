"""Review effects: the record as it is after a decision, from the record as it is now. Pure; nothing is stored here.

The three axes follow the table in ``model/review.py``. What else follows from a decision is decided here:

- A date that has passed when a human makes the record active again starts anew: the same span as before, from now,
  so that a memory with a shelf life never becomes one without. A date that lies ahead stays.
- A confirmation by a human also lifts the tag ``unverified``: they have seen what an unconfirmed session said.
- New words bring new flags; what says where a record came from (tainted, claimed_…, rejected_before) stays for ever.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from goclaw.governance.promotion import UNSOURCED
from goclaw.governance.write_guard import HIDDEN_CHARACTERS, INJECTION_LIKE, OVERSIZE, SECRET_SUSPECTED
from goclaw.ingest.refresh import ALSO_SEEN, MAX_ALSO_SEEN, with_sighting
from goclaw.ingest.write import identity_of
from goclaw.lifecycle.review_place import is_seen_within
from goclaw.model.freshness import restarted
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.record import MemoryDraft, MemoryRecord
from goclaw.model.review import ReviewStatus, Transition
from goclaw.model.tags import ENGINE_TAGS, SUPERSEDED, UNVERIFIED
from goclaw.model.use_policy import effective_review

_FLAGS_OF_WORDS = frozenset({INJECTION_LIKE, HIDDEN_CHARACTERS, SECRET_SUSPECTED, OVERSIZE, UNSOURCED})


def after_step(record: MemoryRecord, step: Transition, now: datetime) -> MemoryRecord:
    """The record with the action's review status, lifecycle and provenance, and the dates that follow from them.

    ``record`` is settled: what time alone did to it is already in it, and becomes lasting with the decision.
    """
    review = step.review or record.review_status
    restricted_from = record.restricted_from
    if step.review is not None:
        is_restricted = step.review is ReviewStatus.RESTRICTED
        restricted_from = effective_review(record.review_status, record.restricted_from) if is_restricted else None
    changed = replace(
        record,
        review_status=review,
        restricted_from=restricted_from,
        lifecycle=step.lifecycle or record.lifecycle,
        provenance=step.provenance or record.provenance,
        updated_at=now,
        version=record.version + 1,
    )
    if step.lifecycle is Lifecycle.ACTIVE:
        since = record.last_confirmed_at or record.created_at
        changed = replace(
            changed,
            stale_after=restarted(record.stale_after, since, now),
            expires_at=restarted(record.expires_at, since, now),
        )
    if step.review is ReviewStatus.CONFIRMED:
        tags = tuple(tag for tag in record.tags if tag != UNVERIFIED)
        changed = replace(changed, last_confirmed_at=now, tags=tags)
    return changed


def with_tags(record: MemoryRecord, tags: tuple[str, ...]) -> MemoryRecord:
    """These tags in place of its own; those that only the engine sets stay."""
    return replace(record, tags=tuple(dict.fromkeys((*tags, *(tag for tag in record.tags if tag in ENGINE_TAGS)))))


def with_words(record: MemoryRecord, content: str | None, summary: str | None) -> MemoryRecord:
    """New content or summary; None leaves it as it is."""
    changed = record if summary is None else replace(record, summary=summary)
    if content is None:
        return changed
    identity = identity_of(MemoryDraft(content=content, scope=record.scope, speaker=record.speaker))
    return replace(changed, content=content, content_hash=identity)


def with_flags(record: MemoryRecord, flags: tuple[str, ...]) -> MemoryRecord:
    """What the write guard says of the new words, beside the flags that say where the record came from."""
    kept = tuple(flag for flag in record.flags if flag not in _FLAGS_OF_WORDS)
    return replace(record, flags=tuple(dict.fromkeys((*flags, *kept))))


def retired_for(record: MemoryRecord, newer: MemoryRecord, reason: str | None, now: datetime) -> MemoryRecord:
    """Tagged and told what replaced it, under the names of the first seed.

    The newer record's id stays out where not everybody who reads this one may know that record.
    """
    metadata: dict[str, Any] = dict(record.metadata) | {
        "superseded_at": now.isoformat(),
        "superseded_reason": reason or "review",
    }
    if is_seen_within(record.namespace, newer.namespace):
        metadata["superseded_by"] = newer.id
    return replace(record, metadata=metadata, tags=tuple(dict.fromkeys((*record.tags, SUPERSEDED))))


def absorbing(stays: MemoryRecord, gives_way: MemoryRecord, now: datetime) -> MemoryRecord:
    """The record that stays, with the sources and the external reference of the one merged into it.

    Where the one that stays is read by people who could not read the other, its sources do not travel.
    """
    grown = replace(stays, updated_at=now, version=stays.version + 1)
    if not is_seen_within(stays.namespace, gives_way.namespace):
        return grown
    return replace(
        grown,
        source_refs=tuple(dict.fromkeys((*stays.source_refs, *gives_way.source_refs))),
        external_ref=stays.external_ref or gives_way.external_ref,
        metadata=_with_sightings(stays, gives_way),
    )


def _with_sightings(stays: MemoryRecord, gives_way: MemoryRecord) -> Mapping[str, Any]:
    metadata = with_sighting(stays, gives_way)
    seen = [*gives_way.metadata.get(ALSO_SEEN, ()), *metadata[ALSO_SEEN]]
    return metadata | {ALSO_SEEN: seen[-MAX_ALSO_SEEN:]}
