"""Tool loop: asks the model, does what it calls for, and asks again until it answers; each step is durable.

A failing call gets its hint in the same turn and leaves no memory (the seed's auto-learn). The loop has an end: after
``MOST_ROUNDS`` the model is asked once more without tools.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from goclaw.autolearn.hint import hint_for
from goclaw.governance.secret_scan import redact
from goclaw.llm.provider import ChatMessage, ChatModel, ChatReply, ChatRequest, ToolCall, Usage
from goclaw.model.errors import GoclawError
from goclaw.model.session import TurnRole, TurnToolCall
from goclaw.sessions.new_turn import NewTurn
from goclaw.settings.log import log_for
from goclaw.turn.tools import MAX_RESULT_CHARS, Call, ToolBox

log = log_for(__name__)

MOST_ROUNDS = 8
MOST_CALLS_A_ROUND = 16
MAX_ANSWER_CHARS = 100_000
MAX_NAME_CHARS = 200
CUT = "\n[... {left_out:,} more characters]"
Recorder = Callable[[list[NewTurn]], None]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool was called; for whoever watches the turn."""

    name: str
    succeeded: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What the loop ended with."""

    text: str
    usage: Usage
    rounds: int


@dataclass(frozen=True, slots=True)
class ToolLoop:
    """Runs one turn's calls."""

    model: ChatModel
    tools: ToolBox
    record: Recorder

    def run(self, messages: tuple[ChatMessage, ...], call: Call) -> Iterator[str | ToolUse | Answer]:
        """Pieces of text and the tools used as they come; the last item is the :class:`Answer`, which is recorded.

        Raises a ProviderError where the model does not answer; what was recorded until then stays.
        """
        usage = Usage()
        for number in range(1, MOST_ROUNDS + 2):
            tools = self.tools.specs if number <= MOST_ROUNDS else ()
            reply: ChatReply | None = None
            for piece in self.model.stream(ChatRequest(messages=messages, tools=tools)):
                if isinstance(piece, ChatReply):
                    reply = piece
                else:
                    yield piece
            assert reply is not None, "a stream ends with the whole reply"
            usage += reply.usage
            said = _storable_message(reply.message, with_calls=bool(tools))
            if not said.tool_calls:
                self.record([NewTurn(role=TurnRole.ASSISTANT, content=said.content, is_tainted=call.is_tainted)])
                yield Answer(said.content, usage, number)
                return
            results = []
            self.record([_asking(said, call)])
            for wanted in said.tool_calls:
                result, succeeded, is_outside = self._do(wanted, call)
                call = replace(call, is_tainted=call.is_tainted or is_outside)
                self.record([_result(wanted, result, is_outside)])
                results.append(ChatMessage("tool", result, tool_call_id=wanted.id))
                yield ToolUse(wanted.name, succeeded)
            messages = (*messages, said, *results)

    def _do(self, wanted: ToolCall, call: Call) -> tuple[str, bool, bool]:
        """What the tool says, whether it succeeded, and whether that is text from outside."""
        tool = self.tools.get(wanted.name)
        if tool is None:
            return f"There is no tool {wanted.name[:80]!r}.", False, False
        arguments = _arguments(wanted.arguments)
        if arguments is None:
            return "The arguments are no JSON object.", False, False
        try:
            result = tool.run(call, arguments)
        except GoclawError as error:
            return _failed(wanted.name, str(error)), False, tool.is_outside
        except Exception as error:  # the host's code: the model is told, and the turn goes on
            log.warning("tool_failed", tool=wanted.name, error=type(error).__name__)
            return _failed(wanted.name, str(error)), False, tool.is_outside
        return _cut(_storable(result)), True, tool.is_outside


def _arguments(text: str) -> Mapping[str, Any] | None:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and _is_plain(found) else None


def _is_plain(found: dict[str, Any]) -> bool:
    """Whether it can be kept as it is: models write half surrogate pairs and numbers that JSON does not have."""
    try:
        return "\0" not in json.dumps(found, allow_nan=False, ensure_ascii=False).encode().decode()
    except (ValueError, RecursionError):
        return False


def _storable(text: str) -> str:
    """A text of a model or a tool as it can be kept."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _storable_message(said: ChatMessage, *, with_calls: bool) -> ChatMessage:
    calls = said.tool_calls[:MOST_CALLS_A_ROUND] if with_calls else ()
    named = tuple(replace(each, id=_plain_name(each.id), name=_plain_name(each.name)) for each in calls)
    return replace(said, content=_storable(said.content)[:MAX_ANSWER_CHARS], tool_calls=named)


def _plain_name(name: str) -> str:
    return "".join(each for each in name if each.isprintable())[:MAX_NAME_CHARS].strip() or "unnamed"


def _failed(tool: str, error: str) -> str:
    """The error as the model sees it, with the hint that fits it."""
    hint = hint_for(tool, error)
    return _cut(f"Error: {redact(_storable(error))}" + (f"\n{hint.text}" if hint else ""))


def _cut(text: str) -> str:
    if len(text) <= MAX_RESULT_CHARS:
        return text
    return text[:MAX_RESULT_CHARS] + CUT.format(left_out=len(text) - MAX_RESULT_CHARS)


def _asking(said: ChatMessage, call: Call) -> NewTurn:
    calls = tuple(TurnToolCall(each.id, each.name, _arguments(each.arguments) or {}) for each in said.tool_calls)
    return NewTurn(role=TurnRole.ASSISTANT, content=said.content, tool_calls=calls, is_tainted=call.is_tainted)


def _result(wanted: ToolCall, text: str, is_outside: bool) -> NewTurn:
    return NewTurn(
        role=TurnRole.TOOL,
        content=text,
        speaker=wanted.name,
        tool_call_id=wanted.id,
        is_tainted=is_outside,
    )
