"""Conflict: which of the found memories may contradict each other, and which of two to trust.

Two hits may contradict when their content words share at least 40 % of the smaller set and their texts differ, or when
a reviewer linked them. The more trusted one is placed directly before the other. Where the two also differ in a number,
a name, a negation or a unit, the pair is reported with advice (governance.md 6).
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from goclaw.model.lifecycle import Lifecycle
from goclaw.model.provenance import TRUST_ORDER
from goclaw.model.record import MemoryRecord
from goclaw.text.terms import content_words
from goclaw.text.tokens import normalise

WORD_SHARE = 0.4
NEAR_SHARE = 0.05  # hits that differ by less than this share of the best score are ordered by trust

_NUMBER = re.compile(r"\d[\d.,:]*")
_UNIT = re.compile(r"\d\s?([a-z%°]{1,4})\b", re.IGNORECASE)
_NAME = re.compile(r"(?<![.!?\n] )(?<!^)\b[A-Z][\w-]*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|without|cannot|nobody|nothing)\b|n't\b|\b(?:nicht|kein\w*|nie|sin|nunca|jamais|pas)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two returned memories that say different things."""

    memory_ids: tuple[str, str]  # the more trusted one first
    advice: str  # "prefer <id>" where trust differs, else "ask"


def trust_rank(record: MemoryRecord) -> int:
    """0 for the most trusted; stale memory comes after all that is fresh."""
    if record.lifecycle is Lifecycle.STALE:
        return len(TRUST_ORDER)
    return TRUST_ORDER.index(record.provenance)


def may_contradict(first: MemoryRecord, second: MemoryRecord) -> bool:
    """Whether the two speak of the same thing in different words."""
    if first.content_hash == second.content_hash:
        return False
    mine, theirs = content_words(first.content), content_words(second.content)
    smaller = min(len(mine), len(theirs))
    return smaller > 0 and len(mine & theirs) >= WORD_SHARE * smaller


def differs_in_substance(first: MemoryRecord, second: MemoryRecord) -> bool:
    """Whether a number, a name, a negation or a unit is different: then they cannot both be followed."""
    return _substance(first.content) != _substance(second.content)


def order_by_trust(
    records: Sequence[MemoryRecord], scores: Sequence[float], linked: Collection[frozenset[str]] = ()
) -> list[int]:
    """Positions of the records in the order to show them.

    Relevance decides; near-equal hits are ordered by trust; of a pair that may contradict, the more trusted one comes
    directly before the other. Nothing is lifted that was not found.
    """
    near = NEAR_SHARE * max(scores, default=0.0)
    order = sorted(range(len(records)), key=lambda place: -scores[place])
    order = _by_trust_within(order, records, scores, near)
    for place in list(order):
        _put_trusted_before(order, place, records, linked)
    return order


def contradictions(
    records: Sequence[MemoryRecord], linked: Collection[frozenset[str]] = ()
) -> tuple[Contradiction, ...]:
    """The pairs among the returned records that differ in substance, or that a reviewer linked."""
    found = []
    for number, first in enumerate(records):
        for second in records[number + 1 :]:
            is_linked = frozenset((first.id, second.id)) in linked
            if is_linked or (may_contradict(first, second) and differs_in_substance(first, second)):
                found.append(_contradiction(first, second))
    return tuple(found)


def _contradiction(first: MemoryRecord, second: MemoryRecord) -> Contradiction:
    ranks = trust_rank(first), trust_rank(second)
    if ranks[0] == ranks[1]:
        return Contradiction((first.id, second.id), "ask")
    trusted, other = (first, second) if ranks[0] < ranks[1] else (second, first)
    return Contradiction((trusted.id, other.id), f"prefer {trusted.id}")


def _by_trust_within(
    order: Sequence[int], records: Sequence[MemoryRecord], scores: Sequence[float], near: float
) -> list[int]:
    """Runs of hits whose scores lie within ``near`` of the run's best, each sorted by trust."""
    ordered: list[int] = []
    run: list[int] = []
    for place in order:
        if run and scores[run[0]] - scores[place] >= near:
            ordered += sorted(run, key=lambda each: trust_rank(records[each]))
            run = []
        run.append(place)
    return ordered + sorted(run, key=lambda each: trust_rank(records[each]))


def _put_trusted_before(
    order: list[int], place: int, records: Sequence[MemoryRecord], linked: Collection[frozenset[str]]
) -> None:
    """Move ``place`` directly before the first less trusted hit above it that it may contradict."""
    position = order.index(place)
    for above in range(position):
        other = records[order[above]]
        record = records[place]
        if trust_rank(record) < trust_rank(other) and (
            frozenset((record.id, other.id)) in linked or may_contradict(record, other)
        ):
            order.insert(above, order.pop(position))
            return


def _substance(text: str) -> tuple[frozenset[str], ...]:
    plain = normalise(text)
    return (
        frozenset(number.rstrip(".,:") for number in _NUMBER.findall(plain)),
        frozenset(unit.lower() for unit in _UNIT.findall(plain)),
        frozenset(_NAME.findall(text)),
        frozenset({"negated"} if _NEGATION.search(plain) else ()),
    )
