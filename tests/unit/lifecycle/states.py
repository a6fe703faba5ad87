"""Which states a record may be in, written down apart from the code that brings it there (governance.md 2 and 5)."""

from goclaw.model.lifecycle import Lifecycle as L
from goclaw.model.provenance import Provenance as P
from goclaw.model.review import ReviewStatus as R

BEFORE_RESTRICTED = {R.PENDING, R.CONFIRMED, R.EVIDENCE_ONLY, R.STALE}


def what_is_wrong(record):
    """The rules that the record's state breaks; none where it is one of the table."""
    lifecycle, review, provenance = record.lifecycle, record.review_status, record.provenance
    policy = record.use_policy
    rules = {
        "merged is merged on all axes": (lifecycle is L.MERGED) == (review is R.MERGED),
        "rejected is rejected": (lifecycle is L.REJECTED) == (review is R.REJECTED),
        "what gave way says so": lifecycle not in (L.MERGED, L.SUPERSEDED) or provenance is P.SUPERSEDED,
        "only what gave way says so": provenance is not P.SUPERSEDED
        or lifecycle in (L.MERGED, L.SUPERSEDED, L.REJECTED),
        "disputed is disputed": lifecycle is not L.DISPUTED or provenance is P.DISPUTED,
        "restricted remembers": (review is R.RESTRICTED) == (record.restricted_from is not None),
        "restricted from something sensible": record.restricted_from in {None, *BEFORE_RESTRICTED},
        "marked stale is stale": review is not R.STALE or lifecycle is not L.ACTIVE,
        "only the confirmed instruct": not policy.can_use_as_instruction
        or (
            lifecycle is L.ACTIVE
            and R.CONFIRMED in (review, record.restricted_from)
            and provenance in (P.USER_CONFIRMED, P.IMPORTED)
        ),
        "the confirmed and active instruct": policy.can_use_as_instruction
        or not (lifecycle is L.ACTIVE and review is R.CONFIRMED),
    }
    return [rule for rule, holds in rules.items() if not holds]
