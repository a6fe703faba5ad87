"""A bucket gives what it holds, fills with time, and belongs to one key."""

from goclaw.gateway.rate_limit import TokenBuckets


def test_a_full_bucket_gives_a_minutes_worth_and_then_says_how_long_to_wait() -> None:
    buckets = TokenBuckets(per_minute=60)
    assert [buckets.take("a", 0.0) for _ in range(60)] == [0.0] * 60
    assert buckets.take("a", 0.0) == 1.0
    assert buckets.take("a", 0.25) == 0.75


def test_it_fills_with_time_and_never_above_its_size() -> None:
    buckets = TokenBuckets(per_minute=2)
    assert [buckets.take("a", 0.0) == 0 for _ in range(3)] == [True, True, False]
    assert buckets.take("a", 30.0) == 0
    assert [buckets.take("a", 9_000.0) == 0 for _ in range(3)] == [True, True, False]


def test_one_key_does_not_use_up_anothers() -> None:
    buckets = TokenBuckets(per_minute=1)
    assert buckets.take("a", 0.0) == 0
    assert buckets.take("a", 0.0) > 0
    assert buckets.take("b", 0.0) == 0
