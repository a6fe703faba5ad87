"""Session shapes: conversations on the wire. Unknown fields are refused; who speaks comes from the key."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from goclaw.gateway.shapes import Request, example
from goclaw.model.principal import MAX_ID_CHARS
from goclaw.recall.cursor import MAX_PAGE
from goclaw.sessions.record_turn import MAX_TURNS_AT_ONCE

Name = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS)]
PageSize = Annotated[int, Field(ge=1, le=MAX_PAGE)]


class Strict(BaseModel):
    """A part of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class ChannelShape(Strict):
    """Where a conversation is held."""

    kind: Name = Field(description="discord, msteams, terminal, ...")
    id: Name = Field(description="The channel's id there.")
    thread_id: Name | None = None


class SenderShape(Strict):
    """Who spoke, as the bridge of a chat program saw it. Only such a bridge may say so."""

    id: Name = Field(description="The sender's id there; goclaw pair says which person it is.")
    name: str = Field(default="", max_length=MAX_ID_CHARS, description="What the sender calls itself.")


class ToolCallShape(Strict):
    """A call of a tool."""

    id: Name
    name: Name
    arguments: dict[str, Any] = {}


class TurnShape(Strict):
    """A message. A person's is that of the key, or of the sender."""

    role: Literal["user", "assistant", "tool"]
    content: str = Field(description="What was said.")
    speaker: Name | None = Field(default=None, description="The agent's or the tool's name.")
    occurred_at: datetime | None = Field(default=None, description="When; now where it is left out.")
    tool_calls: list[ToolCallShape] = Field(default=[], description="Of an assistant.")
    tool_call_id: Name | None = Field(default=None, description="The call that a tool answers.")
    is_tainted: bool | None = Field(default=None, description="Whether it holds text from outside; tools' does.")
    message_id: Name | None = Field(default=None, description="Your id of it: sent twice, it is one turn.")


class Place(Request):
    """Where something is said, and by whom."""

    channel: ChannelShape | None = Field(default=None, description="A room, unless chat_kind is dm.")
    chat_kind: Literal["dm", "group"] | None = None
    sender: SenderShape | None = Field(default=None, description="For bridges of chat programs alone.")


class TurnsRequest(Place):
    """Turns to be appended to a conversation, which begins with its first one."""

    model_config = ConfigDict(
        json_schema_extra=example(
            turns=[
                {"role": "user", "content": "Which units do we use?", "message_id": "m-17"},
                {"role": "assistant", "content": "Metric ones."},
            ]
        )
    )

    turns: list[TurnShape] = Field(min_length=1, max_length=MAX_TURNS_AT_ONCE)


class ContextRequest(Place):
    """A message whose context is wanted."""

    model_config = ConfigDict(json_schema_extra=example(session_id="s1", message="Which units do we use?"))

    session_id: Name = Field(description="The conversation; one that is unknown is an empty one.")
    message: str = Field(default="", description="What the person says now.")


class ChatRequest(Place):
    """A message to the agent."""

    model_config = ConfigDict(json_schema_extra=example(session_id="s1", message="Which units do we use?"))

    session_id: Name = Field(description="The conversation; it begins with its first message.")
    message: str = Field(min_length=1, description="What the person says; @personal: at its start speaks to memory.")
    message_id: Name | None = Field(default=None, description="Your id of it: sent twice, it is answered once.")
    stream: bool = Field(default=False, description="Answer as server-sent events: text, tool, done or error.")


class SessionsQuery(Request):
    """Which page of the list."""

    cursor: str | None = Field(default=None, max_length=500, description="next_cursor of the page before.")
    limit: PageSize = 50


class TurnsQuery(Request):
    """Which turns."""

    first: Annotated[int, Field(ge=1)] = Field(default=1, description="Number of the first one.")
    limit: PageSize = MAX_PAGE


class SessionShape(BaseModel):
    """A conversation."""

    session_id: str
    chat_kind: str
    run_kind: str
    channel: ChannelShape | None
    agent_id: str | None
    participants: list[str]
    trust: Literal["confirmed", "unverified"]
    turns: int
    first_kept: int
    summary: str | None
    created_at: str
    updated_at: str


class SessionsShape(BaseModel):
    """A page of conversations, last used first."""

    sessions: list[SessionShape]
    next_cursor: str | None


class SaidShape(BaseModel):
    """A turn as it is kept."""

    number: int
    role: str
    speaker: str
    user_id: str | None
    content: str
    created_at: str
    channel: str | None
    tool_calls: list[dict[str, Any]]
    tool_call_id: str | None
    is_tainted: bool
    recorded_by: str
    message_id: str | None


class TurnsShape(BaseModel):
    """Turns of a conversation."""

    session: SessionShape
    turns: list[SaidShape]


class RecordedShape(BaseModel):
    """What became of turns."""

    session: SessionShape
    numbers: list[int]
    added: int
    skipped: int
    pairing_code: str | None = Field(description="For an unknown sender: what an administrator approves.")


class ExportShape(TurnsShape):
    """A whole conversation, and the files its older turns are archived in."""

    archives: list[dict[str, Any]]


class ForgottenShape(BaseModel):
    """The receipt of a forgotten conversation."""

    session_id: str
    forgotten_at: str
    turns: int
    archives: int
    records: list[str]
    kept_in: list[str]


class ChatShape(BaseModel):
    """The agent's answer."""

    session_id: str
    text: str
    turn: int
    trace_id: str | None
    usage: dict[str, int]
    was_answered_before: bool
    pairing_code: str | None


class ContextShape(BaseModel):
    """What a model is given of memory for one turn, and where the characters went."""

    static_part: str
    session_part: str
    message_part: str
    late_system: str
    report: dict[str, Any]
    trace_id: str | None
    pairing_code: str | None
