"""Review: what a human may decide about a record, as two tables held against governance.md 5."""

from dataclasses import dataclass
from enum import StrEnum

from goclaw.model.errors import Conflict
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.provenance import Provenance


class ReviewStatus(StrEnum):
    """What the last human decision, or the lack of one, leaves the record with."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    EVIDENCE_ONLY = "evidence_only"
    RESTRICTED = "restricted"  # treated as the status it came from (``restricted_from``)
    REJECTED = "rejected"
    STALE = "stale"
    MERGED = "merged"


class ReviewAction(StrEnum):
    """The nine actions of the review queue."""

    CONFIRM = "confirm"
    EDIT = "edit"
    EVIDENCE_ONLY = "evidence_only"
    RESTRICT_SCOPE = "restrict_scope"
    MARK_STALE = "mark_stale"
    MERGE = "merge"
    REJECT = "reject"
    DISPUTE = "dispute"
    SUPERSEDE = "supersede"


@dataclass(frozen=True, slots=True)
class Transition:
    """What an action does to the three axes; ``None`` leaves an axis as it is."""

    review: ReviewStatus | None
    lifecycle: Lifecycle | None
    provenance: Provenance | None
    needs_related: bool = False  # another record must be named
    needs_target: bool = False  # a narrower visibility must be named
    needs_text: bool = False  # new content or summary must be given


TRANSITIONS: dict[ReviewAction, Transition] = {
    ReviewAction.CONFIRM: Transition(ReviewStatus.CONFIRMED, Lifecycle.ACTIVE, Provenance.USER_CONFIRMED),
    ReviewAction.EDIT: Transition(ReviewStatus.CONFIRMED, Lifecycle.ACTIVE, Provenance.USER_CONFIRMED, needs_text=True),
    ReviewAction.EVIDENCE_ONLY: Transition(ReviewStatus.EVIDENCE_ONLY, Lifecycle.ACTIVE, None),
    ReviewAction.RESTRICT_SCOPE: Transition(ReviewStatus.RESTRICTED, None, None, needs_target=True),
    ReviewAction.MARK_STALE: Transition(ReviewStatus.STALE, Lifecycle.STALE, None),
    ReviewAction.MERGE: Transition(ReviewStatus.MERGED, Lifecycle.MERGED, Provenance.SUPERSEDED, needs_related=True),
    ReviewAction.REJECT: Transition(ReviewStatus.REJECTED, Lifecycle.REJECTED, None),
    ReviewAction.DISPUTE: Transition(None, Lifecycle.DISPUTED, Provenance.DISPUTED),
    ReviewAction.SUPERSEDE: Transition(None, Lifecycle.SUPERSEDED, Provenance.SUPERSEDED, needs_related=True),
}

ALL_ACTIONS = tuple(ReviewAction)

LEGAL_ACTIONS: dict[Lifecycle, tuple[ReviewAction, ...]] = {
    Lifecycle.ACTIVE: ALL_ACTIONS,
    Lifecycle.STALE: ALL_ACTIONS,
    Lifecycle.DISPUTED: tuple(action for action in ALL_ACTIONS if action is not ReviewAction.DISPUTE),
    Lifecycle.EXPIRED: (
        ReviewAction.CONFIRM,
        ReviewAction.EDIT,
        ReviewAction.EVIDENCE_ONLY,
        ReviewAction.REJECT,
    ),
    Lifecycle.SUPERSEDED: (ReviewAction.REJECT,),
    Lifecycle.MERGED: (),
    Lifecycle.REJECTED: (),
}


def transition(lifecycle: Lifecycle, action: ReviewAction) -> Transition:
    """What ``action`` does to a record in ``lifecycle``.

    Raises Conflict where it is not legal; the hint names the actions that are.
    """
    legal = LEGAL_ACTIONS[lifecycle]
    if action not in legal:
        raise Conflict(
            f"A record that is {lifecycle} cannot be given {action}.",
            f"Legal now: {', '.join(legal)}." if legal else "Nothing is legal now; write it anew.",
        )
    return TRANSITIONS[action]
