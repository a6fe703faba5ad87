"""The clock: the only place that asks what time it is.

Time inside goclaw is an integer: microseconds since 1970 in UTC. People and programs outside see timezone-aware
``datetime`` values. Everything that depends on time takes a :class:`Clock`, so a test can move it.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

MICROSECOND = 1
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """Whoever can say what time it is."""

    def now(self) -> int:
        """Microseconds since 1970, UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000


class ManualClock:
    """A clock that stands still until it is moved; for tests and for the demo's two weeks."""

    def __init__(self, start: datetime | int) -> None:
        self._now = start if isinstance(start, int) else to_us(start)

    def now(self) -> int:
        return self._now

    def advance(self, *, days: float = 0, hours: float = 0, seconds: float = 0) -> None:
        """Move forward (or, with negative values, back)."""
        self._now += round(days * DAY + hours * HOUR + seconds * SECOND)

    def set(self, moment: datetime | int) -> None:
        """Jump to a moment."""
        self._now = moment if isinstance(moment, int) else to_us(moment)


def to_us(moment: datetime) -> int:
    """Microseconds since 1970 of a moment; one without a time zone is read as UTC (never as the server's zone)."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    delta = aware - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * SECOND + delta.microseconds


def from_us(moment: int) -> datetime:
    """The UTC ``datetime`` of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=moment)
