"""Anthropic wire: requests and replies in the shapes of Anthropic's messages. Whatever is read may be nonsense."""

import json
from collections.abc import Sequence
from dataclasses import replace
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
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "refusal",
}
CACHED_UNTIL_HERE = {"type": "ephemeral"}


def split_system(messages: Sequence[ChatMessage]) -> tuple[list[dict[str, Any]], list[ChatMessage]]:
    """The system messages that stand first, as blocks of which the last ends what the service caches; and the rest."""
    count = next((place for place, each in enumerate(messages) if each.role != "system"), len(messages))
    blocks = [_write_text(each.content) for each in messages[:count] if each.content.strip()]
    if blocks:
        blocks[-1]["cache_control"] = CACHED_UNTIL_HERE
    return blocks, list(messages[count:])


def write_messages(messages: Sequence[ChatMessage], takes_late_system: bool) -> list[dict[str, Any]]:
    """The conversation after its first system messages.

    Neighbours of one role become one message: answers of tools have to stand together. Empty texts, which the service
    refuses, are left out.
    """
    written: list[dict[str, Any]] = []
    for message in messages:
        role = _role_of(message, takes_late_system)
        blocks = _write_blocks(message)
        if not blocks:
            continue
        if written and written[-1]["role"] == role:
            written[-1]["content"] += blocks
        else:
            written.append({"role": role, "content": blocks})
    return written


def write_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The tools, in the order given: the beginning of a request stays the same for the service's cache."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)} for tool in tools
    ]


def read_reply(body: dict[str, Any], request: ChatRequest) -> ChatReply:
    """A whole reply. Raises ModelReplyInvalid, and ModelUnavailable where the service reports a failure in it."""
    growing = GrowingReply(request)
    try:
        growing.take({"type": "message_start", "message": body})
        for index, block in enumerate(body["content"]):
            growing.take({"type": "content_block_start", "index": index, "content_block": block})
        growing.take({"type": "message_delta", "delta": {"stop_reason": body["stop_reason"]}})
    except (AttributeError, KeyError, TypeError, ValueError):
        if body.get("type") == "error":
            raise broke_off() from None
        raise not_its_protocol() from None
    return growing.finish()


class GrowingReply:
    """A reply that comes in pieces, or as one."""

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._text: list[str] = []
        self._calls: dict[object, ToolCall] = {}
        self._begun: dict[object, str] = {}  # arguments that stood in the beginning of a call
        self._counts: dict[str, Any] = {}
        self._stop_reason: str | None = None

    def take(self, event: dict[str, Any]) -> str:
        """One event of the service; the text that it adds. Raises as :func:`read_reply` does."""
        try:
            match event.get("type"):
                case "message_start":
                    self._counts |= event["message"].get("usage") or {}
                case "content_block_start":
                    return self._begin_block(event["index"], event["content_block"])
                case "content_block_delta":
                    return self._take_delta(event["index"], event["delta"])
                case "message_delta":
                    self._counts |= event.get("usage") or {}
                    self._stop_reason = event["delta"].get("stop_reason") or self._stop_reason
                case "error":
                    raise broke_off()
        except (AttributeError, KeyError, TypeError, ValueError):
            raise not_its_protocol() from None
        return ""

    def finish(self) -> ChatReply:
        """The whole reply. Raises ModelReplyInvalid where its end never came."""
        if self._stop_reason is None:
            raise not_its_protocol()
        reason = FINISH_REASONS.get(str(self._stop_reason), "stop")
        calls = tuple(
            call if call.arguments else replace(call, arguments=self._begun[index])
            for index, call in self._calls.items()
        )
        text = "".join(self._text)
        usage = _read_usage(self._counts) or estimate_usage(self._request, text)
        return ChatReply(ChatMessage("assistant", text, calls), usage, reason)

    def _begin_block(self, index: object, block: dict[str, Any]) -> str:
        match block["type"]:
            case "text":
                return self._add_text(block["text"])
            case "tool_use":
                self._begun[index] = json.dumps(block.get("input") or {})
                self._calls[index] = ToolCall(clean_text(block["id"]), clean_text(block["name"]), "")
        return ""  # thoughts are not ours

    def _take_delta(self, index: object, delta: dict[str, Any]) -> str:
        match delta["type"]:
            case "text_delta":
                return self._add_text(delta["text"])
            case "input_json_delta":
                call = self._calls[index]
                self._calls[index] = replace(call, arguments=call.arguments + clean_text(delta["partial_json"]))
        return ""

    def _add_text(self, text: str) -> str:
        self._text.append(clean_text(text))
        return self._text[-1]


def _role_of(message: ChatMessage, takes_late_system: bool) -> str:
    if message.role == "assistant" or (message.role == "system" and takes_late_system):
        return message.role
    return "user"


def _write_blocks(message: ChatMessage) -> list[dict[str, Any]]:
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": clean_text(message.content)}
        return [result]
    blocks = [_write_text(message.content)] if message.content.strip() else []
    return blocks + [
        {"type": "tool_use", "id": call.id, "name": clean_text(call.name), "input": _read_arguments(call.arguments)}
        for call in message.tool_calls
    ]


def _write_text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": clean_text(text)}


def _read_arguments(arguments: str) -> dict[str, Any]:
    """An object: the service takes nothing else, also not back from the model that wrote it."""
    try:
        value = json.loads(clean_text(arguments))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _read_usage(counts: dict[str, Any]) -> Usage | None:
    """The service's count; what it put into its cache or took from there stands beside the rest."""
    cached, stored = counts.get("cache_read_input_tokens") or 0, counts.get("cache_creation_input_tokens") or 0
    usage = count_usage(counts.get("input_tokens"), counts.get("output_tokens"), cached)
    kept = count_usage(stored, 0, 0)
    return usage and kept and replace(usage, input_tokens=usage.input_tokens + cached + kept.input_tokens)
