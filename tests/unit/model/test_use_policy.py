"""What a memory may do: the table of governance.md 2, row by row."""

import pytest

from goclaw.model.lifecycle import Lifecycle
from goclaw.model.provenance import Provenance
from goclaw.model.review import ReviewStatus
from goclaw.model.use_policy import (
    DISPUTED_BIT,
    EVERGREEN_BIT,
    HIDDEN_BIT,
    HISTORY_BIT,
    HOLDING_BITS,
    PENDING_BIT,
    STALE_BIT,
    UNVERIFIED_BIT,
    UsePolicy,
    policy_bits,
    use_policy,
)

CONFIRMED, EVIDENCE_ONLY, PENDING = ReviewStatus.CONFIRMED, ReviewStatus.EVIDENCE_ONLY, ReviewStatus.PENDING
TRUSTED = (Provenance.USER_CONFIRMED, Provenance.IMPORTED)


def flags(policy):
    return (
        policy.can_use_as_instruction,
        policy.can_use_as_evidence,
        policy.requires_user_confirmation,
        policy.do_not_inject_automatically,
    )


# fmt: off
ROWS = [
    # lifecycle               review          instruct evidence confirm  no-inject
    (Lifecycle.ACTIVE,     CONFIRMED,         True,    True,    False,   False),
    (Lifecycle.ACTIVE,     EVIDENCE_ONLY,     False,   True,    False,   False),
    (Lifecycle.ACTIVE,     PENDING,           False,   True,    True,    True),
    (Lifecycle.STALE,      CONFIRMED,         False,   True,    True,    True),
    (Lifecycle.STALE,      PENDING,           False,   True,    True,    True),
    (Lifecycle.SUPERSEDED, CONFIRMED,         False,   True,    False,   True),
    (Lifecycle.DISPUTED,   CONFIRMED,         False,   True,    False,   True),
    (Lifecycle.MERGED,     ReviewStatus.MERGED, False, True,    False,   True),
    (Lifecycle.REJECTED,   ReviewStatus.REJECTED, False, False, False,   True),
    (Lifecycle.EXPIRED,    PENDING,           False,   False,   False,   True),
]
# fmt: on


@pytest.mark.parametrize("provenance", TRUSTED)
@pytest.mark.parametrize(("lifecycle", "review", "instruct", "evidence", "confirm", "no_inject"), ROWS)
def test_the_table(provenance, lifecycle, review, instruct, evidence, confirm, no_inject):
    assert flags(use_policy(provenance, lifecycle, review)) == (instruct, evidence, confirm, no_inject)


@pytest.mark.parametrize("provenance", sorted(set(Provenance) - set(TRUSTED)))
def test_only_a_human_or_a_trusted_import_instructs(provenance):
    """Even if a review says confirmed: agent-written memory is evidence, not instruction (the core rule)."""
    assert use_policy(provenance, Lifecycle.ACTIVE, CONFIRMED).can_use_as_instruction is False


def test_outside_its_project_or_channel_a_record_never_instructs():
    policy = use_policy(Provenance.USER_CONFIRMED, Lifecycle.ACTIVE, CONFIRMED, inside=False)
    assert flags(policy) == (False, True, False, False)


@pytest.mark.parametrize("came_from", [CONFIRMED, EVIDENCE_ONLY, PENDING])
def test_restricted_is_treated_as_the_state_it_came_from(came_from):
    restricted = use_policy(Provenance.IMPORTED, Lifecycle.ACTIVE, ReviewStatus.RESTRICTED, restricted_from=came_from)
    assert restricted == use_policy(Provenance.IMPORTED, Lifecycle.ACTIVE, came_from)


def test_restricted_without_a_known_origin_is_pending():
    policy = use_policy(Provenance.IMPORTED, Lifecycle.ACTIVE, ReviewStatus.RESTRICTED)
    assert policy.requires_user_confirmation


def test_a_record_of_an_unconfirmed_session_is_never_injected():
    policy = use_policy(Provenance.USER_CONFIRMED, Lifecycle.ACTIVE, CONFIRMED, is_unverified=True)
    assert flags(policy) == (False, True, True, True)


def test_the_default_policy_allows_nothing():
    assert flags(UsePolicy()) == (False, False, False, True)


@pytest.mark.parametrize(("lifecycle", "review", "instruct", "evidence", "confirm", "no_inject"), ROWS)
def test_bits_hold_back_exactly_what_may_not_be_injected(lifecycle, review, instruct, evidence, confirm, no_inject):
    assert (policy_bits(lifecycle, review) != 0) is no_inject


@pytest.mark.parametrize(("lifecycle", "review", "unverified", "bits"), [
    (Lifecycle.ACTIVE,     CONFIRMED,     False, 0),
    (Lifecycle.ACTIVE,     PENDING,       False, PENDING_BIT),
    (Lifecycle.ACTIVE,     EVIDENCE_ONLY, True,  UNVERIFIED_BIT),
    (Lifecycle.STALE,      PENDING,       False, STALE_BIT | PENDING_BIT),
    (Lifecycle.DISPUTED,   CONFIRMED,     False, DISPUTED_BIT),
    (Lifecycle.SUPERSEDED, EVIDENCE_ONLY, False, HISTORY_BIT),
    (Lifecycle.MERGED,     ReviewStatus.MERGED, False, HISTORY_BIT),
    (Lifecycle.EXPIRED,    PENDING,       False, HIDDEN_BIT | PENDING_BIT),
])  # fmt: skip
def test_bits(lifecycle, review, unverified, bits):
    assert policy_bits(lifecycle, review, is_unverified=unverified) == bits


def test_bits_of_a_restricted_record_are_those_it_came_with():
    assert policy_bits(Lifecycle.ACTIVE, ReviewStatus.RESTRICTED, restricted_from=PENDING) == PENDING_BIT
    assert policy_bits(Lifecycle.ACTIVE, ReviewStatus.RESTRICTED, restricted_from=CONFIRMED) == 0


def test_evergreen_holds_nothing_back():
    bits = policy_bits(Lifecycle.ACTIVE, CONFIRMED, is_evergreen=True)
    assert bits == EVERGREEN_BIT
    assert bits & HOLDING_BITS == 0
