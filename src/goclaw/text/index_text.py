"""Index text: a chunk with everything a person might name it by, for its terms and its vector (engine.md 2.3)."""

from collections.abc import Iterable

from goclaw.model.clock import from_us
from goclaw.model.tags import CRITICAL, SUPERSEDED, UNVERIFIED

_STATE_TAGS = frozenset({CRITICAL, SUPERSEDED, UNVERIFIED})  # they come and go, and nobody searches for them
_MONTH_NAMES = "January February March April May June July August September October November December"
_MONTHS = _MONTH_NAMES.split()  # ours: the machine's locale must not decide what is found


def searchable_text(
    chunk_text: str,
    *,
    tags: Iterable[str] = (),
    domain: str | None = None,
    speaker: str | None = None,
    occurred_at_us: int | None = None,
    source_titles: Iterable[str] = (),
) -> str:
    """Title or slug, domain and tags on a first line; then "[8 May 2023] Alice: " and the chunk.

    Without any of them it is the chunk itself. ``source_titles`` are names of sources, pages and channels.
    """
    labels = [*source_titles, domain, *(tag for tag in tags if tag not in _STATE_TAGS)]
    head = " · ".join(label for label in labels if label)
    date = f"[{_day(occurred_at_us)}] " if occurred_at_us is not None else ""
    who = f"{speaker}: " if speaker else ""
    return f"{head}\n{date}{who}{chunk_text}" if head else f"{date}{who}{chunk_text}"


def _day(moment_us: int) -> str:
    day = from_us(moment_us)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
