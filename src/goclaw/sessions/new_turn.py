"""A new turn: a message as its sender hands it over, checked before it becomes part of a conversation."""

import json
from dataclasses import dataclass, replace
from typing import Any

from goclaw.ingest.draft import label
from goclaw.model.clock import from_us, to_us
from goclaw.model.errors import InvalidInput
from goclaw.model.session import TurnRole, TurnToolCall
from goclaw.model.storable import require_storable

MAX_TOOL_CALLS = 64
# What these tools say comes out of the store, where it was judged when it came in.
OWN_TOOLS = frozenset({"memory_write", "memory_search", "memory_context", "memory_consolidate", "wiki_read"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTurn:
    """A message as its sender hands it over."""

    role: TurnRole
    content: str
    speaker: str | None = None  # the agent's or the tool's name; a person is known by the principal
    occurred_at: int | None = None  # microseconds since 1970; None: now
    tool_calls: tuple[TurnToolCall, ...] = ()
    tool_call_id: str | None = None
    is_tainted: bool | None = None  # None: what tools say is, but for our own
    message_id: str | None = None

    @property
    def comes_from_outside(self) -> bool:
        """Whether it holds text from outside: as its sender says, else what tools say does, but for our own."""
        if self.is_tainted is not None:
            return self.is_tainted
        return self.role is TurnRole.TOOL and self.speaker not in OWN_TOOLS


def checked_session_id(session_id: str) -> str:
    """The name of a conversation, or InvalidInput."""
    name = label(session_id, "session_id")
    if name is None:
        raise InvalidInput("The conversation has no name.", "Give a session_id.")
    require_storable(name, "session_id")
    return name


def checked_turn(turn: NewTurn, max_chars: int) -> NewTurn:
    """The turn with its fields in their plain form, or InvalidInput."""
    require_storable(turn.content, "The turn")
    if len(turn.content) > max_chars:
        raise InvalidInput(f"The turn has {len(turn.content):,} characters.", f"A turn holds up to {max_chars:,}.")
    if turn.role is TurnRole.TOOL and not turn.speaker:
        raise InvalidInput("The answer of a tool has no name.", "Give the tool's name as speaker.")
    if turn.tool_calls and (turn.role is not TurnRole.ASSISTANT or len(turn.tool_calls) > MAX_TOOL_CALLS):
        raise InvalidInput(
            "Only the agent calls tools.", f"Give tool_calls with role assistant, {MAX_TOOL_CALLS} at most."
        )
    for call in turn.tool_calls:
        _require_call(call)
    if turn.is_tainted is not None and not isinstance(turn.is_tainted, bool):
        raise InvalidInput("is_tainted is neither true nor false.", "Use True or False, or leave it out.")
    if turn.occurred_at is not None:
        _require_moment(turn.occurred_at)
    return replace(
        turn,
        speaker=_name(turn.speaker, "speaker"),
        tool_call_id=_name(turn.tool_call_id, "tool_call_id"),
        message_id=_name(turn.message_id, "message_id"),
    )


def _name(value: str | None, what: str) -> str | None:
    if value is not None:
        require_storable(value, what)
    return label(value, what)


def _require_call(call: TurnToolCall) -> None:
    for name in ("id", "name"):
        require_storable(getattr(call, name), f"tool_calls.{name}")
        label(getattr(call, name), f"tool_calls.{name}")
    try:
        plain = json.dumps(dict(call.arguments), allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(
            "The arguments of a tool call are not plain JSON.", "Use texts, numbers and lists."
        ) from None
    require_storable(plain, "The arguments of a tool call")


def _require_moment(moment: Any) -> None:
    try:
        to_us(from_us(moment))
    except (OverflowError, ValueError, TypeError, OSError):
        raise InvalidInput("occurred_at is out of range.", "Use a year from 1 to 9999, in UTC.") from None
