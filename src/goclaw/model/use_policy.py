"""Use policy: what a memory may do. It is computed from the record's state, never stored and never set by a caller."""

from dataclasses import dataclass

from goclaw.model.lifecycle import Lifecycle
from goclaw.model.provenance import INSTRUCTION_GRADE, Provenance
from goclaw.model.review import ReviewStatus


@dataclass(frozen=True, slots=True)
class UsePolicy:
    """The second seed's four flags. The default is the most careful one: nothing is allowed."""

    can_use_as_instruction: bool = False
    can_use_as_evidence: bool = False
    requires_user_confirmation: bool = False
    do_not_inject_automatically: bool = True


_INSTRUCTION = UsePolicy(True, True, False, False)
_EVIDENCE = UsePolicy(False, True, False, False)
_UNCONFIRMED = UsePolicy(False, True, True, True)
_HISTORY = UsePolicy(False, True, False, True)
_NOTHING = UsePolicy(False, False, False, True)

_BY_LIFECYCLE = {
    Lifecycle.STALE: _UNCONFIRMED,
    Lifecycle.SUPERSEDED: _HISTORY,
    Lifecycle.DISPUTED: _HISTORY,
    Lifecycle.MERGED: _HISTORY,
    Lifecycle.REJECTED: _NOTHING,
    Lifecycle.EXPIRED: _NOTHING,
}

# What each fact about a row keeps it from; recall masks rows by these bits before anything is ranked.
PENDING_BIT = 1  # waits for review: needs include_unconfirmed
STALE_BIT = 2  # may be outdated: needs include_stale
DISPUTED_BIT = 4  # explicit search only
HISTORY_BIT = 8  # superseded or merged: needs include_history
HIDDEN_BIT = 16  # rejected or expired: inspection only
UNVERIFIED_BIT = 32  # from an unconfirmed session: explicit search only
EVERGREEN_BIT = 64  # holds nothing back: the row does not fade with age
HOLDING_BITS = EVERGREEN_BIT - 1  # all that hold back

_LIFECYCLE_BITS = {
    Lifecycle.ACTIVE: 0,
    Lifecycle.STALE: STALE_BIT,
    Lifecycle.SUPERSEDED: HISTORY_BIT,
    Lifecycle.DISPUTED: DISPUTED_BIT,
    Lifecycle.MERGED: HISTORY_BIT,
    Lifecycle.REJECTED: HIDDEN_BIT,
    Lifecycle.EXPIRED: HIDDEN_BIT,
}


def effective_review(review: ReviewStatus, restricted_from: ReviewStatus | None) -> ReviewStatus:
    """A restricted record is treated as what it was before it was restricted."""
    if review is ReviewStatus.RESTRICTED:
        return restricted_from or ReviewStatus.PENDING
    return review


def use_policy(
    provenance: Provenance,
    lifecycle: Lifecycle,
    review: ReviewStatus,
    *,
    restricted_from: ReviewStatus | None = None,
    is_unverified: bool = False,
    inside: bool = True,
) -> UsePolicy:
    """What a record in this state may do for somebody who stands ``inside`` its project and channel, or outside.

    The table of governance.md 2, row by row. Outside its own project or channel a record never instructs; a record from
    an unconfirmed session (``is_unverified``) is never injected and never instructs.
    """
    if lifecycle is not Lifecycle.ACTIVE:
        return _BY_LIFECYCLE[lifecycle]
    state = effective_review(review, restricted_from)
    if is_unverified or state not in (ReviewStatus.CONFIRMED, ReviewStatus.EVIDENCE_ONLY):
        return _UNCONFIRMED
    if state is ReviewStatus.CONFIRMED and provenance in INSTRUCTION_GRADE and inside:
        return _INSTRUCTION
    return _EVIDENCE


def policy_bits(
    lifecycle: Lifecycle,
    review: ReviewStatus,
    *,
    restricted_from: ReviewStatus | None = None,
    is_unverified: bool = False,
    is_evergreen: bool = False,
) -> int:
    """The same state as bits for the search blocks; without one of HOLDING_BITS nothing holds the row back.

    A pending record that time made stale carries both bits, so it needs both permissions.
    """
    bits = _LIFECYCLE_BITS[lifecycle]
    if effective_review(review, restricted_from) is ReviewStatus.PENDING:
        bits |= PENDING_BIT
    if is_unverified:
        bits |= UNVERIFIED_BIT
    if is_evergreen:
        bits |= EVERGREEN_BIT
    return bits
