"""OpenAI wire: requests and replies in the shapes of OpenAI's chat protocol. Whatever is read may be nonsense."""

import json
from collections.abc import Sequence
from typing import Any

from goclaw.llm.event_stream import not_its_protocol
from goclaw.llm.provider import (
    ChatMessage,
    ChatReply,
    ChatRequest,
    FinishReason,
    ToolCall,
    ToolSpec,
    Usage,
    clean_text,
    count_usage,
    estimate_usage,
)
from goclaw.llm.service_errors import broke_off

FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refusal",
}
SCHEMA_NAME = "reply"


def write_messages(messages: Sequence[ChatMessage], takes_late_system: bool) -> list[dict[str, Any]]:
    """The conversation; a late system message becomes one of the person's where the model takes none."""
    written: list[dict[str, Any]] = []
    is_late = False
    for message in messages:
        is_late = is_late or message.role != "system"
        is_moved = message.role == "system" and is_late and not takes_late_system
        one: dict[str, Any] = {
            "role": "user" if is_moved else message.role,
            "content": clean_text(message.content),
        }
        if message.tool_calls:
            one["tool_calls"] = [_write_call(call) for call in message.tool_calls]
        if message.tool_call_id is not None:
            one["tool_call_id"] = message.tool_call_id
        written.append(one)
    return written


def write_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The tools, in the order given: the beginning of a request stays the same for the service's cache."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def write_extras(request: ChatRequest) -> dict[str, Any]:
    """What some services and models refuse, and what a reply can be had without."""
    extras: dict[str, Any] = {}
    if request.temperature is not None:
        extras["temperature"] = request.temperature
    if request.json_schema is not None:
        schema = {"name": SCHEMA_NAME, "schema": dict(request.json_schema)}
        extras["response_format"] = {"type": "json_schema", "json_schema": schema}
    return extras


def read_reply(body: dict[str, Any], request: ChatRequest) -> ChatReply:
    """A whole reply. Raises ModelReplyInvalid, and ModelUnavailable where the service reports a failure in it."""
    growing = GrowingReply(request)
    growing.take(body, "message")
    return growing.finish()


class GrowingReply:
    """A reply that comes in pieces, or as one."""

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._calls: dict[object, dict[str, str]] = {}
        self._finish_reason: str | None = None
        self._usage: Usage | None = None

    def take(self, event: dict[str, Any], part: str = "delta") -> str:
        """One event of the service; the text that it adds. Raises as :func:`read_reply` does."""
        if event.get("error"):
            raise broke_off()
        self._usage = _read_usage(event.get("usage")) or self._usage
        try:
            choices = event.get("choices") or ()
            return self._take_choice(choices[0], part) if choices else ""
        except (AttributeError, KeyError, TypeError, IndexError):
            raise not_its_protocol() from None

    def finish(self) -> ChatReply:
        """The whole reply. Raises ModelReplyInvalid where its end never came."""
        if self._finish_reason is None:
            raise not_its_protocol()
        reason = FINISH_REASONS.get(self._finish_reason, "stop")
        text, refusal = "".join(self._text), "".join(self._refusal)
        calls = tuple(
            ToolCall(call["id"] or f"call_{place}", call["name"], call["arguments"])
            for place, call in enumerate(self._calls.values())
        )
        if refusal and not text:
            text, reason = refusal, "refusal"
        elif calls and reason == "stop":  # some services say so
            reason = "tool_calls"
        elif not calls and reason == "tool_calls":
            reason = "stop"
        usage = self._usage or estimate_usage(self._request, text)
        return ChatReply(ChatMessage("assistant", text, calls), usage, reason)

    def _take_choice(self, choice: dict[str, Any], part: str) -> str:
        message = choice.get(part) or {}
        reason = choice.get("finish_reason")
        if part == "message":  # a whole reply needs none, but it needs a message
            reason = reason or "stop"
            message = choice[part]
        text = _read_text(message.get("content"))
        self._text.append(text)
        self._refusal.append(_read_text(message.get("refusal")))
        for place, call in enumerate(message.get("tool_calls") or ()):
            self._take_call(call, place if part == "message" else None)
        if reason:
            self._finish_reason = str(reason)
        return text

    def _take_call(self, call: dict[str, Any], place: int | None) -> None:
        key: object = call.get("index", place)
        if key is None:  # some services leave it out: an id begins another call, else the last one goes on
            key = call.get("id") or next(reversed(self._calls), 0)
        known = self._calls.setdefault(key, {"id": "", "name": "", "arguments": ""})
        function = call.get("function") or {}
        known["id"] = known["id"] or clean_text(call.get("id") or "")
        known["name"] += clean_text(function.get("name") or "")
        arguments = function.get("arguments") or ""
        known["arguments"] += clean_text(arguments if isinstance(arguments, str) else json.dumps(arguments))


def _write_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": clean_text(call.name), "arguments": clean_text(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _read_text(content: Any) -> str:
    """Text, or a list of parts of which some are text."""
    if content is None:
        return ""
    if isinstance(content, list):
        return "".join(_read_text(part.get("text")) for part in content)
    if not isinstance(content, str):
        raise TypeError
    return clean_text(content)


def _read_usage(usage: Any) -> Usage | None:
    """The service's count; None where it gives none that can be one."""
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return count_usage(usage.get("prompt_tokens"), usage.get("completion_tokens", 0), cached or 0)
