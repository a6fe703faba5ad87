"""Conversations: the face of this room. A :class:`goclaw.Memory` hands it out as ``memory.sessions``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from goclaw.ingest.draft import choice
from goclaw.model.clock import to_us
from goclaw.model.errors import InvalidInput
from goclaw.model.home import channel_of
from goclaw.model.principal import Principal
from goclaw.model.session import Channel, ChatKind, ConversationReceipt, Session, SessionTurn, TurnRole, TurnToolCall
from goclaw.sessions.new_turn import NewTurn
from goclaw.sessions.read_session import SessionPage, SessionReader, Transcript
from goclaw.sessions.record_turn import Recorded, TurnRecorder

_TURN_FIELDS = frozenset(NewTurn.__dataclass_fields__)
_CALL_FIELDS = frozenset(TurnToolCall.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Conversations:
    """Records and shows conversations. Every call is bounded by the homes the principal may look into."""

    recorder: TurnRecorder
    reader: SessionReader
    eraser: Callable[[Principal, str], ConversationReceipt]

    def record(
        self,
        principal: Principal,
        session_id: str,
        turns: Iterable[NewTurn | Mapping[str, Any]],
        *,
        channel: Channel | Mapping[str, str | None] | None = None,
        chat_kind: str | None = None,
    ) -> Recorded:
        """Append turns to a conversation, which begins with its first one; durable when this returns.

        A turn is ``{"role": "user" | "assistant" | "tool", "content": ...}`` with the other fields of
        :class:`NewTurn` where they are known; ``occurred_at`` may be a ``datetime``, in UTC where it has no zone.
        A person's turn is the principal's. Without a channel the conversation
        is the principal's own; with one it is the room's, unless ``chat_kind`` is ``dm``. A ``message_id`` that is
        there already is not added twice.

        Raises Unauthenticated, AccessDenied, InvalidInput, and Conflict where a message id belongs to another text.
        """
        kind = None if chat_kind is None else choice(ChatKind, chat_kind, "chat_kind")
        return self.recorder.record(principal, session_id, turns_of(turns), channel=channel_of(channel), chat_kind=kind)

    def list(self, principal: Principal, *, cursor: str | None = None, limit: int = 50) -> SessionPage:
        """Conversations, last used first, ``limit`` (1-200) at a time; follow ``next_cursor``."""
        return self.reader.page(principal, cursor, limit)

    def get(self, principal: Principal, session_id: str) -> Session:
        """One conversation. Raises NotFound, also where the principal may not know of it."""
        return self.reader.get(principal, session_id)

    def turns(
        self, principal: Principal, session_id: str, *, first: int = 1, limit: int = 200
    ) -> Sequence[SessionTurn]:
        """What was said, from turn ``first`` on, at most ``limit`` (1-200) turns. Raises NotFound."""
        return self.reader.turns(principal, session_id, first, limit)

    def export(self, principal: Principal, session_id: str) -> Transcript:
        """All that was said, also what was trimmed, and where it is archived. Raises NotFound."""
        return self.reader.transcript(principal, session_id)

    def forget(self, principal: Principal, session_id: str) -> ConversationReceipt:
        """Erase a conversation with its archives and its summary; the receipt. What was learned from it stays.

        For the person it was held with, and for an administrator in its room, by own hand. Raises NotFound,
        AccessDenied.
        """
        return self.eraser(principal, session_id)


def turns_of(turns: Iterable[NewTurn | Mapping[str, Any]]) -> list[NewTurn]:
    """Turns out of a list of them, or InvalidInput."""
    if isinstance(turns, str | Mapping) or not isinstance(turns, Iterable):
        raise InvalidInput("The turns are no list.", 'Write [{"role": "user", "content": "..."}].')
    return [turn_of(turn) for turn in turns]


def turn_of(turn: NewTurn | Mapping[str, Any]) -> NewTurn:
    """A turn out of a mapping of its fields, or InvalidInput."""
    if isinstance(turn, NewTurn):
        return turn
    if not isinstance(turn, Mapping) or not {"role", "content"} <= set(turn) <= _TURN_FIELDS:
        raise InvalidInput(
            "That is no turn.", f"Give role and content, and of the rest: {', '.join(sorted(_TURN_FIELDS))}."
        )
    fields = dict(turn)
    fields["role"] = choice(TurnRole, fields["role"], "role")
    calls = fields.get("tool_calls") or ()
    if not isinstance(calls, list | tuple):
        raise InvalidInput("tool_calls is no list.", 'Write [{"id": "c1", "name": "memory_search", "arguments": {}}].')
    fields["tool_calls"] = tuple(_call_of(call) for call in calls)
    if isinstance(fields.get("occurred_at"), datetime):
        fields["occurred_at"] = to_us(fields["occurred_at"])
    return NewTurn(**fields)


def _call_of(call: TurnToolCall | Mapping[str, Any]) -> TurnToolCall:
    if isinstance(call, TurnToolCall):
        return call
    if not isinstance(call, Mapping) or not {"id", "name"} <= set(call) <= _CALL_FIELDS:
        raise InvalidInput("That is no tool call.", "Give id, name and arguments.")
    arguments = call.get("arguments") or {}
    if not isinstance(arguments, Mapping):
        raise InvalidInput("The arguments of a tool call are no mapping.", 'Write {"query": "..."}.')
    return TurnToolCall(call["id"], call["name"], dict(arguments))
