"""Where a conversation is cut: how long it may grow, and which turns stay (engine.md 2.9).

The kept part never opens on the answer of a tool: a call and its answers stay together.
"""

from collections.abc import Callable, Sequence

from goclaw.model.session import Session, SessionTurn, TurnRole
from goclaw.settings.settings import SessionSettings

CHARS_PER_TOKEN = 4
KEPT_SHARE = 0.5  # what is kept takes at most this share of what a conversation may take before it is cut
LEAST_KEPT = 2


def is_trim_due(session: Session, settings: SessionSettings, window_tokens: int) -> bool:
    """Whether there are more messages, or more characters, than a conversation may have."""
    kept = session.turns - session.first_kept + 1
    if kept <= LEAST_KEPT:
        return False
    return kept > settings.max_messages or session.kept_chars > largest_chars(settings, window_tokens)


def largest_chars(settings: SessionSettings, window_tokens: int) -> int:
    """How many characters of conversation the model's window takes."""
    return int(window_tokens * CHARS_PER_TOKEN * settings.max_context_share)


def first_to_keep(
    turns: Sequence[SessionTurn], settings: SessionSettings, window_tokens: int, length: Callable[[SessionTurn], int]
) -> int | None:
    """The number of the first turn that stays, of the turns that are given to the model now; None: nothing to cut."""
    start = max(len(turns) - settings.keep_messages, 0)
    room = int(largest_chars(settings, window_tokens) * KEPT_SHARE)
    while len(turns) - start > LEAST_KEPT and sum(map(length, turns[start:])) > room:
        start += 1
    start = _before_answers(turns, start) or _behind_answers(turns, start)
    return turns[start].number if 0 < start < len(turns) else None


def _before_answers(turns: Sequence[SessionTurn], start: int) -> int:
    """Back to the call whose answers would open the kept part."""
    while start > 0 and turns[start].role is TurnRole.TOOL:
        start -= 1
    return start


def _behind_answers(turns: Sequence[SessionTurn], start: int) -> int:
    """Where everything before is one call and its answers: on to the first turn that is no answer."""
    while start < len(turns) and turns[start].role is TurnRole.TOOL:
        start += 1
    return start
