"""Arrange: from ranked hits to the ones that are shown: entities raise, trust orders, the limits cut."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from goclaw.governance.conflict import Contradiction, contradictions, order_by_trust
from goclaw.model.clock import DAY, to_us
from goclaw.model.hit import Hit
from goclaw.recall.recall_request import CHARS_PER_TOKEN, Limits
from goclaw.text.terms import content_words

ENTITY_RAISE = 0.15  # of a hit's score, where it names every entity


@dataclass(frozen=True, slots=True)
class Arranged:
    """The hits to show, best first."""

    hits: tuple[Hit, ...]
    contradictions: tuple[Contradiction, ...]  # among the shown ones
    is_truncated: bool  # a limit kept something back


def arrange(
    hits: Sequence[Hit], limits: Limits, entities: Sequence[str], linked: Collection[frozenset[str]], now: int
) -> Arranged:
    """``linked``: pairs of ids that a reviewer marked as conflicting."""
    recent = [hit for hit in hits if is_recent(hit, limits.recency_days, now)]
    raised = [_raise(hit, entities) for hit in recent]
    order = order_by_trust([hit.record for hit in raised], [hit.score for hit in raised], linked)
    shown = _within_limits([raised[place] for place in order], limits)
    return Arranged(
        hits=tuple(shown),
        contradictions=contradictions([hit.record for hit in shown], linked),
        is_truncated=len(shown) < len(raised),
    )


def is_recent(hit: Hit, recency_days: int | None, now: int) -> bool:
    """By the last confirmation, else by birth."""
    if recency_days is None:
        return True
    return to_us(hit.record.last_confirmed_at or hit.record.created_at) >= now - recency_days * DAY


def tokens_of(text: str) -> int:
    """A token is four characters, rounded up."""
    return -(-len(text) // CHARS_PER_TOKEN)


def _raise(hit: Hit, entities: Sequence[str]) -> Hit:
    """Entities are soft: they lift a hit that names them and drop none."""
    if not entities:
        return hit
    words = content_words(hit.record.content)
    named = sum(bool(content_words(entity)) and content_words(entity) <= words for entity in entities)
    if not named:
        return hit
    score = min(1.0, hit.score * (1 + ENTITY_RAISE * named / len(entities)))
    return replace(hit, score=score, score_parts={**hit.score_parts, "entities": named})


def _within_limits(hits: Sequence[Hit], limits: Limits) -> list[Hit]:
    """Whole records, best first; one that no longer fits makes room for a smaller one behind it."""
    shown: list[Hit] = []
    left = limits.max_tokens
    for hit in hits:
        cost = tokens_of(hit.record.content)
        if len(shown) < limits.max_items and cost <= left:
            shown.append(hit)
            left -= cost
    return shown
