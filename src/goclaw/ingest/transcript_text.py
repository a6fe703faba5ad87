"""Transcript text: turns as a model reads them when it is asked about a conversation; numbered, with their speaker.

Secrets are taken out first, and what was recalled from memory is left out: else a summary or a fact would be learned
from what memory said itself (engine.md 2.11).
"""

from collections.abc import Iterable, Sequence

from goclaw.governance.secret_scan import redact
from goclaw.model.clock import from_us
from goclaw.model.session import SessionTurn, TurnRole

TURN_CHARS = 500  # of each message in a summary made from raw history (engine.md 2.9)
TOTAL_CHARS = 8_000


def transcript_text(turns: Iterable[SessionTurn], *, turn_chars: int = TURN_CHARS, total: int = TOTAL_CHARS) -> str:
    """One line a turn, the newest ones first to be kept where all are too long."""
    lines = [line_of(turn, turn_chars) for turn in turns]
    return "\n".join(_newest_that_fit(lines, total))


def line_of(turn: SessionTurn, turn_chars: int) -> str:
    """``[number] time speaker (role): text``, cut and in one line."""
    text = " ".join(redact(turn.content).split())
    if turn.role is TurnRole.TOOL:
        text = f"{len(turn.content):,} characters"
    marks = f"{turn.role}, outside text" if turn.is_tainted else str(turn.role)
    called = f" [calls {', '.join(call.name for call in turn.tool_calls)}]" if turn.tool_calls else ""
    cut = text if len(text) <= turn_chars else f"{text[:turn_chars]} [...]"
    return f"[{turn.number}] {from_us(turn.created_at):%Y-%m-%d %H:%M} {turn.speaker} ({marks}): {cut}{called}"


def _newest_that_fit(lines: Sequence[str], total: int) -> list[str]:
    kept: list[str] = []
    for line in reversed(lines):
        total -= len(line) + 1
        if total < 0:
            kept.append(f"[{len(lines) - len(kept)} earlier messages are left out]")
            break
        kept.append(line)
    return kept[::-1]
