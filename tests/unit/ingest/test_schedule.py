"""When a cron line is due: once, whatever the clock does."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from goclaw.ingest.schedule import last_due

BERLIN = ZoneInfo("Europe/Berlin")


def due_times(cron, start, end, zone, step=timedelta(minutes=5)):
    """What a scheduler that looks every five minutes queues between two moments."""
    found, now = [], start
    while now < end:
        due = last_due(cron, now, now + step, zone)
        if due is not None:
            found.append(due)
        now += step
    return found


@pytest.mark.parametrize("night", [datetime(2026, 3, 28, 20, tzinfo=UTC), datetime(2026, 10, 24, 20, tzinfo=UTC)])
def test_R085_once_a_night_also_when_the_clock_is_moved(night):
    runs = due_times("30 2 * * *", night, night + timedelta(hours=12), BERLIN)
    assert len(runs) == 1


def test_several_missed_runs_count_as_one():
    start = datetime(2026, 3, 2, tzinfo=UTC)
    assert last_due("0 3 * * *", start, start + timedelta(days=5), ZoneInfo("UTC")) == start + timedelta(
        days=4, hours=3
    )


def test_nothing_is_due_twice_at_the_same_moment():
    three = datetime(2026, 3, 2, 3, tzinfo=UTC)
    assert last_due("0 3 * * *", three - timedelta(seconds=1), three, ZoneInfo("UTC")) == three
    assert last_due("0 3 * * *", three, three + timedelta(hours=1), ZoneInfo("UTC")) is None
