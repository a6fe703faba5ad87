"""A hit: one record that search found, with the reasons why it stands where it stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from goclaw.model.record import MemoryRecord
from goclaw.model.use_policy import UsePolicy


class Reason(StrEnum):
    """Why an answer is empty, or what was missing when it was made. An honest "nothing" is a first-class answer."""

    NO_IDENTITY = "no_identity"  # nobody is known to be asking
    NO_TERMS = "no_searchable_terms"  # the query has no words
    NO_CANDIDATES = "no_candidates"  # nothing the caller may see matches
    UNDER_MIN_SCORE = "under_min_score"  # the best match is below memory.search.min_score
    NO_EVIDENCE = "no_evidence"  # nothing found answers the query (evidence check)
    OTHER_PERSON = "other_person"  # the query names one person, and what would answer it was said by another
    WITHHELD = "withheld"  # what matches may not be shown this way: pending, stale, disputed, superseded
    PROVIDER_DOWN = "provider_down"  # vectors could not be searched, keywords were
    VECTORS_PAUSED = "vectors_paused"  # the embedding model changed and the index is not rebuilt yet
    VECTORS_PENDING = "vectors_pending"  # some records still wait for their vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A found record. Scores are absolute, 0-1."""

    record: MemoryRecord
    chunk_text: str  # the best matching piece
    score: float  # after decay
    score_parts: Mapping[str, float | int | None]  # keyword, cosine, ranks, term_share, decay, ...
    use_policy: UsePolicy  # for this asker
    is_superseded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A record that would have ranked and was not shown."""

    memory_id: str
    why: str  # pending, stale, disputed, superseded, unverified, hidden


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The answer of recall and search."""

    hits: tuple[Hit, ...]
    reason: Reason | None  # why hits is empty; None when it is not
    notes: tuple[Reason, ...] = ()  # what was missing although something was found
    withheld: tuple[Withheld, ...] = ()
    trace_id: str | None = None  # None where nobody is known to be asking
    searched_namespaces: int = 0
