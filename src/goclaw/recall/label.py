"""Label: from ranked rows to hits that say where they come from, what they may do and why they stand there."""

from collections.abc import Mapping, Sequence

from goclaw.model.access import is_inside
from goclaw.model.freshness import settle
from goclaw.model.hit import Hit, Withheld
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.use_policy import (
    DISPUTED_BIT,
    HIDDEN_BIT,
    HISTORY_BIT,
    PENDING_BIT,
    STALE_BIT,
    UNVERIFIED_BIT,
    policy_bits,
)
from goclaw.search.hybrid import Ranked, WithheldRow
from goclaw.storage.chunks import ChunkText

# The strongest reason first: a record that is disputed and pending is withheld because it is disputed.
_WHY = (
    (HIDDEN_BIT, "hidden"),
    (HISTORY_BIT, "superseded"),
    (DISPUTED_BIT, "disputed"),
    (STALE_BIT, "stale"),
    (UNVERIFIED_BIT, "unverified"),
    (PENDING_BIT, "pending"),
)


def label_hits(
    principal: Principal,
    ranked: Sequence[Ranked],
    texts: Mapping[int, ChunkText],
    records: Mapping[str, MemoryRecord],
    *,
    withheld_bits: int,
    now: int,
    pending_days: int,
) -> tuple[Hit, ...]:
    """Hits in the ranked order; a row whose record is gone, or whose time ran out meanwhile, is left out."""
    hits = []
    for row in ranked:
        chunk = texts.get(row.slot)
        record = records.get(chunk.memory_id) if chunk else None
        if chunk is None or record is None:
            continue
        record = settle(record, now, pending_days)
        if _bits(record) & withheld_bits:
            continue
        hits.append(
            Hit(
                record=record,
                chunk_text=chunk.text,
                score=row.score,
                score_parts=row.parts,
                use_policy=record.policy_for(inside=is_inside(principal, record.namespace)),
                is_superseded=record.lifecycle in (Lifecycle.SUPERSEDED, Lifecycle.MERGED),
            )
        )
    return tuple(hits)


def label_withheld(
    rows: Sequence[WithheldRow], texts: Mapping[int, ChunkText], withheld_bits: int
) -> tuple[Withheld, ...]:
    """Which records were kept back, each once, and the reason."""
    reasons: dict[str, str] = {}
    for row in rows:
        chunk = texts.get(row.slot)
        if chunk is not None:
            reasons.setdefault(chunk.memory_id, why_withheld(row.policy & withheld_bits))
    return tuple(Withheld(memory_id=memory_id, why=why) for memory_id, why in reasons.items())


def why_withheld(bits: int) -> str:
    """The word for the strongest of the policy bits."""
    return next((why for bit, why in _WHY if bits & bit), "hidden")


def _bits(record: MemoryRecord) -> int:
    return policy_bits(
        record.lifecycle,
        record.review_status,
        restricted_from=record.restricted_from,
        is_unverified=record.is_unverified,
    )
