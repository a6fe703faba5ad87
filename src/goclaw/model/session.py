"""A session: one conversation, its turns, and the place it is held in. Trimming never shortens what is kept of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class TurnRole(StrEnum):
    """Who speaks, as models know it."""

    USER = "user"  # a person
    ASSISTANT = "assistant"  # the agent
    TOOL = "tool"  # what a tool answered


class ChatKind(StrEnum):
    """How many may listen."""

    DIRECT = "dm"  # one person and the agent
    GROUP = "group"  # a room: whatever is said is heard by everybody in it


@dataclass(frozen=True, slots=True)
class Channel:
    """Where a conversation is held outside of goclaw: a Discord server's channel, a room of a chat program."""

    kind: str  # discord, msteams, terminal, ...
    id: str
    thread_id: str | None = None


@dataclass(frozen=True, slots=True)
class TurnToolCall:
    """One call of a tool that the agent made in its turn."""

    id: str  # the answer names it
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTurn:
    """One message of a conversation, as it was said."""

    number: int  # 1, 2, 3 ... within its session
    role: TurnRole
    speaker: str  # who: a user id or a sender's name, an agent's id, a tool's name
    user_id: str | None  # the identified person who spoke; None for agents, tools and unpaired senders
    content: str
    created_at: int  # microseconds since 1970
    channel: str | None = None  # where it came in, ``kind:id``
    tool_calls: tuple[TurnToolCall, ...] = ()
    tool_call_id: str | None = None  # the call that this turn answers
    is_tainted: bool = False  # holds text from outside; set by code and kept for ever
    recorded_by: str = ""  # the actor that wrote it down: a person's own words are recorded by that person
    message_id: str | None = None  # the sender's own id of it: what is sent twice is one turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation. Only those who took part, and the members of its channel, may see it."""

    key: str  # its own id in the store
    session_id: str  # the name its users gave it; unique within its home
    workspace_id: str
    home: str  # who may see it: ``person:<user>``, ``channel:<id>`` or ``actor:<actor id>`` of an autonomous run
    agent_id: str | None
    chat_kind: ChatKind
    run_kind: str
    channel_kind: str | None
    channel_id: str | None
    thread_id: str | None
    participants: tuple[str, ...]  # user ids of the people who spoke, in order of their first turn
    is_unverified: bool  # somebody unpaired spoke, or text from outside came in
    turns: int  # how many there are
    first_kept: int  # number of the first turn that is still given to the model
    kept_chars: int  # length of the turns from there on
    extracted_to: int  # number of the last turn that facts were looked for in
    summary: str | None  # of the turns before ``first_kept``
    created_at: int
    updated_at: int

    @property
    def sole_person(self) -> str | None:
        """The person whose conversation it was alone, or None; then a summary of it is nobody's personal memory."""
        is_alone = self.chat_kind is ChatKind.DIRECT and len(self.participants) == 1
        return self.participants[0] if is_alone and self.home == person_home(self.participants[0]) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationReceipt:
    """What forgetting a conversation did."""

    session_id: str
    forgotten_at: datetime
    turns: int
    archives: int
    records: tuple[str, ...]  # of its summary
    kept_in: tuple[str, ...]  # backups that still hold it, by file name


LEARNED_FROM = "learned_from"  # metadata of records that were learned from turns: set by goclaw alone


def learned_from(session: Session, turns: Iterable[int]) -> dict[str, Any]:
    """The metadata that says where a record's words were said, so that forgetting it finds them."""
    return {LEARNED_FROM: [{"session": session.key, "turns": list(turns)}]}


def person_home(user_id: str) -> str:
    """Where a person's own conversations are held."""
    return f"person:{user_id}"


def channel_home(channel_id: str) -> str:
    """Where the conversations of a room are held."""
    return f"channel:{channel_id}"


def actor_home(actor_id: str) -> str:
    """Where an autonomous run, or an unknown sender, is heard."""
    return f"actor:{actor_id}"
