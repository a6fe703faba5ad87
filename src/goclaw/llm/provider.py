"""What every chat model is and promises: messages, tools, requests and replies, whatever service stands behind."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "length", "tool_calls", "refusal"]

MOST_TOKENS = 10**9  # of one call; a service that says more does not count
CHARS_PER_TOKEN = 4  # where nobody counted; the measure of the settings


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that the model may ask for."""

    name: str  # letters, digits, _ and -
    description: str  # when to use it, for the model
    parameters: Mapping[str, Any]  # JSON schema with an object at its root


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model asks for a tool."""

    id: str  # what the tool's answer refers to
    name: str  # may be a tool that does not exist
    arguments: str  # JSON as the model wrote it; may be broken


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a conversation."""

    role: Role
    content: str  # may be empty, beside tool calls or where the model had nothing to say
    tool_calls: tuple[ToolCall, ...] = ()  # of an assistant
    tool_call_id: str | None = None  # which call a message of role tool answers


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What the model is asked. Unset limits are those of the settings."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None  # longest reply
    temperature: float | None = None  # left out where the service takes none
    timeout_s: float | None = None  # longest wait for the whole reply
    json_schema: Mapping[str, Any] | None = None  # shape of the reply, for services that can promise it


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, or of many together."""

    input_tokens: int = 0  # all that was sent, cached or not
    output_tokens: int = 0  # the reply, with what the model thought
    cached_tokens: int = 0  # the part of the input that the service had in its cache

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
        )

    @property
    def total_tokens(self) -> int:
        """What budgets count: input and output."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the model answered."""

    message: ChatMessage  # of role assistant
    usage: Usage
    finish_reason: FinishReason  # length: cut off, also in the middle of a tool call; refusal: it will not


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """What the settings say of a model."""

    name: str  # as its service spells it
    window_tokens: int  # fit into one request and its reply
    max_output_tokens: int  # longest reply where the request names none
    timeout_s: float  # longest wait where the request names none
    takes_late_system: bool  # a system message after the person's is allowed


class ChatModel(Protocol):
    """A model that chats. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """Name of the model, as its service spells it."""
        ...

    @property
    def window_tokens(self) -> int:
        """Tokens that fit into one request and its reply."""
        ...

    @property
    def takes_late_system(self) -> bool:
        """Whether a system message may follow the person's; else such a message is sent as one of the person's."""
        ...

    def complete(self, request: ChatRequest) -> ChatReply:
        """Ask and wait for the whole reply.

        Raises ModelUnavailable, ModelRefused, ModelReplyInvalid and ModelBudgetSpent; never with words of the service.
        """
        ...

    def stream(self, request: ChatRequest) -> Iterator[str | ChatReply]:
        """Pieces of the text as they come; the last item is the whole reply. Raises what :meth:`complete` raises."""
        ...

    def close(self) -> None:
        """Give back connections; the model cannot be used afterwards."""
        ...


def estimate_usage(request: ChatRequest, text: str) -> Usage:
    """Tokens of a call that its service did not count, by the length of what was sent and received."""
    sent = sum(
        len(message.content) + sum(len(call.name) + len(call.arguments) for call in message.tool_calls)
        for message in request.messages
    )
    return Usage(-(-sent // CHARS_PER_TOKEN), -(-len(text) // CHARS_PER_TOKEN))


def count_usage(sent: Any, received: Any, cached: Any) -> Usage | None:
    """What a service says it counted; None where that is no count."""
    counts = [count for count in (sent, received, cached) if isinstance(count, int) and 0 <= count <= MOST_TOKENS]
    return Usage(*counts) if len(counts) == 3 else None


def clean_text(text: str) -> str:
    """Text that UTF-8 can carry: half a surrogate pair becomes a question mark, on the way out and in."""
    return text.encode("utf-8", "replace").decode()
