"""What time alone does to a record."""

from dataclasses import replace
from datetime import timedelta

import pytest

from goclaw.model.clock import DAY, to_us
from goclaw.model.freshness import ChunkPolicy, chunk_policy, settle
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.review import ReviewStatus
from goclaw.model.use_policy import HIDDEN_BIT, PENDING_BIT, STALE_BIT
from tests.unit.model.test_shapes import NOON, record

WAIT = 90
BORN = to_us(NOON)


def after(days):
    return BORN + days * DAY


def moment(days):
    return NOON + timedelta(days=days)


def test_a_confirmed_record_without_dates_lives_for_ever():
    plain = record()
    assert settle(plain, after(10_000), WAIT) is plain
    assert chunk_policy(plain, WAIT) == ChunkPolicy(0, None, None)


def test_stale_after_makes_it_stale_and_expires_at_ends_it():
    dated = record(stale_after=moment(5), expires_at=moment(9))
    assert settle(dated, after(4), WAIT).lifecycle is Lifecycle.ACTIVE
    assert settle(dated, after(5), WAIT).lifecycle is Lifecycle.STALE
    assert settle(dated, after(9), WAIT).lifecycle is Lifecycle.EXPIRED
    assert chunk_policy(dated, WAIT) == ChunkPolicy(0, after(5), STALE_BIT)
    assert chunk_policy(settle(dated, after(5), WAIT), WAIT) == ChunkPolicy(STALE_BIT, after(9), STALE_BIT | HIDDEN_BIT)
    assert chunk_policy(settle(dated, after(9), WAIT), WAIT) == ChunkPolicy(HIDDEN_BIT, None, None)


def test_what_nobody_reviews_expires_after_the_wait():
    waiting = record(review_status=ReviewStatus.PENDING)
    assert settle(waiting, after(WAIT) - 1, WAIT).lifecycle is Lifecycle.ACTIVE
    assert settle(waiting, after(WAIT), WAIT).lifecycle is Lifecycle.EXPIRED
    assert chunk_policy(waiting, WAIT) == ChunkPolicy(PENDING_BIT, after(WAIT), PENDING_BIT | HIDDEN_BIT)


def test_a_restricted_record_waits_if_it_waited_before():
    restricted = record(review_status=ReviewStatus.RESTRICTED, restricted_from=ReviewStatus.PENDING)
    assert settle(restricted, after(WAIT), WAIT).lifecycle is Lifecycle.EXPIRED
    assert settle(replace(restricted, restricted_from=ReviewStatus.CONFIRMED), after(WAIT), WAIT).lifecycle == "active"


@pytest.mark.parametrize("lifecycle", sorted(set(Lifecycle) - {Lifecycle.ACTIVE, Lifecycle.STALE}))
def test_time_changes_nothing_that_has_ended(lifecycle):
    ended = record(lifecycle=lifecycle, expires_at=moment(1), stale_after=moment(1))
    assert settle(ended, after(100), WAIT) is ended
    assert chunk_policy(ended, WAIT).due_at is None
