"""What a decision makes of a record, without a store."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goclaw.lifecycle.review_effects import absorbing, after_step, retired_for, with_flags, with_tags, with_words
from goclaw.model.clock import DAY, to_us
from goclaw.model.errors import Conflict
from goclaw.model.freshness import settle
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.provenance import Provenance, SourceRef
from goclaw.model.review import LEGAL_ACTIONS, TRANSITIONS, ReviewAction, ReviewStatus, transition
from goclaw.model.scope import Scope
from tests.unit.lifecycle.states import what_is_wrong
from tests.unit.model.test_shapes import NOON, record

STARTS = [
    (Provenance.OBSERVED, ReviewStatus.EVIDENCE_ONLY),
    (Provenance.GENERATED, ReviewStatus.PENDING),
    (Provenance.INFERRED, ReviewStatus.PENDING),
    (Provenance.USER_CONFIRMED, ReviewStatus.CONFIRMED),
    (Provenance.IMPORTED, ReviewStatus.CONFIRMED),
]
PROJECT = Namespace("w", Scope.AGENT_NOTES, project_id="apollo")
MINE = Namespace("w", Scope.PERSONAL, owner_user_id="rita")


def decided(known, action, days=0):
    now = NOON + timedelta(days=days)
    return after_step(settle(known, to_us(now), 90), TRANSITIONS[ReviewAction(action)], now)


@given(
    st.sampled_from(STARTS),
    st.lists(st.tuples(st.sampled_from(ReviewAction), st.integers(0, 120)), max_size=12),
    st.sampled_from([None, 5, 40]),
    st.sampled_from([None, 7, 200]),
)
def test_no_sequence_of_legal_actions_leaves_the_table(start, steps, shelf_days, life_days):
    provenance, review = start
    known = record(
        provenance=provenance,
        review_status=review,
        stale_after=NOON + timedelta(days=shelf_days) if shelf_days else None,
        expires_at=NOON + timedelta(days=life_days) if life_days else None,
    )
    day = 0
    for action, days in steps:
        day += days
        now = to_us(NOON) + day * DAY
        settled = settle(known, now, 90)
        if action not in LEGAL_ACTIONS[settled.lifecycle]:
            with pytest.raises(Conflict):
                transition(settled.lifecycle, action)
            continue
        known = after_step(settled, transition(settled.lifecycle, action), NOON + timedelta(days=day))
        assert what_is_wrong(known) == []
        assert settle(known, now, 90) == known or action not in (ReviewAction.CONFIRM, ReviewAction.EVIDENCE_ONLY)


def test_a_passed_date_starts_anew_and_one_ahead_stays():
    dated = record(stale_after=NOON + timedelta(days=10), expires_at=NOON + timedelta(days=30))
    revived = decided(dated, "confirm", days=12)
    assert revived.stale_after == NOON + timedelta(days=22)
    assert revived.expires_at == NOON + timedelta(days=30)
    assert decided(revived, "confirm", days=25).stale_after == NOON + timedelta(days=35)
    assert decided(dated, "confirm", days=3).stale_after == dated.stale_after
    assert decided(dated, "mark_stale", days=12).stale_after == dated.stale_after


def test_only_a_confirmation_counts_as_one():
    assert decided(record(last_confirmed_at=None), "confirm", days=1).last_confirmed_at == NOON + timedelta(days=1)
    for action in ("evidence_only", "mark_stale", "reject", "dispute"):
        assert decided(record(last_confirmed_at=None), action, days=1).last_confirmed_at is None


def test_restricted_twice_it_still_remembers_the_first_state():
    once = decided(record(review_status=ReviewStatus.PENDING), "restrict_scope")
    assert decided(once, "restrict_scope").restricted_from is ReviewStatus.PENDING
    assert decided(once, "confirm").restricted_from is None
    assert decided(once, "dispute").restricted_from is ReviewStatus.PENDING


def test_what_time_did_becomes_lasting_with_the_decision():
    dated = record(stale_after=NOON + timedelta(days=10))
    assert decided(dated, "restrict_scope", days=12).lifecycle is Lifecycle.STALE


def test_tags_are_replaced_and_those_of_the_engine_stay():
    assert with_tags(record(tags=("old", "superseded")), ("new", "new")).tags == ("new", "superseded")


def test_words_and_flags():
    flagged = record(flags=("tainted", "injection_like", "unsourced", "claimed_imported"))
    assert with_flags(flagged, ("oversize",)).flags == ("oversize", "tainted", "claimed_imported")
    changed = with_words(flagged, "New words", None)
    assert (changed.content, changed.summary) == ("New words", flagged.summary)
    assert changed.content_hash != flagged.content_hash
    assert with_words(flagged, None, "Short").content_hash == flagged.content_hash


def test_a_retired_record_names_its_follower_only_to_those_who_may_know_it():
    old = record(namespace=PROJECT, metadata={"kept": 1})
    retired = retired_for(old, record(id="newer", namespace=PROJECT), None, NOON)
    assert retired.metadata == {
        "kept": 1,
        "superseded_by": "newer",
        "superseded_at": NOON.isoformat(),
        "superseded_reason": "review",
    }
    assert "superseded_by" not in retired_for(old, record(id="newer", namespace=MINE), "why", NOON).metadata


def test_merging_unites_sources_where_they_may_travel():
    one, two = SourceRef("issue", uri="https://e.test/1"), SourceRef("issue", uri="https://e.test/2")
    stays = record(namespace=PROJECT, source_refs=(one,), external_ref=None)
    gave_way = record(id="gone", namespace=PROJECT, source_refs=(one, two), external_ref="D2", session_id="s9")
    grown = absorbing(stays, gave_way, NOON)
    assert (grown.source_refs, grown.external_ref, grown.version) == ((one, two), "D2", stays.version + 1)
    assert grown.metadata["also_seen"][-1]["session_id"] == "s9"
    apart = absorbing(stays, record(id="gone", namespace=MINE, source_refs=(two,), external_ref="D2"), NOON)
    assert (apart.source_refs, apart.external_ref, apart.metadata) == ((one,), None, stays.metadata)
