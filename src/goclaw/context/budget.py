"""Budget: which sections give way, so that memory never crowds the conversation out of the model's window.

The session's sections get at most three quarters of the budget, whatever the message found, so that they do not change
with the message; the message's sections get what is left. A section shrinks, from the record it would miss least,
before it is dropped whole (engine.md 1 t). Critical constraints never give way (engine.md 1 a): the report warns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from goclaw.context.section import Section

SESSION_SHARE = 0.75
NO_LIMIT = 0  # memory.context_budget_chars of this value
OVER_BUDGET = "over the budget"


@dataclass(frozen=True, slots=True)
class Fitted:
    """Sections that fit, and by how much those that never give way exceed their share."""

    sections: tuple[Section, ...]
    used: int  # characters that count towards the budget
    excess: int  # 0 where everything fits


def session_share(budget: int) -> int | None:
    """The most that the session's memory may take; None: no limit."""
    return None if budget == NO_LIMIT else int(budget * SESSION_SHARE)


def message_share(budget: int, used_by_session: int) -> int | None:
    """What is left for the message's memory; never below nothing."""
    return None if budget == NO_LIMIT else max(budget - used_by_session, 0)


def fit(sections: Sequence[Section], room: int | None) -> Fitted:
    """The sections, shrunk and dropped in the seed's order until those that count take at most ``room`` characters."""
    fitted = list(sections)
    order = sorted(
        (index for index, section in enumerate(fitted) if section.place.gives_way is not None),
        key=lambda index: fitted[index].place.gives_way or 0,
    )
    used = _used(fitted)
    for index in order:
        if room is None or used <= room:
            break
        before = fitted[index]
        if not before.entries:
            continue
        after = before.shrunk_by(used - room)
        fitted[index] = replace(after, why=_because(before, after))
        used = _used(fitted)
    return Fitted(tuple(fitted), used, 0 if room is None else max(used - room, 0))


def _used(sections: Sequence[Section]) -> int:
    return sum(section.chars for section in sections if section.place.counts)


def _because(before: Section, after: Section) -> str:
    if not after.entries:
        return f"dropped: {OVER_BUDGET}"
    return f"shrunk: {OVER_BUDGET}"
