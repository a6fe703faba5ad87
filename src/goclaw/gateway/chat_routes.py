"""Chat route: a message to the agent and its answer, as one JSON object or as server-sent events."""

import json
from collections.abc import Iterator
from typing import Any

import structlog
from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import CallerOf
from goclaw.gateway.errors import error_json
from goclaw.gateway.memory_routes import ERRORS
from goclaw.gateway.session_routes import channel_in, speaker_of
from goclaw.gateway.session_shapes import ChatRequest, ChatShape
from goclaw.gateway.session_wire import chat_json
from goclaw.model.errors import GoclawError
from goclaw.turn.answer import ChatAnswer
from goclaw.turn.tool_loop import ToolUse

router = APIRouter(prefix="/api", responses=ERRORS, tags=["chat"])

_log = structlog.get_logger("goclaw.chat")
Piece = str | ToolUse | ChatAnswer


@router.post("/chat", response_model=ChatShape, summary="Talk to the agent")
def chat(caller: CallerOf, body: ChatRequest) -> Response:
    """Context, model, tools; every step is recorded. With ``stream`` the answer comes as server-sent events."""
    caller.must_be(body)
    speaker = speaker_of(caller, body)
    pieces = caller.memory.agent.answer(
        speaker.principal,
        body.session_id,
        body.message,
        channel=channel_in(body),
        chat_kind=body.chat_kind,
        message_id=body.message_id,
    )
    if not body.stream:
        return Answer(chat_json(_last(pieces), speaker.pairing_code))
    first = next(pieces)  # what fails before anything was said is an ordinary error
    events = _events(first, pieces, speaker.pairing_code)
    return StreamingResponse(events, media_type="text/event-stream", headers={"cache-control": "no-store"})


def _last(pieces: Iterator[Piece]) -> ChatAnswer:
    answer = None
    for piece in pieces:
        answer = piece
    assert isinstance(answer, ChatAnswer), "the last piece is the answer"
    return answer


def _events(first: Piece, rest: Iterator[Piece], pairing_code: str | None) -> Iterator[str]:
    try:
        yield _event(first, pairing_code)
        for piece in rest:
            yield _event(piece, pairing_code)
    except GoclawError as error:
        yield _written("error", error_json(error))
    except Exception as error:  # the status is sent already: the stream says that it ended badly
        _log.error("chat_failed", error=type(error).__name__)
        yield _written("error", {"error": "Something went wrong inside goclaw.", "code": "internal", "hint": ""})


def _event(piece: Piece, pairing_code: str | None) -> str:
    if isinstance(piece, str):
        return _written("text", {"text": piece})
    if isinstance(piece, ToolUse):
        return _written("tool", {"name": piece.name, "succeeded": piece.succeeded})
    return _written("done", chat_json(piece, pairing_code))


def _written(event: str, data: dict[str, Any]) -> str:
    return f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
