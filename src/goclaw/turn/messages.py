"""Messages: what a model is sent for a turn, in the order that keeps prompt caches warm.

Static prompt and the session's part, then the history as it was said, then the person's message as the session keeps
it, and last what was found for it: as a system message where the model takes one there, else as a marked paragraph
behind the person's words.
"""

import json
from collections.abc import Sequence

from goclaw.context.assemble import Context
from goclaw.llm.prompts import ASSISTANT
from goclaw.llm.provider import ChatMessage, ToolCall
from goclaw.model.session import ChatKind, Session, SessionTurn, TurnRole


def messages_of(
    context: Context, session: Session, turns: Sequence[SessionTurn], *, takes_late_system: bool
) -> tuple[ChatMessage, ...]:
    """``turns`` are those that are given to the model; the last one is the person's message."""
    system = "\n\n".join(part for part in (context.static_part, ASSISTANT, context.session_part) if part)
    history = [_message(turn, session) for turn in _whole_calls(turns)]
    if takes_late_system:
        return (ChatMessage("system", system), *history, ChatMessage("system", context.late_system))
    last = history.pop()
    together = ChatMessage("user", f"{last.content}\n\n{context.message_part}")
    return (ChatMessage("system", system), *history, together)


def _message(turn: SessionTurn, session: Session) -> ChatMessage:
    if turn.role is TurnRole.TOOL:
        return ChatMessage("tool", turn.content, tool_call_id=turn.tool_call_id)
    if turn.role is TurnRole.ASSISTANT:
        calls = tuple(ToolCall(call.id, call.name, json.dumps(dict(call.arguments))) for call in turn.tool_calls)
        return ChatMessage("assistant", turn.content, tool_calls=calls)
    # In a room the model has to know who spoke; behind the words, so that nothing stands before them.
    spoken_by = f"\n[said by {turn.speaker}]" if session.chat_kind is ChatKind.GROUP else ""
    return ChatMessage("user", f"{turn.content}{spoken_by}")


def _whole_calls(turns: Sequence[SessionTurn]) -> list[SessionTurn]:
    """Without calls that were never answered, and answers of calls that are not there: models refuse both."""
    answered = {turn.tool_call_id for turn in turns if turn.role is TurnRole.TOOL}
    asked = {
        call.id for turn in turns for call in turn.tool_calls if all(each.id in answered for each in turn.tool_calls)
    }
    return [
        turn
        for turn in turns
        if (turn.role is not TurnRole.TOOL or turn.tool_call_id in asked)
        and all(call.id in asked for call in turn.tool_calls)
    ]
